import { type Fact, isJsonObject, type Json, type JsonObject, parentPath } from '@treeos/core'

/** Where something is in its space; a coord may have a z, which maps from above leave out. */
export interface Spot {
  readonly x: number
  readonly y: number
}

/** Squares that an extension lays in a space, such as a dance floor. */
export interface Floor {
  readonly width: number
  readonly height: number
  readonly walls: readonly Spot[]
}

/**
 * What of a space, a being or a thing has to do with where it is. Fields that are left out did not change.
 */
export interface PlaceChange {
  /** `being:ada`, `space:/court`, `matter:…` */
  readonly key: string
  /** path of the space that it is in, or stance of the being that holds it; null: it is in no place */
  readonly place?: string | null
  readonly coord?: Spot | null
  readonly size?: Spot | null
  /** by namespace of the extension */
  readonly floors?: Readonly<Record<string, Floor | null>>
  readonly spots?: Readonly<Record<string, Spot | null>>
  readonly isEnded?: true
}

/** Kinds of facts that place something. */
export const PLACING_KINDS = [
  'being:born',
  'being:moved',
  'being:ended',
  'space:created',
  'space:resized',
  'matter:created',
  'matter:moved',
  'matter:ended',
  'quality:set',
] as const

/**
 * What a fact changes of where things are; null when it changes nothing of that, or its payload was erased.
 */
export function placingOf({ header: { kind, reel }, payload }: Fact): PlaceChange | null {
  if (payload === null) return null
  const coord = spotIn(payload.coord)
  switch (kind) {
    case 'being:born':
      return { key: reel, place: textIn(payload.home), coord, ...squaresIn(payload.qualities) }
    case 'being:moved':
    case 'matter:moved':
      return { key: reel, place: textIn(payload.to), coord }
    case 'being:ended':
      return { key: reel, isEnded: true }
    case 'matter:created':
      return { key: reel, place: textIn(payload.place), coord }
    case 'matter:ended':
      return { key: reel, place: null }
    case 'space:created':
      return {
        key: reel,
        place: parentPath(String(payload.path)),
        size: spotIn(payload.size),
        coord,
        ...squaresIn(payload.qualities),
      }
    case 'space:resized':
      return { key: reel, size: spotIn(payload.size) }
    case 'quality:set': {
      const squares = squaresSet(payload)
      return Object.keys(squares).length === 0 ? null : { key: reel, ...squares }
    }
    default:
      return null
  }
}

/**
 * Squares in the qualities of a row: `NAMESPACE.floor` of a space is `{width, height, walls}`, and
 * `NAMESPACE.position` of a being is its square on the floor of the same namespace.
 */
export function squaresIn(qualities: Json | undefined): Pick<PlaceChange, 'floors' | 'spots'> {
  if (!isJsonObject(qualities)) return {}
  const floors: Record<string, Floor> = {}
  const spots: Record<string, Spot> = {}
  for (const [namespace, value] of Object.entries(qualities)) {
    const floor = isJsonObject(value) ? floorIn(value.floor) : null
    const spot = isJsonObject(value) ? spotIn(value.position) : null
    if (floor !== null) floors[namespace] = floor
    if (spot !== null) spots[namespace] = spot
  }
  return {
    ...(Object.keys(floors).length === 0 ? {} : { floors }),
    ...(Object.keys(spots).length === 0 ? {} : { spots }),
  }
}

/**
 * The same of one change. A value that replaces the namespace, or the square itself, also takes away what was
 * there.
 */
function squaresSet({ path, value, merge }: JsonObject): Pick<PlaceChange, 'floors' | 'spots'> {
  const [namespace, field, ...deeper] = Array.isArray(path) ? path.map(String) : []
  if (namespace === undefined || deeper.length > 0) return {}
  if (field === 'floor') return { floors: { [namespace]: floorIn(value) } }
  if (field === 'position') return { spots: { [namespace]: spotIn(value) } }
  if (field !== undefined) return {}
  const set = squaresIn({ [namespace]: value ?? null })
  if (merge !== false && isJsonObject(value)) return set
  return { floors: { [namespace]: null, ...set.floors }, spots: { [namespace]: null, ...set.spots } }
}

function spotIn(value: Json | undefined): Spot | null {
  if (!isJsonObject(value)) return null
  const { x, y } = value
  return Number.isInteger(x) && Number.isInteger(y) ? { x: Number(x), y: Number(y) } : null
}

const SIDE_MAX = 10_000
const WALLS_MAX = 1000

function floorIn(value: Json | undefined): Floor | null {
  if (!isJsonObject(value)) return null
  const { width, height, walls } = value
  if (!isSide(width) || !isSide(height)) return null
  const squares = Array.isArray(walls) ? walls.slice(0, WALLS_MAX).flatMap((wall) => spotIn(wall) ?? []) : []
  return { width, height, walls: squares }
}

const isSide = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= SIDE_MAX
const textIn = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null)
