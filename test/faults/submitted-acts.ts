/** Submits acts as a client does: by a row, then by a doorbell that may be lost. */
import type { Client } from '@temporalio/client'
import { ringBeing } from '@treeos/client'
import {
  actWakeId,
  type BeingName,
  type Json,
  type JsonObject,
  PRIORITIES,
  parseCall,
  taskQueueOf,
  type VerbCall,
} from '@treeos/core'
import { enqueue, type Reality, type StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import { patiently } from './patiently.ts'

const RING_MS_MAX = 2000

/** Inserts the row of an act. Retries, since its id makes it idempotent. */
export function putAct(db: Kysely<StoreDb>, being: BeingName, id: string, call: VerbCall): Promise<boolean> {
  return patiently(() =>
    enqueue(db, 'act', {
      id: actWakeId(id),
      being,
      kind: 'act',
      priority: PRIORITIES.human,
      caller: null,
      content: { call: parseCall(call) as unknown as JsonObject, answers: null } as Json,
      root: id,
      inReplyTo: null,
      askedRole: null,
      hops: 0,
      continues: 0,
      cause: null,
    }),
  )
}

/** @returns false when the ring was lost; the sweep must make up for it */
export async function ring(
  { temporal, reality: { name } }: { readonly temporal: Client; readonly reality: Reality },
  being: BeingName,
): Promise<boolean> {
  const at = { reality: name, taskQueue: taskQueueOf(name) }
  try {
    await temporal.connection.withDeadline(Date.now() + RING_MS_MAX, () => ringBeing(temporal, at, being))
    return true
  } catch {
    return false
  }
}
