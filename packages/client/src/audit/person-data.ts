import { type BeingName, type Json, stanceOf } from '@treeos/core'
import { type Db, listPersonItems, type PersonItem } from '@treeos/store'

/** A fact or a moment that concerns a person. */
export interface PersonDataItem {
  readonly kind: 'fact' | 'moment'
  /** as `treeos erase` takes it: REEL#SEQ, or the id of a moment */
  readonly id: string
  /** the kind of a fact, or the outcome of a moment */
  readonly what: string
  /** stance of who did or lived it */
  readonly by: string
  /** ISO 8601, UTC */
  readonly at: string
  /** what is there: `kept`, `gone` (erased, or there was nothing), or `lasting`, which can never be erased */
  readonly state: 'kept' | 'gone' | 'lasting'
  /** the legal hold that it is under, as `"NAME" on ADDRESS`; left out without one */
  readonly hold?: string
  /** what a fact says, or what a moment decided and did outside; left out where it was not asked for */
  readonly content?: Json
}

/** One page of what is kept of a person. */
export interface PersonDataPage {
  readonly items: readonly PersonDataItem[]
  /** index of the first item of the next page; null on the last page */
  readonly next: number | null
}

/**
 * All that is kept of a person, over all beings, oldest first: what they said and did, what was said to them,
 * and each moment that they lived, drove or woke, or that came of a thread of theirs.
 */
export async function personData(
  db: Db,
  asked: {
    readonly person: BeingName
    readonly skip: number
    readonly limit: number
    /** with what each says */
    readonly contents: boolean
  },
): Promise<PersonDataPage> {
  const { person, skip, limit, contents } = asked
  const found = await listPersonItems(db, { person, skip, limit: limit + 1 })
  const items = found.slice(0, limit).map((item) => viewOf(item, contents))
  return { items, next: found.length > limit ? skip + limit : null }
}

function viewOf(item: PersonItem, contents: boolean): PersonDataItem {
  const { kind, what, by, at, isGone, hold, content } = item
  const isLasting = item.kind === 'fact' && item.isLasting
  return {
    kind,
    id: item.kind === 'fact' ? `${item.reel}#${item.seq}` : item.moment,
    what,
    by: by.startsWith('$') ? by : stanceOf(by),
    at: new Date(at).toISOString(),
    state: isGone ? 'gone' : isLasting ? 'lasting' : 'kept',
    ...(hold === null ? {} : { hold }),
    ...(contents ? { content } : {}),
  }
}
