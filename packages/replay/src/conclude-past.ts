import type { BeingName, Json, VerbCall } from '@treeos/core'
import { contentHeard, liveQuestions } from '@treeos/reality'
import { type Db, digestOf, type WholeOpen } from '@treeos/store'
import {
  type Conclusion,
  concludeCall,
  type LawOver,
  type LiveQuestions,
  pastLive,
  type Registry,
  type RowSource,
  type WorldReader,
  type WornSurface,
} from '@treeos/world'
import type { RecomputedMoment } from './recompute.ts'

/** A recorded moment whose call is asked about again. */
export interface PastCall {
  readonly being: BeingName
  readonly open: WholeOpen
  /** of the wake */
  readonly content: Json
  readonly call: VerbCall
}

/** What a call of a past moment comes to. */
export interface PastConclusion {
  /** null where the error of a read that failed may come of what is unsure */
  readonly conclusion: Conclusion | null
  /** it depends on a face that was dropped, which no record holds any more */
  readonly isUnsure: boolean
  /** it read a thread as that is now: what it was at that time is in no reel */
  readonly isOfThread: boolean
}

/** Of a moment that was recomputed: what it wore. Null for one that wore nothing. */
export const wornIn = ({ stack, seen, role }: RecomputedMoment): WornSurface | null =>
  stack === null || seen.face === null || role === null ? null : { stack, surface: seen.face.surface, role }

/**
 * Asks the law what a call of a past moment comes to. What changes with time and no record keeps counts as it
 * was for the call to pass: nothing is cut or closed, and there is room. How the being went on is not asked.
 */
export async function concludePast(
  { db, registry }: { readonly db: Db; readonly registry: Registry },
  { being, open, content, call }: PastCall,
  { worn, seen }: { readonly worn: WornSurface; readonly seen: RecomputedMoment['seen'] },
  { reader, asksDryRun }: { readonly reader: WorldReader; readonly asksDryRun: boolean },
): Promise<PastConclusion> {
  const moment = { being, open, content: contentHeard(open, seen.face, content), worn }
  const asked = { isUnsure: false, isOfThread: false }
  const live = pastQuestions(db, open.moment, asked)
  const over = { reader, live, registry, digest: digestOf, asksDryRun, goesOn: false } as const
  try {
    return { conclusion: await concludeCall(moment, call, over), ...asked }
  } catch (error) {
    if (asked.isUnsure) return { conclusion: null, ...asked }
    throw error
  }
}

/** What is recorded beside a past moment, and threads as they are now. */
function pastQuestions(
  db: Db,
  moment: string,
  asked: { isUnsure: boolean; isOfThread: boolean },
): LiveQuestions {
  const { entry, asker, effect, heldCounts, thread, catalogs } = liveQuestions(db, moment, NO_ROWS)
  return pastLive(
    {
      entry: async (id) => {
        const found = await entry(id)
        return found === null ? null : { ...found, closedBy: null } // its own moment may have closed it
      },
      asker: async (wake) => {
        const found = await asker(wake)
        if (found === null) asked.isUnsure = true
        return found
      },
      effect,
      heldCounts,
      thread: (id) => {
        asked.isOfThread = true
        return thread(id)
      },
    },
    { catalogs },
  )
}

/** Cuts are not asked about. */
const NO_ROWS = { rows: () => [] } as unknown as RowSource

/** The inputs of the law for a moment that is lived again in a thought: for who asks it again and again. */
export const lawOfPast = (
  { db, registry }: { readonly db: Db; readonly registry: Registry },
  { moment }: Pick<WholeOpen, 'moment'>,
): Omit<LawOver, 'reader'> => ({
  live: pastQuestions(db, moment, { isUnsure: false, isOfThread: false }),
  registry,
  digest: digestOf,
  goesOn: false,
})
