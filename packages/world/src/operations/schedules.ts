import {
  beingReel,
  type FactDraft,
  isJsonObject,
  isKey,
  type Json,
  type JsonObject,
  PRIORITIES,
  type Priority,
  parseSpacePath,
  quote,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import type { DecidedOperation } from '../extend/extension.ts'
import { reachOf } from '../gates/reach.ts'
import { watchesScope } from '../gates/sight.ts'
import type { WorldReader } from '../read/reader.ts'
import type { OperationTarget } from '../read/target.ts'
import { parseKeyPath, requireQualitySize, setAtPath } from '../rows/qualities.ts'
import type { BeingRow } from '../rows/rows.ts'
import {
  EVERY_SECONDS_MAX,
  isTimeOfDay,
  isWeekday,
  isZoneName,
  SCHEDULES,
  SCHEDULES_MAX,
  TIMES_MAX,
  WEEKDAYS,
} from '../rows/schedules.ts'
import {
  COALESCE_SECONDS_MAX,
  EQUALS_LENGTH_MAX,
  EVERYWHERE,
  isComparable,
  SUBSCRIPTIONS,
  SUBSCRIPTIONS_MAX,
  type Subscription,
} from '../rows/subscriptions.ts'
import {
  ANY_JSON,
  type ArgumentForms,
  FLAG,
  leftOut,
  needed,
  OBJECT,
  ofText,
  oneOf,
  optional,
  TEXT,
} from './argument-forms.ts'
import type { ArgumentSchema } from './argument-schema.ts'
import { Arguments } from './arguments.ts'
import { defineBuiltIn } from './define-built-in.ts'

const nameArgument = (about: string) =>
  needed(TEXT, about, { right: 'one kebab-case word, as in morning-round', isRight: isKey })
const priorityArgument = optional(
  oneOf(Object.keys(PRIORITIES)),
  'human, interactive or background; background when absent',
)

/** A schedule, as an operation of an extension gives it to one that is born. */
const SCHEDULE: ArgumentForms = {
  everySeconds: optional(
    { type: 'integer', minimum: 1, maximum: EVERY_SECONDS_MAX },
    `whole seconds from 1 to ${EVERY_SECONDS_MAX}; or at`,
    { right: `whole seconds from 1 to ${EVERY_SECONDS_MAX}` },
  ),
  at: optional(
    { anyOf: [TEXT, { type: 'array', items: TEXT, minItems: 1, maxItems: TIMES_MAX }] },
    'times of the day, as in 09:30, in place of everySeconds',
    {
      right: `a time of the day as in 09:30, or a list of 1 to ${TIMES_MAX} of them`,
      isRight: (value) => listOf(value).every(isTimeOfDay),
    },
  ),
  days: optional(
    { type: 'array', items: oneOf(WEEKDAYS), minItems: 1, maxItems: WEEKDAYS.length },
    `with at: the days of the week, of ${WEEKDAYS.join(', ')}; every day when absent`,
    { right: `a list of ${WEEKDAYS.join(', ')}`, isRight: (value) => listOf(value).every(isWeekday) },
  ),
  zone: optional(TEXT, 'with at: a time zone, as in Europe/Berlin; that of the reality when absent', {
    right: 'a time zone as in Europe/Berlin',
    isRight: isZoneName,
  }),
  missed: optional(
    oneOf(['once', 'skip']),
    'once makes up for what came due while nothing ran by one wake, skip leaves it out; once when absent',
  ),
  content: optional(ANY_JSON, 'any JSON, told with each wake'),
  priority: priorityArgument,
}
const NAMED_SCHEDULE: ArgumentForms = {
  name: nameArgument('kebab-case; one of that name is replaced'),
  ...SCHEDULE,
}

const SCALARS: readonly ArgumentSchema[] = [
  { type: 'string' },
  { type: 'number' },
  { type: 'boolean' },
  { type: 'null' },
]

const WHOLE_SUBSCRIPTION: ArgumentForms = {
  name: nameArgument('kebab-case; one of that name is replaced'),
  scope: needed(TEXT, `${EVERYWHERE}, or the path of a space`, {
    parse: ofText((scope) => (scope === EVERYWHERE ? scope : parseSpacePath(scope))),
  }),
  below: optional(FLAG, 'the spaces in that space count too; false when absent'),
  field: needed(TEXT, 'a quality, as in ambient or ambient.tone, or a signal, as in world.wind.force', {
    parse: ofText((field) => parseKeyPath(field, 'field')),
  }),
  equals: optional(
    {
      anyOf: [
        ...SCALARS,
        { type: 'array', items: { anyOf: SCALARS }, minItems: 1, maxItems: EQUALS_LENGTH_MAX },
      ],
    },
    'a scalar or a list of them: only a change to one of these wakes',
    {
      right: `a scalar, or a list of 1 to ${EQUALS_LENGTH_MAX} of them`,
      isRight: (value) => listOf(value).every(isComparable),
    },
  ),
  priority: priorityArgument,
  coalesceSeconds: optional(
    { type: 'integer', minimum: 0, maximum: COALESCE_SECONDS_MAX },
    `how long a wake waits for more changes, up to ${COALESCE_SECONDS_MAX}; 0 when absent`,
    { right: `whole seconds from 0 to ${COALESCE_SECONDS_MAX}` },
  ),
}

/** A preset gives what is left out, so none is needed until it is looked up. */
function orByPreset({ name, ...rest }: ArgumentForms, about: string): ArgumentForms {
  const preset = optional(TEXT, about)
  return leftOut({ ...(name === undefined ? {} : { name }), preset, ...rest })
}

const setSchedule = defineBuiltIn({
  name: 'set-schedule',
  description: 'Has the target being woken again and again.',
  targets: ['being'],
  allow: ['self', 'ancestor', 'operator'],
  takes: orByPreset(
    NAMED_SCHEDULE,
    'a schedule that an extension brings, as in weather:hourly; what else is given replaces its own',
  ),
  decide({ target, args, known }) {
    const whole = withPreset('set-schedule', args, known.schedules)
    const given = new Arguments('set-schedule', whole, NAMED_SCHEDULE)
    const being = requireWakeable('set-schedule', target)
    return keep(being, SCHEDULES, given.text('name'), scheduleIn(given), SCHEDULES_MAX)
  },
})

/** @throws {TreeosError} INVALID_INPUT unless it says either an interval or times of the day */
function scheduleIn(given: Arguments): JsonObject {
  const [everySeconds, at] = [given.value('everySeconds'), given.value('at')]
  if (at === undefined && everySeconds === undefined)
    throw given.fault('everySeconds', undefined, 'whole seconds, or at a time of the day')
  const beside = at === undefined ? ['days', 'zone'] : ['everySeconds']
  const odd = beside.find((name) => given.value(name) !== undefined)
  if (odd !== undefined)
    throw given.fault(odd, given.value(odd), at === undefined ? 'it only beside at' : 'it only without at')
  const kept = ['days', 'zone', 'missed', 'content'].flatMap((name) => {
    const value = given.value(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...(at === undefined ? { everySeconds: everySeconds ?? null } : { at: [...listOf(at)] }),
    priority: priorityIn(given),
    ...Object.fromEntries(kept),
  }
}

/** The schedules that a being is born with, by name. */
export const schedulesArgument = optional(OBJECT, 'the schedules that it is born with, by name', {
  right: 'schedules by kebab-case names',
  isRight: (schedules) =>
    isJsonObject(schedules) &&
    Object.entries(schedules).every(([name, value]) => isKey(name) && isJsonObject(value)),
})

export function schedulesIn(given: Arguments): JsonObject {
  const schedules = (given.value('schedules') ?? {}) as Readonly<Record<string, JsonObject>>
  return Object.fromEntries(
    Object.entries(schedules).map(([name, value]) => [
      name,
      scheduleIn(new Arguments('birth', value, SCHEDULE)),
    ]),
  )
}

const deleteSchedule = defineBuiltIn({
  name: 'delete-schedule',
  wordless: true,
  description: 'Ends a schedule of the target being.',
  targets: ['being'],
  allow: ['self', 'ancestor', 'operator'],
  takes: { name: needed(TEXT, 'of the schedule') },
  decide: ({ target }, given) => remove(target, SCHEDULES, given),
})

const subscribe = defineBuiltIn({
  name: 'subscribe',
  description: 'Has the target being woken when a quality or a signal changes, wherever it is.',
  targets: ['being'],
  allow: ['self', 'ancestor', 'operator'],
  takes: orByPreset(
    WHOLE_SUBSCRIPTION,
    'a hook that an extension brings, as in court:rulings; what else is given replaces its own',
  ),
  async decide({ target, args, world, known }) {
    const whole = withPreset('subscribe', args, known.hooks)
    const given = new Arguments('subscribe', whole, WHOLE_SUBSCRIPTION)
    const being = requireWakeable('subscribe', target)
    const name = given.text('name')
    const field = parseKeyPath(given.text('field'), 'field').join('.')
    const where = await scopeIn(given, world)
    const beings = await requireSeen(world, being, where, field)
    const equals = equalsIn(given)
    const value = {
      ...where,
      field,
      ...(equals === null ? {} : { equals: [...equals] }),
      priority: priorityIn(given),
      coalesceSeconds: given.value('coalesceSeconds') ?? 0,
      beings,
    }
    return keep(being, SUBSCRIPTIONS, name, value, SUBSCRIPTIONS_MAX)
  },
})

const unsubscribe = defineBuiltIn({
  name: 'unsubscribe',
  wordless: true,
  description: 'Ends a subscription of the target being.',
  targets: ['being'],
  allow: ['self', 'ancestor', 'operator'],
  takes: { name: needed(TEXT, 'of the subscription') },
  decide: ({ target }, given) => remove(target, SUBSCRIPTIONS, given),
})

/** The arguments of a preset, overridden by those that are given. */
function withPreset(
  operation: string,
  { preset, ...own }: JsonObject,
  known: Readonly<Record<string, JsonObject>>,
): JsonObject {
  if (preset === undefined) return own
  const brought = typeof preset === 'string' && Object.hasOwn(known, preset) ? known[preset] : undefined
  if (brought !== undefined) return { ...brought, ...own }
  const there = Object.keys(known).sort().join(', ')
  throw new TreeosError(
    'INVALID_INPUT',
    `${operation}: no extension here brings ${quote(preset)}; there is ${there === '' ? 'none' : there}`,
  )
}

type SubscriptionScope = Pick<Subscription, 'scope' | 'below'>

async function scopeIn(given: Arguments, world: WorldReader): Promise<SubscriptionScope> {
  const below = given.flag('below', false)
  const text = given.text('scope')
  if (text === EVERYWHERE) return { scope: text, below }
  const scope = parseSpacePath(text)
  if ((await world.space(scope)) === null)
    throw new TreeosError('SPACE_NOT_FOUND', `space ${scope} does not exist in this reality`)
  return { scope, below }
}

/**
 * A being may only subscribe to what it may see. Any flow may read a signal, so signals are open to all.
 * @returns whether changes of beings count too: only for a being that may see all beings
 * @throws {TreeosError} FORBIDDEN
 */
async function requireSeen(
  world: WorldReader,
  being: BeingRow,
  where: SubscriptionScope,
  field: string,
): Promise<boolean> {
  const [root, namespace] = field.split('.')
  if (root === 'world') {
    if (where.scope === EVERYWHERE && namespace !== undefined) return false
    throw new TreeosError(
      'INVALID_INPUT',
      `subscribe: ${field} is a signal, which takes the scope ${EVERYWHERE} and a namespace, as in world.wind`,
    )
  }
  const { spaces, beings } = await watchesScope(world, being, where, await reachOf(world, being))
  if (spaces) return beings
  const what = where.below && where.scope !== EVERYWHERE ? `${where.scope} and all in it` : where.scope
  throw new TreeosError(
    'FORBIDDEN',
    `${stanceOf(being.name)} may not subscribe to ${what}: the reach of its canSee does not hold it, or a rule of the space keeps it out`,
  )
}

const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [value])

function equalsIn(given: Arguments): Subscription['equals'] {
  const value = given.value('equals')
  return value === undefined ? null : (listOf(value) as Subscription['equals'])
}

/** @throws {TreeosError} INVALID_TYPE for a person, since nothing wakes a person */
function requireWakeable(operation: string, target: OperationTarget): BeingRow {
  const being = requireTargetBeing(operation, target)
  if (being.cognition.kind !== 'human') return being
  throw new TreeosError(
    'INVALID_TYPE',
    `${operation}: ${stanceOf(being.name)} is a person, and nothing wakes a person; ` +
      `let a being of theirs be woken, and have it summon ${stanceOf(being.name)}`,
  )
}

function requireTargetBeing(operation: string, target: OperationTarget): BeingRow {
  if (target.kind === 'being') return target.being
  throw new TreeosError('INVALID_TYPE', `${operation} takes a being`)
}

const priorityIn = (given: Arguments): Priority => (given.value('priority') ?? 'background') as Priority

export const qualitySet = ({ name }: BeingRow, path: string[], value: Json): FactDraft => ({
  reel: beingReel(name),
  kind: 'quality:set',
  payload: { path, value, merge: false },
})

/** Decides a fact that keeps one schedule or subscription among the being's qualities. */
function keep(being: BeingRow, kind: string, name: string, value: Json, max: number): DecidedOperation {
  const path = [kind, name]
  const kept = namesOf(being, kind)
  if (!kept.includes(name) && kept.length >= max) {
    throw new TreeosError(
      'RATE_LIMITED',
      `${stanceOf(being.name)} has ${kept.length} of them, at most ${max} are kept: ${kept.join(', ')}`,
    )
  }
  requireQualitySize(setAtPath(being.qualities, path, value, false), 'the qualities')
  return {
    facts: [{ reel: beingReel(being.name), kind: 'quality:set', payload: { path, value, merge: false } }],
    result: { name, ...(value as object) },
  }
}

function remove(target: OperationTarget, kind: string, given: Arguments): DecidedOperation {
  const being = requireTargetBeing(`delete of a ${kind}`, target)
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

/** Namespaces of qualities that only the operations here write, since they check their arguments. */
export const KEPT_NAMESPACES: Readonly<Record<string, string>> = {
  [SCHEDULES]: setSchedule.name,
  [SUBSCRIPTIONS]: subscribe.name,
}

export const wakingOperations = [setSchedule, deleteSchedule, subscribe, unsubscribe] as const
