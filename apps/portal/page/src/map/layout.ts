import { seen } from '../text/unseen-text.ts'
import { type DrawnMark, type MapMark, markKind, type Plan } from './plan.ts'
import { BUBBLE_HEIGHT, estimated, type MapWords, placeWords, type TextMeasure } from './words.ts'

export interface MapDrawing extends MapWords {
  readonly width: number
  readonly height: number
  /** the squares; null for a space without any */
  readonly board: { readonly x: number; readonly y: number; readonly cell: number } | null
  readonly drawn: readonly DrawnMark[]
}

const EDGE = 12
const CELL_MAX = 64
const BOARD_HEIGHT_MAX = 480
const RADIUS_MAX = 16
/** More beings than this have no names beside them: who has the focus is named below the map. */
const LABELS_MAX = 80
/** So few marks that what they said stands beside them. */
const SPEAKERS_MAX = 12
const BOX = { rx: 76, ry: 22, gap: 12 }
const SLOT = { x: 84, y: 62 }
const DOT = 14

/**
 * Where everything is drawn on a map of this width. Pure, so that a mark that did not move stays where it is.
 */
export function layOut({ extent, marks }: Plan, width: number, measure: TextMeasure = estimated): MapDrawing {
  const cell =
    extent === null
      ? 0
      : Math.min(CELL_MAX, (width - 2 * EDGE) / extent.x, Math.max(2, BOARD_HEIGHT_MAX / extent.y))
  const isNamed = marks.length <= LABELS_MAX
  const speaks = marks.length <= SPEAKERS_MAX && marks.some(({ words }) => words !== null)
  const edge = EDGE + (speaks ? BUBBLE_HEIGHT + 2 : 0) // room above the first row
  const board = extent === null ? null : { x: Math.max(EDGE, (width - cell * extent.x) / 2), y: edge, cell }
  const standing = board === null ? [] : marks.filter(({ spot }) => spot !== null)
  const top = board === null || extent === null ? edge : edge + cell * extent.y + (isNamed ? 28 : EDGE)
  const rest = board === null ? marks : marks.filter(({ spot }) => spot === null)
  const shelf = onShelf(rest, { top, width, isNamed })
  const drawn = [...(board === null ? [] : onSquares(standing, board)), ...shelf.drawn]
  const height = Math.max(shelf.bottom, top)
  const saysOf = ({ mark }: DrawnMark) =>
    speaks && mark.words !== null ? seen(mark.words).replaceAll(/\s+/g, ' ').trim() || null : null
  return { width, height, board, drawn, ...placeWords({ drawn, width, height, isNamed, saysOf, measure }) }
}

type Board = NonNullable<MapDrawing['board']>

/** Those that share a square stand around its middle. */
function onSquares(marks: readonly MapMark[], { x, y, cell }: Board): DrawnMark[] {
  const squares = Map.groupBy(marks, ({ spot }) => `${spot?.x} ${spot?.y}`)
  return [...squares.values()].flatMap((together) => {
    const crowd = Math.ceil(Math.sqrt(together.length))
    const radius = Math.max(2, Math.min(RADIUS_MAX, (cell * 0.36) / crowd))
    const away = together.length === 1 ? 0 : Math.min(cell * 0.28, cell / 2 - radius)
    return together.map((mark, i): DrawnMark => {
      const turn = (2 * Math.PI * i) / together.length
      return {
        mark,
        x: x + cell * ((mark.spot?.x ?? 0) + 0.5) + away * Math.cos(turn),
        y: y + cell * ((mark.spot?.y ?? 0) + 0.5) + away * Math.sin(turn),
        rx: radius,
        ry: radius,
      }
    })
  })
}

/** Spaces in rows of boxes, then all others in rows: nothing says where in the space they are. */
function onShelf(
  marks: readonly MapMark[],
  { top, width, isNamed }: { readonly top: number; readonly width: number; readonly isNamed: boolean },
): { readonly drawn: DrawnMark[]; readonly bottom: number } {
  const spaces = marks.filter((mark) => markKind(mark) === 'space')
  const others = marks.filter((mark) => markKind(mark) !== 'space')
  const boxes = inRows(spaces, { top, width, step: { x: 2 * BOX.rx + BOX.gap, y: 2 * BOX.ry + BOX.gap } })
  const step = isNamed ? SLOT : { x: DOT, y: DOT }
  const slots = inRows(others, { top: boxes.bottom, width, step })
  const radius = isNamed ? RADIUS_MAX : DOT / 2 - 2
  return {
    drawn: [
      ...boxes.placed.map((one): DrawnMark => ({ ...one, rx: BOX.rx, ry: BOX.ry })),
      ...slots.placed.map(
        (one): DrawnMark => ({
          ...one,
          y: one.y - (isNamed ? 8 : 0), // room for the name below it
          rx: radius,
          ry: radius,
        }),
      ),
    ],
    bottom: slots.bottom + EDGE,
  }
}

function inRows(
  marks: readonly MapMark[],
  {
    top,
    width,
    step,
  }: {
    readonly top: number
    readonly width: number
    readonly step: { readonly x: number; readonly y: number }
  },
) {
  const columns = Math.max(1, Math.floor((width - 2 * EDGE) / step.x))
  const placed = marks.map((mark, i) => ({
    mark,
    x: EDGE + step.x * ((i % columns) + 0.5),
    y: top + step.y * (Math.floor(i / columns) + 0.5),
  }))
  return { placed, bottom: top + step.y * Math.ceil(marks.length / columns) }
}

/**
 * The mark that is nearest in a direction; null when there is none. Those straight ahead come before those
 * aside.
 */
export function nearest(
  drawn: readonly DrawnMark[],
  from: DrawnMark,
  [dx, dy]: readonly [number, number],
): DrawnMark | null {
  let best: DrawnMark | null = null
  let least = Number.POSITIVE_INFINITY
  for (const one of drawn) {
    const ahead = (one.x - from.x) * dx + (one.y - from.y) * dy
    if (one === from || ahead <= 0.5) continue
    const aside = Math.abs((one.x - from.x) * dy) + Math.abs((one.y - from.y) * dx)
    const cost = ahead + 2 * aside
    if (cost < least) [best, least] = [one, cost]
  }
  return best
}
