import { isJsonObject, type Json, type JsonObject, quote, type SpacePath, TreeosError } from '@treeos/core'
import type { Coord, Size, SpaceRow } from '../rows/rows.ts'
import { type ArgumentForm, optional } from './argument-forms.ts'
import type { ArgumentSchema } from './argument-schema.ts'
import type { Arguments } from './arguments.ts'

const AXES = ['x', 'y', 'z'] as const
/** Keeps counts of places within exact whole numbers. */
const SIZE_MAX = 65_536

const isTriple = (value: Json | undefined, least: number): value is JsonObject & Size =>
  isJsonObject(value) &&
  Object.keys(value).length === AXES.length &&
  AXES.every((axis) => {
    const n = Object.hasOwn(value, axis) ? value[axis] : undefined
    return typeof n === 'number' && Number.isInteger(n) && !Object.is(n, -0) && n >= least && n <= SIZE_MAX
  })

/** @param least of each axis */
const tripleFrom = (least: number): ArgumentSchema => {
  const axis: ArgumentSchema = { type: 'integer', minimum: least, maximum: SIZE_MAX }
  return {
    type: 'object',
    properties: { x: axis, y: axis, z: axis },
    required: [...AXES],
    additionalProperties: false,
  }
}
export const SIZE = tripleFrom(1)
export const SIZE_RIGHT = `{"x", "y", "z"}, whole numbers from 1 to ${SIZE_MAX}`

export const sizeArgument = (about: string): ArgumentForm => optional(SIZE, about, { right: SIZE_RIGHT })

/** The space says the bounds, so they are checked when the operation decides. */
export const coordArgument = (about: string): ArgumentForm =>
  optional(tripleFrom(0), about, { right: `{"x", "y", "z"}, whole numbers from 0 to ${SIZE_MAX}` })

/** @throws {TreeosError} INVALID_INPUT */
export function sizeIn(given: Arguments): { size?: Size } {
  const value = given.value('size')
  if (value === undefined || value === null) return {}
  if (isTriple(value, 1)) return { size: value }
  throw given.fault('size', value, SIZE_RIGHT)
}

/**
 * Reads a coord in a space. A coord outside is refused, not moved inside: the record would then hold a place
 * that nobody chose.
 * @throws {TreeosError} INVALID_INPUT naming the value and the bounds
 */
export function coordIn(
  given: Arguments,
  { path, size }: Pick<SpaceRow, 'path' | 'size'>,
): { coord?: Coord } {
  const value = given.value('coord')
  if (value === undefined || value === null) return {}
  if (size === undefined) throw given.fault('coord', value, `none: ${path} has no size`)
  const bounds = AXES.map((axis) => `${axis} from 0 to ${size[axis] - 1}`).join(', ')
  if (isTriple(value, 0) && AXES.every((axis) => value[axis] < size[axis])) return { coord: value }
  throw given.fault('coord', value, `whole numbers within ${path}: ${bounds}`)
}

/** @throws {TreeosError} RESOURCE_CONFLICT naming the first thing, being or space that would lie outside */
export function requireInside(
  path: SpacePath,
  size: Size | null,
  placed: readonly { readonly name: string; readonly coord: Coord | undefined }[],
): void {
  const outside = placed.find(
    ({ coord }) => coord !== undefined && (size === null || AXES.some((axis) => coord[axis] >= size[axis])),
  )
  if (outside === undefined) return
  const wanted = size === null ? 'without a size' : `of size ${quote(size)}`
  throw new TreeosError(
    'RESOURCE_CONFLICT',
    `${path} ${wanted} would leave ${outside.name} outside, which is at ${quote(outside.coord)}`,
  )
}
