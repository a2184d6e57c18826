import {
  type BeingName,
  isJsonObject,
  isKey,
  type Json,
  type JsonObject,
  PRIORITIES,
  type Priority,
} from '@treeos/core'
import type { BeingRow } from './rows.ts'

/** Namespace of the qualities that hold a being's schedules, one key a schedule. */
export const SCHEDULES = 'schedule'
/** Of one being: each is a Schedule of Temporal's. */
export const SCHEDULES_MAX = 16
const YEAR_SECONDS = 365 * 86_400
export const EVERY_SECONDS_MAX = YEAR_SECONDS

/** What wakes a being again and again. */
export interface Schedule {
  readonly name: string
  readonly everySeconds: number
  readonly priority: Priority
  /** told with each wake; absent when its author gave none */
  readonly content?: Json
}

/** A being's schedules by name; none for a person. What is no schedule is passed over. */
export function schedulesOf({ qualities, cognition }: Pick<BeingRow, 'qualities' | 'cognition'>): Schedule[] {
  const kept = qualities[SCHEDULES]
  if (cognition.kind === 'human' || !isJsonObject(kept)) return []
  return Object.entries(kept).flatMap(([name, value]): Schedule[] => {
    if (!isKey(name) || !isJsonObject(value)) return []
    const { everySeconds, priority, content } = value
    if (!isEverySeconds(everySeconds) || !isPriority(priority)) return []
    return [{ name, everySeconds, priority, ...(content === undefined ? {} : { content }) }]
  })
}

export const isEverySeconds = (value: Json | undefined): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= EVERY_SECONDS_MAX

export const isPriority = (value: Json | undefined): value is Priority =>
  typeof value === 'string' && Object.hasOwn(PRIORITIES, value)

/** What a being is told when a schedule of its own wakes it. */
export function scheduleContent(being: BeingName, { name, content }: Schedule): JsonObject {
  return { event: 'schedule', actor: `@${being}`, name, ...(content === undefined ? {} : { content }) }
}
