import { randomUUID } from 'node:crypto'
import { type ChainDb, type Copied, copyRecord, cutAt, readReality, refoldAll } from '@treeos/chain'
import { type BeingName, type FactDraft, quote, type ReelId, TreeosError } from '@treeos/core'
import { FOLD } from '@treeos/world'
import type { Kysely } from 'kysely'
import { readerOf } from './open-reality.ts'
import { appendSystemFacts } from './system-facts.ts'

/** The reel on which a fork says where it came from. Its origin has none. */
const REEL: ReelId = 'reality'
const KIND = 'reality:forked'

export interface ForkRequest {
  /** of the new reality */
  readonly name: string
  readonly being: BeingName
  /** number of the last moment that both share */
  readonly n: number
}

export interface Forked extends Copied {
  /** the last entry of the journal that both share */
  readonly entry: number
}

/**
 * Makes a reality that shares the record of another up to the end of one moment. What both share has the same hashes in both. The
 * first fact of its own says which reality and which moment it came from.
 * @param origin opened with `asOwner`
 * @param target a migrated database without a reality, opened with `asOwner` as a superuser
 * @throws {TreeosError} MOMENT_NOT_FOUND; RESOURCE_CONFLICT for the name of the origin
 */
export async function forkReality(
  origin: Kysely<ChainDb>,
  target: Kysely<ChainDb>,
  { name, being, n }: ForkRequest,
): Promise<Forked> {
  const from = await readReality(origin)
  if (from === null) throw new Error('the database of the origin holds no reality')
  if (from.name === name)
    throw new TreeosError(
      'RESOURCE_CONFLICT',
      `${quote(name)} is the name of the origin; a fork takes another`,
    )
  const cut = await cutAt(origin, being, n)
  const reality = { ...from, name }
  const copied = await copyRecord(origin, target, cut, reality)
  await refoldAll(target, FOLD)
  const { moment, entry } = cut
  const forked: FactDraft = {
    reel: REEL,
    kind: KIND,
    payload: { name, id: randomUUID(), origin: from.name, being, n, moment, entry },
  }
  const at = { db: target, reality }
  if (!(await appendSystemFacts(at, [forked], readerOf(at))))
    throw new Error('the new reality was written by somebody else while it was made')
  return { ...copied, entry }
}
