import type { FactDraft } from '@treeos/core'
import type { ScheduleRef } from '@treeos/protocol'
import { SCHEDULES } from '@treeos/world'

/** Schedules that an act set or removed. */
export function changedSchedules(drafts: readonly FactDraft[]): ScheduleRef[] {
  return drafts.flatMap(({ reel, kind, payload }): ScheduleRef[] => {
    const [namespace, name] = kind === 'quality:set' ? (payload.path as string[]) : []
    if (namespace !== SCHEDULES || name === undefined || !reel.startsWith('being:')) return []
    return [{ being: reel.slice('being:'.length), name }]
  })
}
