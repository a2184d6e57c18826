import { randomUUID } from 'node:crypto'
import { type BeingName, type FactDraft, quote, TreeosError } from '@treeos/core'
import { appendSystemFacts, listRowsOf, type OpenReality, readerOf } from '@treeos/reality'
import { findReality, REALITY_FORKED, refoldAll, type StoreDb } from '@treeos/store'
import { FOLD, releasedFact } from '@treeos/world'
import type { Kysely } from 'kysely'
import { type CopiedRecord, copyRecord } from './copy.ts'
import { cutAt } from './cut.ts'

export interface ForkRequest {
  /** of the new reality */
  readonly name: string
  readonly being: BeingName
  /** number of the last moment that both share */
  readonly n: number
}

export interface ForkedReality extends CopiedRecord {
  /** the last entry of the journal that both share */
  readonly entry: number
}

/**
 * Makes a reality that shares the record of another up to the end of one moment. What both share has the same
 * hashes in both. The first fact of its own says which reality and which moment it came from.
 * @param origin opened with `asOwner`
 * @param target a migrated database without a reality, opened with `asOwner` as a superuser
 * @throws {TreeosError} MOMENT_NOT_FOUND; RESOURCE_CONFLICT for the name of the origin
 */
export async function forkReality(
  origin: Kysely<StoreDb>,
  target: Kysely<StoreDb>,
  { name, being, n }: ForkRequest,
): Promise<ForkedReality> {
  const from = await findReality(origin)
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
  const { timeZone } = reality
  const forked: FactDraft = {
    ...REALITY_FORKED,
    payload: { name, timeZone, id: randomUUID(), origin: from.name, being, n, moment, entry },
  }
  const at = { db: target, reality }
  if (!(await appendSystemFacts(at, [forked, ...(await released(at))], readerOf(at))))
    throw new Error('the new reality was written by somebody else while it was made')
  return { ...copied, entry }
}

/** The end of every lease: whoever drove a being there does not do so here. */
async function released(at: OpenReality): Promise<FactDraft[]> {
  return (await listRowsOf(at.db, 'being:')).flatMap(({ row: { name, inhabited } }) =>
    inhabited?.by == null
      ? []
      : [releasedFact(name, { by: inhabited.by, epoch: inhabited.epoch }, 'released')],
  )
}
