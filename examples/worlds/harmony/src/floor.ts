import { type BeingRow, type SpaceRow, TreeosError, type WorldReader } from '@treeos/sdk'
import { z } from 'zod'

export const SIDE_MAX = 100
const coordinate = z
  .number()
  .int()
  .min(0)
  .max(SIDE_MAX - 1)
/** Column and row of a square, from 0 at the north-west. */
export const square = z.object({ x: coordinate, y: coordinate })
export type Square = Readonly<z.infer<typeof square>>

/** The eight neighbouring squares, clockwise, as [columns to the east, rows to the south]. */
const STEPS = {
  N: [0, -1],
  NE: [1, -1],
  E: [1, 0],
  SE: [1, 1],
  S: [0, 1],
  SW: [-1, 1],
  W: [-1, 0],
  NW: [-1, -1],
} as const
export type Direction = keyof typeof STEPS
const DIRECTIONS = Object.keys(STEPS) as readonly Direction[]

export const MOVES = ['STAY', 'N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'] as const
export type Move = (typeof MOVES)[number]

/** A floor as it is laid in a space. */
export interface Floor {
  readonly grid: { readonly w: number; readonly h: number }
  readonly walls: readonly Square[]
}

/** What a dancer sees around itself. */
export interface Surroundings {
  /** null for a being that is not on the floor; then all lists are empty */
  readonly position: Square | null
  readonly grid: Floor['grid']
  /** by direction: `empty`, `wall`, or the stances of the dancers there */
  readonly neighbors: Readonly<Partial<Record<Direction, string>>>
  /** directions in which a wall or the edge of the floor stops a step */
  readonly walls: readonly Direction[]
  /** the moves that `harmony:step` accepts */
  readonly legalMoves: readonly Move[]
}

/** Squares of the other dancers, by stance. */
export type OtherDancers = Readonly<Record<string, Square>>

const isSameSquare = (a: Square, b: Square): boolean => a.x === b.x && a.y === b.y
export function after({ x, y }: Square, move: Move): Square {
  const [east, south] = move === 'STAY' ? [0, 0] : STEPS[move]
  return { x: x + east, y: y + south }
}

/** Who of the others holds a square; null for a square that is empty. */
export const takenBy = (at: Square, others: OtherDancers): string | null =>
  Object.keys(others).find((name) => isSameSquare(others[name] as Square, at)) ?? null

/**
 * Whether a square lies on the floor and is not a wall. Dancers are no obstacles here: on one beat all of them
 * move, and a square may be empty by then.
 */
export function isOpen({ grid, walls }: Floor, at: Square): boolean {
  const isInside = at.x >= 0 && at.y >= 0 && at.x < grid.w && at.y < grid.h
  return isInside && !walls.some((wall) => isSameSquare(wall, at))
}

/** The moves from a square that stay on the floor and hit no wall. */
export const legalMoves = (floor: Floor, from: Square): Move[] =>
  MOVES.filter((move) => isOpen(floor, after(from, move)))

/** What lies around a square. */
export function surroundings(floor: Floor, position: Square | null, others: OtherDancers): Surroundings {
  const { grid } = floor
  if (position === null) return { position, grid, neighbors: {}, walls: [], legalMoves: [] }
  const isWall = (way: Direction) => !isOpen(floor, after(position, way))
  const found = (way: Direction) => {
    if (isWall(way)) return 'wall'
    const there = Object.keys(others).filter((name) =>
      isSameSquare(others[name] as Square, after(position, way)),
    )
    return there.length === 0 ? 'empty' : there.join(' ')
  }
  return {
    position,
    grid,
    neighbors: Object.fromEntries(DIRECTIONS.map((way) => [way, found(way)])),
    walls: DIRECTIONS.filter(isWall),
    legalMoves: legalMoves(floor, position),
  }
}

/**
 * The floor of a being's space.
 * @throws {TreeosError} INVALID_INPUT if the space has no floor
 */
export async function floorOf(me: BeingRow, world: WorldReader): Promise<Floor> {
  const floor = laidIn(await world.space(me.space))
  if (floor === null)
    throw new TreeosError('INVALID_INPUT', `no floor is laid in ${me.space}: harmony:lay-floor lays one`)
  return floor
}

/** The other dancers in a being's space, sorted by name. */
export async function othersOf(me: BeingRow, world: WorldReader): Promise<OtherDancers> {
  const others: Record<string, Square> = {}
  for (const name of await world.occupants(me.space)) {
    const at = name === me.name ? null : positionOf(await world.being(name))
    if (at !== null) others[`@${name}`] = at
  }
  return others
}

/** Qualities can be set by hand to anything, so a malformed floor or square counts as absent. */
const laid = z.object({ floor: z.object({ width: z.number(), height: z.number(), walls: z.array(square) }) })
const placed = z.object({ position: square })

function laidIn(space: SpaceRow | null): Floor | null {
  const { data } = laid.safeParse(space?.qualities.harmony)
  if (data === undefined) return null
  const { width, height, walls } = data.floor
  return { grid: { w: width, h: height }, walls }
}

export const positionOf = (being: Pick<BeingRow, 'qualities'> | null): Square | null =>
  placed.safeParse(being?.qualities.harmony).data?.position ?? null
