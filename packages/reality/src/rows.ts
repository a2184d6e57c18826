import type { BeingName } from '@treeos/core'
import { type Db, listRows, listScheduling, readRows } from '@treeos/store'
import {
  type BeingRow,
  beingKey,
  type MatterRow,
  type RoleRow,
  type SpaceRow,
  type WorldRow,
} from '@treeos/world'
import type { OpenReality } from './open-reality.ts'

/** Row types by kind. The kind is the prefix of a row's key. */
interface RowKinds {
  readonly 'being:': BeingRow
  readonly 'space:': SpaceRow
  readonly 'world:': WorldRow
  readonly 'role:': RoleRow
  readonly 'matter:': MatterRow
}

/** All rows of one kind, sorted by key. A list reads no heads, so a moment must not use it. */
export async function listRowsOf<Kind extends keyof RowKinds>(
  db: Db,
  kind: Kind,
): Promise<{ readonly key: string; readonly row: RowKinds[Kind] }[]> {
  const rows = await listRows(db, kind)
  return rows.map(({ key, state }) => ({ key, row: state as unknown as RowKinds[Kind] }))
}

/** The row of a being, for whoever stands outside of a moment; null for none. */
export async function findBeing({ db, reality }: OpenReality, being: BeingName): Promise<BeingRow | null> {
  const [row] = await readRows(db, reality.id, [beingKey(being)])
  return (row?.state ?? null) as unknown as BeingRow | null
}

/** Beings that may have a schedule. The index matches on the text of a row, so some of them have none. */
export async function listSchedulingBeings(db: Db): Promise<BeingRow[]> {
  return (await listScheduling(db)) as unknown as BeingRow[]
}
