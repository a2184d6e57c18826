import type { Spoken } from './queries.ts'

/** More beings than this are a knot, not a picture. */
export const NODES_MAX = 24
const RADIUS = 190
const MARGIN_X = 120
const MARGIN_Y = 48
export const WIDTH = 2 * (RADIUS + MARGIN_X)
export const HEIGHT = 2 * (RADIUS + MARGIN_Y)

export interface Node {
  readonly stance: string
  readonly x: number
  readonly y: number
  /** on which side of it its name stands */
  readonly side: 'start' | 'middle' | 'end'
}

export interface Line {
  readonly from: Node
  readonly to: Node
  readonly path: string
  readonly width: number
  readonly isFailing: boolean
}

export interface Circle {
  readonly nodes: readonly Node[]
  readonly lines: readonly Line[]
  /** beings that are not drawn */
  readonly others: number
}

/** Beings on a circle, those that spoke most first, and a line for each pair of which one spoke to the other. */
export function circleOf(spoken: readonly Spoken[]): Circle {
  const weights = new Map<string, number>()
  for (const { from, to, count } of spoken)
    for (const stance of [from, to]) weights.set(stance, (weights.get(stance) ?? 0) + count)
  const stances = [...weights].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([stance]) => stance)
  const shown = stances.slice(0, NODES_MAX)
  const nodes = new Map(shown.map((stance, i) => [stance, nodeAt(stance, i, shown.length)]))
  const lines = spoken.flatMap(({ from, to, count, failed }) => {
    const [a, b] = [nodes.get(from), nodes.get(to)]
    if (a === undefined || b === undefined) return []
    return [{ from: a, to: b, path: arc(a, b), width: 1 + Math.log2(count), isFailing: failed > 0 }]
  })
  return { nodes: [...nodes.values()], lines, others: stances.length - shown.length }
}

function nodeAt(stance: string, i: number, count: number): Node {
  const angle = -Math.PI / 2 + (2 * Math.PI * i) / count
  const across = Math.cos(angle)
  return {
    stance,
    x: round(WIDTH / 2 + RADIUS * across),
    y: round(HEIGHT / 2 + RADIUS * Math.sin(angle)),
    side: Math.abs(across) < 0.3 ? 'middle' : across > 0 ? 'start' : 'end',
  }
}

/** Bends to one side, so that words there and words back are two lines. It ends before the mark of the being. */
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
