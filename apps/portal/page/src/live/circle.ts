import { byName } from '../text/by-name.ts'
import type { SpokenWords } from './queries.ts'

/** The measures of a picture, in px. */
export interface Size {
  /** more beings than this are a knot, not a picture */
  readonly nodesMax: number
  readonly radius: number
  /** beside the circle, for names of so many letters */
  readonly marginX: number
  readonly nameChars: number
}

export const WIDE: Size = { nodesMax: 24, radius: 190, marginX: 160, nameChars: 18 }
/** Of a telephone. */
export const NARROW: Size = { nodesMax: 12, radius: 90, marginX: 90, nameChars: 9 }
const MARGIN_Y = 48
export const widthOf = ({ radius, marginX }: Size): number => 2 * (radius + marginX)
export const heightOf = ({ radius }: Size): number => 2 * (radius + MARGIN_Y)

export interface Node {
  readonly stance: string
  readonly x: number
  readonly y: number
  /** on which side of it its name stands */
  readonly side: 'start' | 'middle' | 'end'
}

export interface CircleEdge {
  readonly from: Node
  readonly to: Node
  readonly path: string
  readonly width: number
  readonly isFailing: boolean
}

export interface Circle {
  readonly nodes: readonly Node[]
  readonly lines: readonly CircleEdge[]
  /** beings that are not drawn */
  readonly others: number
}

/**
 * Beings on a circle, those that spoke most first, and a line for each pair of which one spoke to the other.
 */
export function circleOf(spoken: readonly SpokenWords[], size: Size): Circle {
  const weights = new Map<string, number>()
  for (const { from, to, count } of spoken)
    for (const stance of [from, to]) weights.set(stance, (weights.get(stance) ?? 0) + count)
  const stances = [...weights].sort(([a, m], [b, n]) => n - m || byName(a, b)).map(([stance]) => stance)
  const shown = stances.slice(0, size.nodesMax)
  const nodes = new Map(shown.map((stance, i) => [stance, nodeAt(size, stance, i / shown.length)]))
  const lines = spoken.flatMap(({ from, to, count, failed }) => {
    const [a, b] = [nodes.get(from), nodes.get(to)]
    if (a === undefined || b === undefined) return []
    return [{ from: a, to: b, path: arc(a, b), width: 1 + Math.log2(count), isFailing: failed > 0 }]
  })
  return { nodes: [...nodes.values()], lines, others: stances.length - shown.length }
}

function nodeAt(size: Size, stance: string, turn: number): Node {
  const angle = -Math.PI / 2 + 2 * Math.PI * turn
  const across = Math.cos(angle)
  return {
    stance,
    x: round(widthOf(size) / 2 + size.radius * across),
    y: round(heightOf(size) / 2 + size.radius * Math.sin(angle)),
    // Names above each other are told apart; beside each other they would cover one another.
    side: Math.abs(across) < 0.05 ? 'middle' : across > 0 ? 'start' : 'end',
  }
}

/** Where the name of a being stands: its baseline, and which part of it is there. */
export const labelAt = ({ x, y, side }: Pick<Node, 'x' | 'y' | 'side'>, height: number) =>
  side === 'middle'
    ? { x, y: y < height / 2 ? y - 16 : y + 26 }
    : { x: side === 'start' ? x + 16 : x - 16, y: y + 4 }

/**
 * Bends to one side, so that words there and words back are two lines. It ends before the mark of the being.
 */
function arc(a: Node, b: Node): string {
  const [dx, dy] = [b.x - a.x, b.y - a.y]
  const length = Math.hypot(dx, dy) || 1
  const bend = 0.12 * length
  const [mx, my] = [(a.x + b.x) / 2 - (dy / length) * bend, (a.y + b.y) / 2 + (dx / length) * bend]
  const back = Math.hypot(b.x - mx, b.y - my) || 1
  const end = { x: b.x - (14 * (b.x - mx)) / back, y: b.y - (14 * (b.y - my)) / back }
  return `M${a.x} ${a.y} Q${round(mx)} ${round(my)} ${round(end.x)} ${round(end.y)}`
}

const round = (px: number): number => Math.round(px * 10) / 10
