import {
  type BeingName,
  type Breach,
  beingReel,
  type FactDraft,
  type Json,
  type JsonObject,
  LIMITS,
  newWake,
  PRIORITIES,
  questionOf,
  ROOT_SPACE,
  readPath,
  spaceReel,
  stanceOf,
  type Wake,
} from '@treeos/core'
import type { ScheduleRef, StampInput } from '@treeos/protocol'
import type { BuiltFact, Notice, OpenRecord, WakingChange } from '@treeos/store'
import {
  type ChangedRow,
  changeContent,
  OPERATOR,
  SCHEDULES,
  STANDARD_BUDGET,
  type WorldReader,
  whyParked,
} from '@treeos/world'
import type { Verdict } from './judge.ts'

/** A wake of kind `event`. It has no caller; its content names the event and its actor. */
export function eventWake(
  being: BeingName,
  id: string,
  content: JsonObject,
  after: OpenRecord['wake'],
): Wake {
  return newWake({
    id,
    being,
    kind: 'event',
    priority: PRIORITIES.background,
    content,
    root: after.root,
    hops: after.hops + 1,
  })
}

/** Id of the wake that the moment is about: of its own wake, or of the one that it goes on from. */
export const answeredBy = ({ wake, answers }: Pick<OpenRecord, 'wake' | 'answers'>): string =>
  wake.kind === 'act' ? wake.id : (answers ?? wake.id)

/**
 * Notices about a failed or skipped moment, for the asker and the operator. Nothing is retried automatically.
 * - No notice for a person's own act: the person sees the result. Of one that came by a signal the person gets one.
 * - No notice for a skip that a role or a cut intended.
 * - For a wake without an asker, or whose asker expects no reply, only the operator gets one.
 * - For a being that was ended only the asker gets one.
 * - The approver of a parked being gets none: the notice of the parking says the same.
 * @param approver who may approve that the being goes on; null when the being is not parked
 * @param isSignalled the moment is of an act that came by a signal
 */
export function failureNotices(
  input: StampInput,
  open: OpenRecord,
  verdict: Pick<Verdict, 'kind' | 'reason' | 'detail' | 'sendsNoNotice'>,
  approver: BeingName | null,
  isSignalled: boolean,
): Wake[] {
  if (verdict.kind !== 'failure' && verdict.kind !== 'skipped') return []
  if (verdict.sendsNoNotice || verdict.reason === 'not-triggered' || verdict.reason === 'thread-cut')
    return []
  if ((open.wake.kind === 'act' && !isSignalled) || open.wake.hops >= LIMITS.hopsMax) return []
  const isAnswered = questionOf(open.wake, open.answers) === null
  const asker = open.wake.expectReply === false || isAnswered ? null : (open.wake.caller?.name ?? null)
  const content = {
    event: verdict.kind,
    actor: stanceOf(input.being),
    correlation: answeredBy(open),
    code: verdict.reason,
    message: verdict.detail,
  }
  const isEnded = verdict.reason === 'being-ended' || verdict.reason === 'BEING_ENDED'
  if (isEnded && open.wake.inReplyTo !== null) return [] // whoever answered it waits for nothing
  const recipients = new Set<BeingName>(approver === null && !isEnded ? [OPERATOR] : [])
  if (asker !== null) recipients.add(asker)
  if (!isSignalled) recipients.delete(input.being) // who signals is the operator
  if (approver !== null) recipients.delete(approver)
  return [...recipients].map((being) =>
    eventWake(being, `notice/${input.moment}/${being}`, content, open.wake),
  )
}

/** Changes of an act that others may watch, with the wake for each. None at the hop limit, which also ends summons. */
export function changesOf(
  rows: readonly ChangedRow[],
  drafts: readonly FactDraft[],
  facts: readonly BuiltFact[],
  actor: BeingName,
  open: OpenRecord & { readonly isOutside: boolean },
): WakingChange[] {
  if (open.wake.hops >= LIMITS.hopsMax) return []
  return rows.flatMap(({ reel, scopes, changed, values, cause }): WakingChange[] => {
    const fact = drafts[cause]
    if (changed.length === 0 || fact === undefined) return []
    const wake = {
      content: changeContent(fact, actor),
      priority: PRIORITIES.background,
      root: open.wake.root,
      hops: open.wake.hops + 1,
      cause: facts[cause]?.ref.hash ?? null,
      ...(open.isOutside ? { outside: true as const } : {}),
    }
    return [{ reel, scopes, paths: changed, values, wake }]
  })
}

