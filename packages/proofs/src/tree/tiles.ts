import { HASH_BYTES, nodeHash } from './hash.ts'
import type { NodeReader } from './proofs.ts'

/** Levels of the tree in one tile, as in C2SP tlog-tiles: a full tile holds 256 hashes. */
const HEIGHT = 8
const WIDTH = 2 ** HEIGHT

/** Up to 256 hashes that stand side by side at the level `HEIGHT * level` of the tree. */
export interface Tile {
  readonly level: number
  readonly index: number
  /** one after the other; fewer than 256 at the right end of a level */
  readonly hashes: Buffer
}

export type TileAddress = Pick<Tile, 'level' | 'index'>

const tileKey = ({ level, index }: TileAddress): string => `${level}/${index}`

/**
 * The tiles at the right end of each level, that leaves after the first `size` extend. Full ones are left
 * out.
 */
export function openTiles(size: number): TileAddress[] {
  const open: TileAddress[] = []
  for (let [level, count] = [0, size]; count > 0; level += 1, count = Math.floor(count / WIDTH))
    if (count % WIDTH > 0) open.push({ level, index: Math.floor(count / WIDTH) })
  return open
}

/**
 * The tiles that new leaves make or extend.
 * @param open what is stored of `openTiles(size)`
 * @throws {Error} when one of these is missing, or has another number of hashes than a tree of this size
 */
export function extendTiles(size: number, leaves: readonly Buffer[], open: readonly Tile[]): Tile[] {
  const stored = new Map(open.map((tile) => [tileKey(tile), tile.hashes]))
  const made: Tile[] = []
  let [level, count, added] = [0, size, leaves]
  while (added.length > 0) {
    const above: Buffer[] = []
    for (let at = 0; at < added.length; ) {
      const index = Math.floor((count + at) / WIDTH)
      const width = (count + at) % WIDTH
      const known = width === 0 ? Buffer.alloc(0) : stored.get(tileKey({ level, index }))
      if (known?.length !== width * HASH_BYTES)
        throw new Error(`tile ${level}/${index} of the log should hold ${width} hashes`)
      const taken = added.slice(at, at + WIDTH - width)
      const hashes = Buffer.concat([known, ...taken])
      made.push({ level, index, hashes })
      if (hashes.length === WIDTH * HASH_BYTES) above.push(topOf(hashes))
      at += taken.length
    }
    ;[level, count, added] = [level + 1, Math.floor(count / WIDTH), above]
  }
  return made
}

/** The root over a power of two of hashes. */
function topOf(hashes: Buffer): Buffer {
  if (hashes.length === HASH_BYTES) return hashes
  const half = hashes.length / 2
  return nodeHash(topOf(hashes.subarray(0, half)), topOf(hashes.subarray(half)))
}

/** Where a node of the tree stands. */
function tilePlace(
  level: number,
  index: number,
): TileAddress & { readonly from: number; readonly to: number } {
  const inTile = level % HEIGHT
  const first = index * 2 ** inTile
  const from = (first % WIDTH) * HASH_BYTES
  return {
    level: (level - inTile) / HEIGHT,
    index: Math.floor(first / WIDTH),
    from,
    to: from + 2 ** inTile * HASH_BYTES,
  }
}

/** Runs `read` over a tree of which nothing is known, to tell which tiles it needs. */
export function tilesFor(read: (node: NodeReader) => unknown): TileAddress[] {
  const wanted = new Map<string, TileAddress>()
  const nothing = Buffer.alloc(HASH_BYTES)
  read((level, index) => {
    const { level: tileLevel, index: tileIndex } = tilePlace(level, index)
    const tile = { level: tileLevel, index: tileIndex }
    wanted.set(tileKey(tile), tile)
    return nothing
  })
  return [...wanted.values()]
}

/** @returns a reader that throws an Error for a node that the tiles do not hold */
export function readerOf(tiles: readonly Tile[]): NodeReader {
  const known = new Map(tiles.map((tile) => [tileKey(tile), tile.hashes]))
  return (level, index) => {
    const { from, to, ...tile } = tilePlace(level, index)
    const hashes = known.get(tileKey(tile))
    if (hashes === undefined || hashes.length < to)
      throw new Error(`tile ${tileKey(tile)} of the log lacks node ${index} of level ${level}`)
    return topOf(hashes.subarray(from, to))
  }
}
