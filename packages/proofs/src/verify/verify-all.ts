import { inSnapshot, type RowFolder, readErasures, type StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import { faultsOfActs, faultsOfBlobs, faultsOfSpeech, faultsOfSummons } from './stored-contents.ts'
import { faultsOfLives, faultsOfMomentless, faultsOfNobody, faultsOfReality } from './stored-lives.ts'
import { faultsOfMoments, type MomentFault } from './stored-moments.ts'
import { FoldedRows } from './stored-rows.ts'
import { StoredSends } from './stored-sends.ts'
import { StoredSignings } from './stored-signings.ts'
import { faultsOfTables } from './tables.ts'
import { type ChainsVerified, sorted } from './verdict.ts'
import { type VerifyOptions, walkChains } from './verify-chains.ts'

export interface AllVerified extends ChainsVerified {
  /** in words, which acts of persons that had a passkey none shows */
  readonly unsigned: readonly string[]
  /** in words, what of what moments sent could not be compared */
  readonly unchecked: readonly string[]
}

/**
 * Checks every chain as `verifyChains` does, and in the same snapshot all that is stored beside them and
 * derived from them: rows, watches, limits and leases against the facts; what moments opened with, decided,
 * asked of the outside and wrote against their records; what moments sent against inboxes; acts of persons
 * against their passkeys; lives against moments, summons against what their senders said and the other way
 * round, acts of persons against the logins that may act for persons, contents against their digests, and
 * functions, triggers and rights against those that this version ships. Of a chain that is broken only the
 * first fault is reported.
 * @param fold how facts become rows
 */
export function verifyAll<Row>(
  db: Kysely<StoreDb>,
  reality: string,
  fold: RowFolder<Row>,
  options: VerifyOptions = {},
): Promise<AllVerified> {
  return inSnapshot(db, async (tx, copy) => {
    const erasures = await readErasures(tx)
    const rows = new FoldedRows(fold, erasures)
    const sends = new StoredSends(erasures)
    const signings = new StoredSignings(reality)
    const moments: MomentFault[] = []
    const chains = await walkChains(tx, copy, reality, options, {
      fact: (fact) => {
        rows.take(fact)
        signings.take(fact)
      },
      records: async (batch) =>
        void moments.push(
          ...(await faultsOfMoments(tx, batch, erasures)),
          ...(await sends.faultsOf(tx, batch)),
          ...(await signings.faultsOf(tx, batch)),
        ),
    })
    // What hangs on a broken chain differs for that reason alone.
    const isBroken = new Set(chains.broken.map(({ reel }) => reel))
    const hanging = [
      ...(await rows.compare(tx)),
      ...(await faultsOfMomentless(tx)),
      ...(await faultsOfLives(tx)),
      ...(await faultsOfSpeech(tx)),
    ]
    const others = [
      ...hanging.filter(({ reel }) => !isBroken.has(reel)),
      ...moments
        .filter(({ on }) => !on.some((reel) => isBroken.has(reel)))
        .map(({ on: _, ...fault }) => fault),
      ...(await faultsOfTables(tx)),
      ...(await faultsOfNobody(tx)),
      ...(await faultsOfReality(tx)),
      ...(await faultsOfSummons(tx)),
      ...(await sends.faultsOfInboxes(tx)),
      ...(await faultsOfActs(tx)),
      ...(await faultsOfBlobs(tx)),
    ]
    return {
      ...chains,
      ok: chains.ok && others.length === 0,
      broken: sorted([...chains.broken, ...others]),
      unsigned: signings.unsigned,
      unchecked: sends.unchecked,
    }
  })
}
