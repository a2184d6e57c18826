import { describeInboxEntry, type InboxView } from '@treeos/client'
import { findEntry, type StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import type { Delivery } from './deliveries.ts'

/** What a try is given. */
export interface DeliveryInput {
  readonly delivery: Delivery
  /** null for the code of an address of e-mail */
  readonly entry: InboxView | null
  readonly signal: AbortSignal
}

/** An entry of an inbox as its person is told of it; null once it is closed. */
export async function describeEntry(db: Kysely<StoreDb>, id: string): Promise<InboxView | null> {
  const entry = await findEntry(db, id)
  return entry === null || entry.closedBy !== null ? null : describeInboxEntry(entry)
}
