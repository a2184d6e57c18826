import { setTimeout as sleep } from 'node:timers/promises'
import type { StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import { readConsistencyProof, readTreeHead } from './prove.ts'
import { sequence } from './sequence.ts'
import type { Signed, Signer } from './signer.ts'

/** Brings the log up to date, and has it signed if it grew. @throws while Postgres is away, and when the log lacks tiles */
export async function makeCheckpoint(
  db: Kysely<StoreDb>,
  signer: Signer,
  signal?: AbortSignal,
): Promise<Signed> {
  const size = await sequence(db, signal)
  const { last } = signer
  if (last !== null && size < last.size) return signer.refuse(size, 'smaller')
  const head = await readTreeHead(db, size)
  return signer.sign(head, last === null ? [] : await readConsistencyProof(db, last.size, size))
}

export interface CheckpointingOptions {
  readonly seconds: number
  readonly signal: AbortSignal
  readonly onRound: (signed: Signed) => void
  readonly onError: (error: unknown) => void
}

/** Makes a checkpoint every few seconds, if anything is new, until it is stopped. The last one is made at the end. */
export async function checkpointRepeatedly(
  db: Kysely<StoreDb>,
  signer: Signer,
  { seconds, signal, onRound, onError }: CheckpointingOptions,
): Promise<void> {
  for (let isLast = false; ; ) {
    try {
      onRound(await makeCheckpoint(db, signer))
    } catch (error) {
      onError(error)
    }
    if (isLast) return
    await sleep(1000 * seconds, undefined, { signal }).catch(() => undefined)
    isLast = signal.aborted
  }
}
