import type { Db } from '@treeos/store'
import { sql } from 'kysely'
import { openTiles, type Tile, type TileAddress } from '../tree/tiles.ts'

/** The stored ones of these tiles. */
export async function readTiles(db: Db, wanted: readonly TileAddress[]): Promise<Tile[]> {
  const levels = wanted.map(({ level }) => level)
  const indexes = wanted.map(({ index }) => index)
  const { rows } = await sql<Tile>`
    select t.level, t.index, t.hashes
    from unnest(${levels}::smallint[], ${indexes}::bigint[]) as w (level, index)
    join treeos.log_tile t on t.level = w.level and t.index = w.index`.execute(db)
  return rows
}

/** The hashes of one tile; null for one that is not stored. */
export const readTile = async (db: Db, wanted: TileAddress): Promise<Buffer | null> =>
  (await readTiles(db, [wanted]))[0]?.hashes ?? null

export const readOpenTiles = (db: Db, size: number): Promise<Tile[]> => readTiles(db, openTiles(size))

export async function writeTiles(tx: Db, tiles: readonly Tile[]): Promise<void> {
  for (let at = 0; at < tiles.length; at += PAGE)
    await tx
      .insertInto('log_tile')
      .values(tiles.slice(at, at + PAGE).map(({ level, index, hashes }) => ({ level, index, hashes })))
      .onConflict((conflict) =>
        conflict
          .columns(['level', 'index'])
          .doUpdateSet((excluded) => ({ hashes: excluded.ref('excluded.hashes') })),
      )
      .execute()
}

/** Tiles of 8 KiB that one statement writes. */
const PAGE = 100
