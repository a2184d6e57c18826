import { type FactDraft, type JsonObject, readPath } from '@treeos/core'
import type { ScheduleRef } from '@treeos/protocol'
import { SCHEDULES } from '@treeos/world'

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
