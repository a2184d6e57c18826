import { setTimeout as sleep } from 'node:timers/promises'
import type { StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import { HeadsOfLog } from './heads.ts'
import { readConsistencyProof, readTreeHead } from './prove.ts'
import { sequence } from './sequence.ts'
import type { Signer, SigningResult } from './signer.ts'

/**
 * Brings the log up to date, and has it signed if it grew.
 * @param ends of the chains, as they were read for the last checkpoint
 * @throws while Postgres is away, and when the log lacks tiles
 */
export async function makeCheckpoint(
  db: Kysely<StoreDb>,
  signer: Signer,
  ends: HeadsOfLog = new HeadsOfLog(signer.reality),
): Promise<SigningResult> {
  const size = await sequence(db)
  const { last } = signer
  if (last !== null && size < last.size) return refusedSigning(signer.refuse(size, 'smaller'), ends)
  const heads = (await ends.at(db, size)).head()
  const head = { ...(await readTreeHead(db, size)), heads }
  const proof = last === null ? [] : await readConsistencyProof(db, last.size, size)
  return refusedSigning(signer.sign(head, proof), ends)
}

/** What was read of a log that is not the signed one must not be signed when that is back. */
function refusedSigning(signed: SigningResult, ends: HeadsOfLog): SigningResult {
  if (signed.status === 'refused') ends.forget()
  return signed
}

export interface CheckpointingOptions {
  readonly seconds: number
  readonly signal: AbortSignal
  readonly onRound: (signed: SigningResult) => void
  readonly onError: (error: unknown) => void
}

/**
 * Makes a checkpoint every few seconds, if anything is new, until it is stopped. The last one is made at the
 * end.
 */
export async function checkpointRepeatedly(
  db: Kysely<StoreDb>,
  signer: Signer,
  { seconds, signal, onRound, onError }: CheckpointingOptions,
): Promise<void> {
  const ends = new HeadsOfLog(signer.reality)
  for (let isLast = false; ; ) {
    try {
      onRound(await makeCheckpoint(db, signer, ends))
    } catch (error) {
      ends.forget()
      onError(error)
    }
    if (isLast) return
    await sleep(1000 * seconds, undefined, { signal }).catch(() => undefined)
    isLast = signal.aborted
  }
}
