import { shortName } from '../text/short.ts'
import { type DrawnMark, markKind, markName } from './plan.ts'

/** A rectangle in px, from its left upper corner. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Words and where they are drawn. */
export interface PlacedText extends Box {
  readonly text: string
}

/** How wide a text is, in px of a font of 1 px. */
export type TextMeasure = (text: string) => number

/** More than a letter of most fonts takes; wide signs of East Asia and pictures take a whole em. */
const LETTER_EM = 0.62
const WIDE_EM = 1.1
const FIRST_WIDE = 0x1100
export const estimated: TextMeasure = (text) =>
  [...text].reduce((sum, sign) => sum + ((sign.codePointAt(0) ?? 0) < FIRST_WIDE ? LETTER_EM : WIDE_EM), 0)

const NAME_PX = 11
const NAME_LETTERS = [16, 12, 8, 5]
const NAME_HEIGHT = 14
const BUBBLE_PX = 12
const BUBBLE_LETTERS = [26, 18, 10]
export const BUBBLE_HEIGHT = 20
const BUBBLE_PAD = 7
/** between a mark and what belongs to it */
const GAP = 4

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

const boxOf = ({ x, y, rx, ry }: DrawnMark): Box => ({ x: x - rx, y: y - ry, width: 2 * rx, height: 2 * ry })

/** What is drawn already: nothing else may cover it. */
class OccupiedBoxes {
  readonly #boxes: Box[]
  readonly #within: Box

  constructor(boxes: readonly Box[], within: Box) {
    this.#boxes = [...boxes]
    this.#within = within
  }

  /** Takes the first of several places that is free; null when none is. */
  take<P extends Box>(places: Iterable<P>): P | null {
    for (const place of places) {
      if (!this.#isFree(place)) continue
      this.#boxes.push(place)
      return place
    }
    return null
  }

  #isFree(box: Box): boolean {
    const { x, y, width, height } = this.#within
    return (
      box.x >= x &&
      box.y >= y &&
      box.x + box.width <= x + width &&
      box.y + box.height <= y + height &&
      !this.#boxes.some((one) => overlap(one, box))
    )
  }
}

const shortened = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`

/** A text that is cut ever shorter, the longest first. */
function* cuts(
  text: string,
  lengths: readonly number[],
  cutTo: (text: string, max: number) => string,
): Generator<string> {
  let last: string | undefined
  for (const length of lengths) {
    const cut = cutTo(text, length)
    if (cut !== last) yield cut
    last = cut
  }
}

interface WordsToPlace {
  readonly drawn: readonly DrawnMark[]
  readonly width: number
  readonly height: number
  /** the names stand below their marks */
  readonly isNamed: boolean
  /** what a mark says beside itself; null for nothing */
  readonly saysOf: (drawn: DrawnMark) => string | null
  readonly measure: TextMeasure
}

export interface MapWords {
  /**
   * by the keys of their marks. A name for which there is no room is left out: the mark has it as its title
   */
  readonly names: ReadonlyMap<string, PlacedText>
  readonly bubbles: ReadonlyMap<string, PlacedText>
}

/**
 * Places names below their marks, and what some say in bubbles beside them. Nothing covers a mark, a name or
 * another bubble, and nothing leaves the map: words are cut shorter, put on another side, or left out.
 */
export function placeWords({ drawn, width, height, isNamed, saysOf, measure }: WordsToPlace): MapWords {
  const within = { x: 0, y: 0, width, height }
  const taken = new OccupiedBoxes(drawn.map(boxOf), within)
  const names = new Map<string, PlacedText>()
  const bubbles = new Map<string, PlacedText>()
  if (isNamed)
    for (const one of drawn) {
      if (markKind(one.mark) === 'space') continue // its box has its name inside
      const placed = taken.take(placesOfName(one, width, measure))
      if (placed !== null) names.set(one.mark.key, placed)
    }
  for (const one of drawn) {
    const says = saysOf(one)
    if (says === null) continue
    const placed = taken.take(placesOfBubble(one, says, width, measure))
    if (placed !== null) bubbles.set(one.mark.key, placed)
  }
  return { names, bubbles }
}

/** The left side of a box that is centred on `middle`, moved so that the box stays on the map. */
const leftEdge = (middle: number, size: number, width: number): number =>
  Math.max(0, Math.min(middle - size / 2, width - size))

function* placesOfName(
  { mark, x, y, ry }: DrawnMark,
  width: number,
  measure: TextMeasure,
): Generator<PlacedText> {
  for (const text of cuts(markName(mark), NAME_LETTERS, shortName)) {
    const size = Math.ceil(measure(text) * NAME_PX) + 2
    yield { text, x: leftEdge(x, size, width), y: y + ry + GAP / 2, width: size, height: NAME_HEIGHT }
  }
}

function* placesOfBubble(
  { x, y, rx, ry }: DrawnMark,
  says: string,
  width: number,
  measure: TextMeasure,
): Generator<PlacedText> {
  for (const text of cuts(says, BUBBLE_LETTERS, shortened)) {
    const size = Math.ceil(measure(text) * BUBBLE_PX) + 2 * BUBBLE_PAD
    const box = { text, width: size, height: BUBBLE_HEIGHT }
    const above = y - ry - GAP - BUBBLE_HEIGHT
    const level = y - BUBBLE_HEIGHT / 2
    const below = y + ry + GAP + NAME_HEIGHT
    yield { ...box, x: leftEdge(x, size, width), y: above }
    yield { ...box, x: x - rx, y: above }
    yield { ...box, x: x + rx - size, y: above }
    yield { ...box, x: x + rx + GAP, y: level }
    yield { ...box, x: x - rx - GAP - size, y: level }
    yield { ...box, x: leftEdge(x, size, width), y: below }
    yield { ...box, x: x + rx + GAP, y: above }
    yield { ...box, x: x - rx - GAP - size, y: above }
  }
}
