import {
  type BeingName,
  type FactDraft,
  type Json,
  type JsonObject,
  LIMITS,
  PRIORITIES,
  ROOT_SPACE,
  readPath,
  spaceReel,
} from '@treeos/core'
import type { ScheduleRef } from '@treeos/protocol'
import type { BuiltFact, OpenRecord, WakingChange } from '@treeos/store'
import { type ChangedRow, changeContent, SCHEDULES, STANDARD_BUDGET } from '@treeos/world'

/**
 * Changes of an act that others may watch, with the wake for each. None at the hop limit, which also ends
 * summons.
 */
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

/**
 * Kinds of facts after which a being must check its inbox again: they may end a park, a pause, a lease or its
 * life.
 */
const RECHECK_KINDS = new Set([
  'being:budgeted',
  'being:unparked',
  'being:paused', // it waits for no silence any more
  'being:resumed',
  'being:difference-accepted',
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
