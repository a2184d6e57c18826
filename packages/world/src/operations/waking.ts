import { beingReel, isJsonObject, isKey, type Json, type Priority, stanceOf, TreeosError } from '@treeos/core'
import type { Decided, Operation, OperationTarget } from '../extension.ts'
import { requireQualitySize, setQuality } from '../qualities.ts'
import type { BeingRow } from '../rows.ts'
import { EVERY_SECONDS_MAX, isEverySeconds, isPriority, SCHEDULES, SCHEDULES_MAX } from '../schedules.ts'
import { Arguments } from './arguments.ts'

const setSchedule: Operation = {
  name: 'set-schedule',
  description: 'Has the target being woken again and again.',
  targets: ['being'],
  allow: ['self', 'ancestor', 'operator'],
  args: {
    name: 'kebab-case; one of that name is replaced',
    everySeconds: `whole seconds from 1 to ${EVERY_SECONDS_MAX}`,
    content: 'any JSON, told with each wake',
    priority: 'human, interactive or background; background when absent',
  },
  decide({ target, args }) {
    const given = new Arguments('set-schedule', args, ['name', 'everySeconds', 'content', 'priority'])
    const being = requireWakeable('set-schedule', target)
    const name = nameIn(given)
    const everySeconds = given.value('everySeconds')
    if (!isEverySeconds(everySeconds)) {
      throw given.fault('everySeconds', everySeconds, `whole seconds from 1 to ${EVERY_SECONDS_MAX}`)
    }
    const content = given.value('content')
    const value = { everySeconds, priority: priorityIn(given), ...(content === undefined ? {} : { content }) }
    return keep(being, SCHEDULES, name, value, SCHEDULES_MAX)
  },
}

const deleteSchedule: Operation = {
  name: 'delete-schedule',
  description: 'Ends a schedule of the target being.',
  targets: ['being'],
  allow: ['self', 'ancestor', 'operator'],
  args: { name: 'of the schedule' },
  decide: ({ target, args }) => remove(target, SCHEDULES, new Arguments('delete-schedule', args, ['name'])),
}

/** @throws {TreeosError} INVALID_TYPE for a person, since nothing wakes one */
function requireWakeable(operation: string, target: OperationTarget): BeingRow {
  const being = requireBeing(operation, target)
  if (being.cognition.kind !== 'human') return being
  throw new TreeosError(
    'INVALID_TYPE',
    `${operation}: ${stanceOf(being.name)} is a person, and nothing wakes a person; ` +
      `let a being of theirs be woken, and have it summon ${stanceOf(being.name)}`,
  )
}

function requireBeing(operation: string, target: OperationTarget): BeingRow {
  if (target.kind === 'being') return target.being
  throw new TreeosError('NOT_A_BEING', `${operation} takes a being`)
}

function nameIn(given: Arguments): string {
  const name = given.text('name')
  if (isKey(name)) return name
  throw given.fault('name', name, 'one kebab-case word, as in morning-round')
}

function priorityIn(given: Arguments): Priority {
  const priority = given.value('priority') ?? 'background'
  if (isPriority(priority)) return priority
  throw given.fault('priority', priority, 'one of human, interactive, background')
}

/** Keeps one of the target's settings of a kind, as a fact of its reel. */
function keep(being: BeingRow, kind: string, name: string, value: Json, max: number): Decided {
  const path = [kind, name]
  const kept = namesOf(being, kind)
  if (!kept.includes(name) && kept.length >= max) {
    throw new TreeosError(
      'RATE_LIMITED',
      `${stanceOf(being.name)} has ${kept.length} of them, at most ${max} are kept: ${kept.join(', ')}`,
    )
  }
  requireQualitySize(setQuality(being.qualities, path, value, false), 'the qualities')
  return {
    facts: [{ reel: beingReel(being.name), kind: 'quality:set', payload: { path, value, merge: false } }],
    result: { name, ...(value as object) },
  }
}

function remove(target: OperationTarget, kind: string, given: Arguments): Decided {
  const being = requireBeing(`delete of a ${kind}`, target)
  const name = given.text('name')
  const kept = namesOf(being, kind)
  if (!kept.includes(name)) {
    const there = kept.length === 0 ? 'it has none' : `it has ${kept.join(', ')}`
    throw new TreeosError('INVALID_INPUT', `${stanceOf(being.name)} has no ${kind} ${name}; ${there}`)
  }
  const payload = { path: [kind, name], value: null, merge: false }
  return { facts: [{ reel: beingReel(being.name), kind: 'quality:set', payload }], result: { name } }
}

function namesOf({ qualities }: BeingRow, kind: string): string[] {
  const kept = qualities[kind]
  return isJsonObject(kept) ? Object.keys(kept).sort() : []
}

/** Namespaces of qualities that only the operations here may write, since those check what they take. */
export const KEPT_NAMESPACES: Readonly<Record<string, string>> = {
  [SCHEDULES]: setSchedule.name,
}

export const wakingOperations: readonly Operation[] = [setSchedule, deleteSchedule]