/** The fact that parks a being at a limit, and the notice about it. A parked being opens no moments until approval. */
export interface Parking {
  readonly fact: FactDraft
  /** for the approver; it replaces the notice of the failure */
  readonly notice: Wake
}

/** Parks a being. The approver is the parent of the being that has the limit: the nearest being that can raise it. */
export async function park(
  reader: WorldReader,
  input: StampInput,
  open: OpenRecord,
  breach: Breach,
): Promise<Parking> {
  const payload = { breach: breach as unknown as JsonObject }
  const approver = (await reader.being(breach.of))?.parent ?? OPERATOR
  const content = {
    event: 'parked',
    actor: stanceOf(input.being),
    correlation: answeredBy(open),
    code: 'BUDGET_EXCEEDED',
    message: whyParked(input.being, breach),
    budget: { ...breach, of: stanceOf(breach.of) },
  }
  const id = `parked/${input.moment}`
  return {
    fact: { reel: beingReel(input.being), kind: 'being:parked', payload },
    // The notice has a thread of its own: the parking affects all threads of the being.
    notice: { ...eventWake(approver, id, content, open.wake), root: id },
  }
}

/** Makes a wake a notice. Notices of one event, about one being and with one code are equal: a person gets them as one entry. */
export function asNotice(wake: Wake): Notice {
  const { event, actor, code = '' } = wake.content as JsonObject
  return { ...wake, notice: `${event} ${actor} ${code}`.trimEnd() }
}

/** Kinds of facts after which a being must check its inbox again: they may end a park, a pause, a lease or its life. */
const RECHECK_KINDS = new Set([
  'being:budgeted',
  'being:resumed',
  'being:paused', // it waits for no silence any more
  'being:unpaused',
  'being:released',
  'being:ended',
])

/** Beings whose wake settings, budget or lease an act changed. They get no wake for it, so they are rung. */
export function beingsToRecheck(drafts: readonly FactDraft[]): BeingName[] {
  return drafts
    .filter(
      ({ kind, payload }) =>
        RECHECK_KINDS.has(kind) || (kind === 'quality:set' && (payload.path as Json[])[0] === 'wake'),
    )
    .flatMap(({ reel }) => (reel.startsWith('being:') ? [reel.slice('being:'.length)] : []))
}

/** Beings whose budget an act set. Beings that the old budget parked may run again. */
export function beingsWithNewBudget(drafts: readonly FactDraft[]): BeingName[] {
  return drafts.filter(({ kind }) => kind === 'being:budgeted').map(({ reel }) => reel.slice('being:'.length))
}

/** Whether an act set a standard budget. */
export const changesStandardBudget = (drafts: readonly FactDraft[]): boolean =>
  drafts.some(
    ({ kind, reel, payload }) =>
      kind === 'quality:set' &&
      reel === spaceReel(ROOT_SPACE) &&
      (payload.path as Json[])[0] === STANDARD_BUDGET,
  )

/** Schedules that an act set or removed. */
export function changedSchedules(drafts: readonly FactDraft[]): ScheduleRef[] {
  return drafts.flatMap(({ reel, kind, payload }): ScheduleRef[] => {
    if (kind === 'being:born') return schedulesAtBirth(reel, payload)
    const [namespace, name] = kind === 'quality:set' ? (payload.path as string[]) : []
    if (namespace !== SCHEDULES || name === undefined || !reel.startsWith('being:')) return []
    return [{ being: reel.slice('being:'.length), name }]
  })
}

function schedulesAtBirth(reel: string, payload: JsonObject): ScheduleRef[] {
  const schedules = readPath(payload, ['qualities', SCHEDULES])
  return Object.keys(schedules ?? {}).map((name) => ({ being: reel.slice('being:'.length), name }))
}
