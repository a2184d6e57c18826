import { type BeingName, type FactRef, type Json, parseCall, type VerbCall } from '@treeos/core'
import { listFactsOfMoment } from '@treeos/store'
import type { Connection } from './connection.ts'
import { submit } from './submit.ts'
import { OWN_SECONDS, waitForOwnMoment } from './wait-for-end.ts'

/** The result of one act of a person. */
export interface ActResult {
  /** id of the moment that holds the act; null when the act was a SEE */
  readonly act: string | null
  readonly result: Json
  readonly facts: readonly FactRef[]
  /** of a call that waits for a yes, whose it waits for; left out for a call that was done */
  readonly waiting?: Json
}

/**
 * Acts as a person's being: puts the act into the being's inbox, rings it, and waits for its moment to
 * finish.
 * @param key as `key` of a `SummonRequest`
 * @param outside as there
 * @throws {TreeosError} the code of a refusal; TIMEOUT when no worker finished the moment within
 *   `waitSeconds`, 30 unless given
 */
export async function act(
  at: Connection,
  as: BeingName,
  call: VerbCall,
  waitSeconds = OWN_SECONDS,
  key?: string,
  outside = false,
): Promise<ActResult> {
  const { correlation } = await submit(at, as, asRead(call), { answers: null, key, outside })
  const { outcome } = await waitForOwnMoment(at, { as, call, correlation }, waitSeconds)
  const isWaiting = outcome.kind === 'waiting'
  return {
    act: outcome.record.act === null ? null : outcome.moment,
    result: isWaiting ? null : outcome.result,
    facts: await listFactsOfMoment(at.db, outcome.moment),
    ...(isWaiting ? { waiting: outcome.result } : {}),
  }
}

/** A call as its moment reads it, since append compares the two. One that cannot be read fails its moment. */
function asRead(call: VerbCall): VerbCall {
  try {
    return parseCall(call)
  } catch {
    return call
  }
}
