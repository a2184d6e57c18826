import type { Digest, Json } from '@treeos/core'
import type { Program, RoleSpec } from '@treeos/roles'
import { type Db, readBlob, readBlobCached } from '@treeos/store'
import type { Face } from '@treeos/world'

// These casts are safe: a digest always names the same bytes, and only this type was stored under it.

export const readProgram = async (db: Db, digest: Digest): Promise<Program | null> =>
  (await readBlob(db, digest)) as unknown as Program | null

export const readFace = async (db: Db, digest: Digest): Promise<Face | null> =>
  (await readBlob(db, digest)) as unknown as Face | null

export const readSpec = async (db: Db, digest: Digest): Promise<RoleSpec | null> =>
  specFrom(await readBlobCached(db, digest))

/** A role spec as a row source returns it. */
export const specFrom = (blob: Json | null): RoleSpec | null => blob as unknown as RoleSpec | null
