import {
  type BeingName,
  type FactDraft,
  type HeadRef,
  type Json,
  type OutcomeKind,
  readPath,
  TreeosError,
  type VerbCall,
  type Wake,
} from '@treeos/core'
import { actingFor, contentHeard, type DecisionMoment, requireHands } from '@treeos/reality'
import { type Db, findEntry, type InboxEntry, type WholeOpen } from '@treeos/store'
import { decideCall, isShownRefusal, type Registry, type Shadowed, WorldReader } from '@treeos/world'
import type { Past } from './past.ts'
import type { RecomputedMoment } from './recompute.ts'

/** What a call comes to, over the heads from which it was judged. */
export interface Judged {
  /** what rules that are tried would have said otherwise */
  readonly shadow: readonly Shadowed[]
  readonly outcome: OutcomeKind
  /** the code of a refusal, or the name of a remark */
  readonly reason: string | null
  /** the rules that decided */
  readonly by: readonly string[]
  readonly facts: readonly FactDraft[]
  /** of an act, and of a call that waits for a yes */
  readonly result: Json
  /** it depends on a face that was dropped, which no record holds any more */
  readonly isUnsure: boolean
  /** it read a thread as that is now: what it was at that time is in no reel */
  readonly isOfThread: boolean
}

export interface JudgeDeps {
  readonly db: Db
  readonly registry: Registry
  readonly past: Past
}

/**
 * Asks both gates about a recorded call again, over the world from which they decided it.
 * @param heads from which the call was judged
 * @returns null while the call waits for an effect that gave no result
 * @throws {Error} when it reads what the gates did not read
 */
export async function judgeAgain(
  { db, registry, past }: JudgeDeps,
  heads: readonly HeadRef[],
  recomputed: RecomputedMoment,
  recorded: RecordedCall,
): Promise<Judged | null> {
  const shadow: Shadowed[] = []
  const judged = await judgedBy({ db, registry, past }, heads, recomputed, recorded, shadow)
  return judged === null ? null : { ...judged, shadow }
}

async function judgedBy(
  { db, registry, past }: JudgeDeps,
  heads: readonly HeadRef[],
  recomputed: RecomputedMoment,
  { being, open, content, call, isTry = false }: RecordedCall,
  shadows: Shadowed[],
): Promise<Omit<Judged, 'shadow'> | null> {
  const { stack, seen, role } = recomputed
  if (stack === null || seen.face === null || role === null) return null
  const { surface } = seen.face
  const reader = new WorldReader(past.cited(heads, { being, ...open }))
  const me = await reader.being(being)
  if (me === null) throw new Error(`@${being} does not exist at the head that its call was judged from`)
  const refused = { outcome: 'failure', facts: [], result: null, isUnsure: false } as const
  if (me.ended !== undefined) return { ...refused, reason: 'BEING_ENDED', by: [], isOfThread: false }
  let isUnsure = false
  let isOfThread = false
  try {
    requireHands(me, open, content)
    const wake = await answeredWake(db, { being, open, content: contentHeard(open, seen.face, content) })
    const moment: DecisionMoment = { reader, me, open, stack, surface, role, wake }
    const acting = actingFor({ db, registry }, moment)
    const thread = (id: string) => {
      isOfThread = true
      return acting.thread(id)
    }
    const asker = async () => {
      const known = await acting.asker()
      if (known === null) isUnsure = true
      return known
    }
    const act = await decideCall(call, { ...acting, thread, asker, ...(isTry ? {} : { shadows }) })
    if (act.kind === 'effect-pending') return null
    if (act.kind === 'waiting') {
      const { facts, result, by } = act
      return { outcome: 'waiting', reason: null, by, facts, result, isUnsure, isOfThread }
    }
    const isSilent = call.verb === 'see' || (call.verb === 'summon' && act.facts.length === 0)
    const { facts, result, by, remark } = act
    return {
      outcome: isSilent ? 'see' : 'act',
      reason: remark?.reason ?? null,
      by,
      facts,
      result,
      isUnsure,
      isOfThread,
    }
  } catch (error) {
    if (isUnsure) return { ...refused, isUnsure, isOfThread, reason: null, by: [] }
    if (!(error instanceof TreeosError)) throw error
    const by = readPath(error.detail, ['by'])
    const outcome = isShownRefusal(call, open.wake, error) ? 'see' : 'failure'
    return {
      ...refused,
      outcome,
      reason: error.code,
      by: typeof by === 'string' ? [by] : [],
      isUnsure,
      isOfThread,
    }
  }
}

export interface RecordedCall {
  readonly being: BeingName
  readonly open: WholeOpen
  /** of the wake */
  readonly content: Json
  readonly call: VerbCall
  /** a model was refused it before it decided: rules that are tried were not asked about it */
  readonly isTry?: boolean
}

/**
 * The wake that a call answers: for a person's reply the wake it names, for a moment by which the being goes on the one that it goes on from.
 * @throws {TreeosError} CORRELATION_NOT_FOUND
 */
export async function answeredWake(
  db: Db,
  { being, open, content }: Omit<RecordedCall, 'call'>,
): Promise<Wake | InboxEntry> {
  const own: Wake = { ...open.wake, being, content }
  const answered = open.answers === null ? null : await findEntry(db, open.answers)
  if (open.wake.kind !== 'act') return answered === null ? own : { ...answered, root: open.wake.root }
  const named = readPath(content, ['answers'])
  if (typeof named !== 'string') return own
  if (answered !== null) return answered
  throw new TreeosError('CORRELATION_NOT_FOUND', `the inbox of @${being} has no summon ${named}`)
}
