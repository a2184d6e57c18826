import { type Fact, HOLD_LIFTED, HOLD_SET, type ReelId } from '@treeos/core'
import { listFactsOfKinds } from '../ledger/facts.ts'
import type { Db } from '../sql/database.ts'

/** A legal hold that is in force. */
export interface StoredHold {
  readonly reel: ReelId
  readonly name: string
  readonly why: string
  /** who set it */
  readonly by: string
  /** ms since 1970 UTC */
  readonly at: number
}

/** Legal holds that nobody lifted, in the order in which they were set. */
export async function listHolds(db: Db): Promise<StoredHold[]> {
  const holds = new Map<string, StoredHold>()
  for (const fact of await listFactsOfKinds(db, { kinds: [HOLD_SET, HOLD_LIFTED] })) {
    const { name, why } = saidIn(fact)
    const { reel, kind, actor: by, at } = fact.header
    const key = JSON.stringify([reel, name])
    if (kind === HOLD_SET) holds.set(key, { reel, name, why, by, at })
    else holds.delete(key)
  }
  return [...holds.values()]
}

const saidIn = ({ payload }: Fact) => ({ name: String(payload?.name), why: String(payload?.why) })
