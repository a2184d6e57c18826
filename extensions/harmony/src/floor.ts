import { type BeingRow, type SpaceRow, TreeosError, type WorldReader } from '@treeos/sdk'
import { z } from 'zod'

export const SIDE_MAX = 100
export const square = z.tuple([z.number().int().min(0).max(SIDE_MAX), z.number().int().min(0).max(SIDE_MAX)])

/** Column and row of a square, from 0 at the north-west. */
export type Square = readonly [x: number, y: number]

export const DIRECTIONS = ['north', 'east', 'south', 'west'] as const
export type Direction = (typeof DIRECTIONS)[number]
const STEPS: Readonly<Record<Direction, Square>> = {
  north: [0, -1],
  east: [1, 0],
  south: [0, 1],
  west: [-1, 0],
}

/** A floor as one dancer sees it. */
export interface Floor {
  readonly grid: { readonly width: number; readonly height: number }
  readonly walls: readonly Square[]
  readonly position: Square | null
  /** the other dancers on the floor, sorted by name */
  readonly neighbors: readonly { readonly being: string; readonly at: Square }[]
  /** directions of a step that stays on the floor and hits no wall and no dancer */
  readonly legalMoves: readonly Direction[]
}

const isSame = (a: Square, b: Square): boolean => a[0] === b[0] && a[1] === b[1]
export const after = ([x, y]: Square, direction: Direction): Square => [
  x + STEPS[direction][0],
  y + STEPS[direction][1],
]

/** Whether a square is on the floor and holds no wall and no dancer. */
export function isFree(
  { grid, walls, neighbors }: Omit<Floor, 'legalMoves' | 'position'>,
  square: Square,
): boolean {
  const [x, y] = square
  const isInside = x >= 0 && y >= 0 && x < grid.width && y < grid.height
  return isInside && ![...walls, ...neighbors.map(({ at }) => at)].some((taken) => isSame(taken, square))
}

/**
 * Reads the floor of a being's space. It reads the place of every dancer, so the commit refuses two steps at once onto one square.
 * @throws {TreeosError} INVALID_INPUT if the space has no floor
 */
export async function floorOf(me: BeingRow, world: WorldReader): Promise<Floor> {
  const grid = gridOf(await world.space(me.space))
  if (grid === null)
    throw new TreeosError('INVALID_INPUT', `no floor is laid in ${me.space}: harmony:lay-floor lays one`)
  const names = (await world.occupants(me.space)).filter((name) => name !== me.name)
  const neighbors: { being: string; at: Square }[] = []
  for (const name of names) {
    const at = placeOf(await world.being(name))
    if (at !== null) neighbors.push({ being: `@${name}`, at })
  }
  const position = placeOf(me)
  const floor = { ...grid, neighbors }
  const legalMoves = DIRECTIONS.filter((way) => position !== null && isFree(floor, after(position, way)))
  return { ...floor, position, legalMoves }
}

/** Qualities can be set by hand to anything, so a malformed floor or square counts as absent. */
const laid = z.object({ floor: z.object({ width: z.number(), height: z.number(), walls: z.array(square) }) })
const placed = z.object({ position: square })

function gridOf(space: SpaceRow | null): Pick<Floor, 'grid' | 'walls'> | null {
  const { data } = laid.safeParse(space?.qualities.harmony)
  if (data === undefined) return null
  const { width, height, walls } = data.floor
  return { grid: { width, height }, walls }
}

const placeOf = (being: BeingRow | null): Square | null =>
  placed.safeParse(being?.qualities.harmony).data?.position ?? null
