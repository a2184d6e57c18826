import { LIMITS, type MomentId, STEP_PREFIXES } from '@treeos/core'
import {
  catalogRowsOf,
  countAsked,
  countChain,
  countOwnWakes,
  countWaitingForYes,
  type Db,
  findEffect,
  findEntry,
  findHeldByOther,
  isOpenWake,
  listHeldFacts,
  measureRoom,
  threadOf,
  whyNotErasable,
} from '@treeos/store'
import { FOLD, type LiveQuestions, type RowSource, type ThreadRow, threadKey } from '@treeos/world'
import { askerOf } from './asker.ts'

/** What the law asks and no reel answers, from the database as it is now. */
export const liveQuestions = (db: Db, moment: MomentId, source: RowSource): LiveQuestions => ({
  entry: (id) => findEntry(db, id),
  asker: (wake) => askerOf(db, wake),
  effect: () => findEffect(db, moment),
  heldCounts: () => listHeldFacts(db, moment),
  thread: (id) => threadOf(db, id),
  cut: (thread) => findThreadCut(source, thread),
  room: (of, sender) => measureRoom(db, of, sender),
  asked: (wake) => countAsked(db, wake),
  isOpen: (question, but) => isOpenWake(db, question, but),
  chain: (root) => countChain(db, root, LIMITS.chainWakesMax),
  continues: (being, wake) => countOwnWakes(db, being, wake, STEP_PREFIXES),
  waiting: (asker, person) => countWaitingForYes(db, asker, person),
  heldByOther: (reels) => findHeldByOther(db, moment, reels),
  whyNotErasable: (fact) => whyNotErasable(db, fact, FOLD),
  catalogs: () => catalogRowsOf(db),
})

/**
 * The cut of a thread; null when it is not cut. It bypasses the reader, since each thread in a basis would
 * need a reel. The append looks again. A cut that is committed at the same time as the act is missed by both;
 * then the wakes that the act sends open no moment.
 */
export async function findThreadCut(source: RowSource, thread: string): Promise<ThreadRow | null> {
  const [row] = await source.rows([threadKey(thread)])
  return (row?.state ?? null) as ThreadRow | null
}
