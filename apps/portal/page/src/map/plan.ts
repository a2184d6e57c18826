import type { BeingState } from '../parts/index.ts'

/** What a map shows: one space from above. */
export interface Plan {
  readonly path: string
  /** squares from west to east and from north to south; null: nothing in it has a place of its own */
  readonly extent: MapSpot | null
  readonly walls: readonly MapSpot[]
  readonly marks: readonly MapMark[]
}

export interface MapSpot {
  readonly x: number
  readonly y: number
}

export interface Floor {
  readonly width: number
  readonly height: number
  readonly walls: readonly MapSpot[]
}

export interface MapMark {
  /** `being:ada`, `space:/court`, `matter:…` */
  readonly key: string
  readonly spot: MapSpot | null
  /** what a being wore in its last moment, the primary role first */
  readonly roles: readonly string[]
  readonly words: string | null
  readonly isEnded: boolean
  /** what a being is in now, the most important first; left out where the map shows the past */
  readonly states?: readonly BeingState[]
  /** of a space: how many beings are in it; null where that is not known */
  readonly beings: number | null
}

/** A mark with its place in the drawing, in px. */
export interface DrawnMark {
  readonly mark: MapMark
  /** of its middle */
  readonly x: number
  readonly y: number
  /** half of its width and height; a being is round */
  readonly rx: number
  readonly ry: number
}

/** The fields of a row that place it. */
export interface RowPlace {
  readonly coord: MapSpot | null
  readonly spots: Readonly<Record<string, MapSpot | null>>
}

/** The squares of a space: its size, else the first floor that an extension laid there. */
export function groundOf(size: MapSpot | null, floors: Readonly<Record<string, Floor | null>>): FloorPlan {
  const laid = Object.entries(floors)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([namespace, floor]) => (floor === null ? [] : [{ namespace, floor }]))[0]
  const walls = laid?.floor.walls ?? []
  const namespace = laid?.namespace ?? null
  if (size !== null) return { extent: size, walls, namespace }
  return laid === undefined
    ? { extent: null, walls: [], namespace: null }
    : { extent: { x: laid.floor.width, y: laid.floor.height }, walls, namespace }
}

export interface FloorPlan extends Pick<Plan, 'extent' | 'walls'> {
  /** of the floor */
  readonly namespace: string | null
}

/** Where a row is on a ground: by its coord, else by its square on the floor. */
export function spotOn({ extent, namespace }: FloorPlan, { coord, spots }: RowPlace): MapSpot | null {
  const spot = coord ?? (namespace === null ? null : (spots[namespace] ?? null))
  if (spot === null || extent === null) return null
  return spot.x >= 0 && spot.y >= 0 && spot.x < extent.x && spot.y < extent.y ? spot : null
}

export type MarkKind = 'being' | 'space' | 'matter'
export const markKind = ({ key }: Pick<MapMark, 'key'>): MarkKind =>
  key.slice(0, key.indexOf(':')) as MarkKind

/** What people call it: `@ada`, `/court/docket`, the id of a thing. */
export function markName({ key }: Pick<MapMark, 'key'>): string {
  const name = key.slice(key.indexOf(':') + 1)
  return key.startsWith('being:') ? `@${name}` : name
}
