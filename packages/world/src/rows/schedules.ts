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
/** Of one being. Each is a Schedule in Temporal. */
export const SCHEDULES_MAX = 16
const YEAR_SECONDS = 365 * 86_400
export const EVERY_SECONDS_MAX = YEAR_SECONDS

/** Wakes a being at a fixed interval. */
export interface Schedule {
  readonly name: string
  readonly everySeconds: number
  readonly priority: Priority
  /** sent with each wake; absent when the author gave none */
  readonly content?: Json
}

/**
 * The schedules of a being; a person has none, nor has a being that was ended. Malformed entries are skipped.
 */
export function schedulesOf({
  qualities,
  cognition,
  ended,
}: Pick<BeingRow, 'qualities' | 'cognition' | 'ended'>): Schedule[] {
  const kept = qualities[SCHEDULES]
  if (ended !== undefined || cognition.kind === 'human' || !isJsonObject(kept)) return []
  return Object.entries(kept).flatMap(([name, value]): Schedule[] => {
    if (!isKey(name) || !isJsonObject(value)) return []
    const { everySeconds, priority, content } = value
    if (!isEverySeconds(everySeconds) || !isPriority(priority)) return []
    return [{ name, everySeconds, priority, ...(content === undefined ? {} : { content }) }]
  })
}

const isEverySeconds = (value: Json | undefined): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= EVERY_SECONDS_MAX

export const isPriority = (value: Json | undefined): value is Priority =>
  typeof value === 'string' && Object.hasOwn(PRIORITIES, value)

/** Content of the wake that a schedule makes. */
export function scheduleContent(being: BeingName, { name, content }: Schedule): JsonObject {
  return { event: 'schedule', actor: `@${being}`, name, ...(content === undefined ? {} : { content }) }
}
