import { ancestry } from '../ancestry.ts'
import { at, isArray, isObject, type Json, type JsonObject, same } from '../canonical.ts'
import { rolesFor } from '../flow.ts'
import { isHash } from '../hash.ts'
import type { Head } from '../heads.ts'
import { askedIn } from '../wake.ts'
import { contextOf, flowOf, programOf } from './context.ts'
import { REGISTRY, type State, type States } from './states.ts'
import { areTried, triedRoles } from './tried.ts'

/** The last act of a being: when it was sealed, and in which primary role. */
export interface LastAct {
  readonly sealedAt: Json
  readonly primary: Json
}

/** What of a bundle a moment is compared with. */
export interface Beside {
  readonly states: States
  /** whether the bundle holds a reel from its first fact on */
  readonly isWhole: (reel: string) => boolean
  /** undefined: the bundle does not hold all earlier moments of the being */
  readonly lastAct: LastAct | null | undefined
  /** the program that the moment opened with; undefined where the bundle has no such content */
  readonly program: Json | undefined
}

interface Opened {
  readonly record: JsonObject
  readonly open: Json
  /** the heads that it read, as far as they are shown */
  readonly basis: readonly Head[]
}

type Fault = readonly [reason: string, what: string]

/** What was found of one moment. */
export interface Derivation {
  readonly faults: readonly Fault[]
  /** reels that its stack depends on, and that the bundle does not hold */
  readonly missing: readonly string[]
  /** the space whose qualities its flow reads and did not see, as the record says */
  readonly hidden: string | null
}

const HOUR_MS = 3_600_000

/**
 * Derives the context of a moment and its stack again: the context from what the moment opened with, the facts in the bundle and the
 * moments before it; the program from the facts; the stack from both.
 */
export function deriveStack({ record, open, basis }: Opened, beside: Beside): Derivation {
  const missing = new Set<string>()
  const faults: Fault[] = []
  const need = (holds: boolean, reason: string, what: string) => void (holds || faults.push([reason, what]))
  const heads = new Map(basis.map(([reel, seq]) => [reel, seq]))
  const stateOf = (reel: string, isNoted = true): State | null => {
    const seq = heads.get(reel)
    if (seq === 0) return {}
    const state = beside.isWhole(reel) && seq !== undefined ? beside.states.at(reel, seq) : null
    if (state === null && isNoted) missing.add(reel)
    return state
  }
  const me = stateOf(`being:${record.being}`)
  const hidden = at(open, 'hidden') === true && typeof me?.space === 'string' ? me.space : null
  const found = () => ({ faults, missing: [...missing], hidden })
  for (const fault of faultsOfTime(record, open, beside.lastAct)) faults.push(fault)
  if (me !== null) {
    const driver = at(open, 'driver') ?? null
    need(
      driver === null || driver === me.driver,
      'driver-mismatch',
      'nobody had taken the being as its driver',
    )
    const cognition = driver === null ? at(me.cognition, 'kind') : 'human'
    need(
      same(at(open, 'cognition', 'kind'), cognition),
      'context-mismatch',
      'it opened for another cognition',
    )
  }
  const told = at(open, 'context') ?? null
  need(isObject(told), 'context-mismatch', 'its context is no object')
  const isSaid = hidden === null || me === null || mayBeHidden(me, hidden, stateOf)
  need(isSaid, 'context-mismatch', 'it says that its place was hidden, and nothing hides it')
  const context = contextOf(open, { told, me, flow: flowOf(me, beside.program) }, stateOf)
  const wrong = firstOtherIn(told, context)
  need(wrong === null, 'context-mismatch', `its context has another ${wrong} than its facts give`)
  const isTriedAlone =
    me === null || areTried(open, { told, me, program: beside.program }, (reel) => stateOf(reel, false))
  need(isTriedAlone, 'origin-mismatch', 'it leaves out marks of what more than the flow in its shadow reads')
  const isThere = isObject(beside.program) || (beside.program === undefined && isHash(at(open, 'program')))
  need(isThere, 'program-mismatch', 'it opened with no program')
  if (!isObject(beside.program)) return found()
  const program = programOf(beside.program, me, at(open, 'asked') ?? null, stateOf)
  need(isArray(beside.program.flow ?? null), 'program-mismatch', 'its flow is no list')
  const other = ['flow', 'defaultRole'].find((field) => !same(at(beside.program, field), at(program, field)))
  need(other === undefined, 'program-mismatch', `its program has another ${other} than the being had`)
  for (const [name, role] of Object.entries(at(beside.program, 'roles') ?? {}))
    need(
      same(role, at(program, 'roles', name)),
      'program-mismatch',
      `its program has another role ${name} than was set`,
    )
  if (record.stack === null) return found()
  const roles = rolesFor(program, {
    context: isObject(told) ? { ...told, ...context } : context,
    cognition: String(at(open, 'cognition', 'kind')),
    asked: askedIn(open),
  })
  const stacked = at(record.stack, 'stacked')
  const worn = [at(record.stack, 'primary') ?? null, ...(isArray(stacked) ? stacked : [])]
  const derived = roles.map(({ role }) => ({
    name: role,
    digest: at(program, 'roles', role, 'digest') ?? null,
  }))
  need(same(worn, derived), 'stack-mismatch', 'its flow gives another stack in this context')
  const tried =
    me === null
      ? null
      : triedRoles(open, { told, me, program: beside.program }, (reel) => stateOf(reel, false))
  const names = roles.map(({ role }) => role)
  const due = tried === null || same(tried, names) ? null : tried
  const isTried = isArray(at(me?.qualities, 'shadow') ?? null)
  const isKnown = stateOf(REGISTRY, false) !== null && me !== null && (tried !== null || !isTried)
  need(!isKnown || same(at(open, 'shadow') ?? null, due), 'stack-mismatch', 'its shadow gives another stack')
  return found()
}

/** Compares what a moment says of its time with itself, and with the last act of the being. */
function* faultsOfTime(
  record: JsonObject,
  open: Json,
  lastAct: LastAct | null | undefined,
): Generator<Fault> {
  const [openedAt, offset] = [Number(at(open, 'openedAt')), Number(at(open, 'offset'))]
  const times = [at(open, 'openedAt'), at(open, 'offset'), record.sealedAt]
  if (!times.every((time) => typeof time === 'number')) yield ['time-mismatch', 'a time of it is no number']
  if (record.openedAt !== openedAt || Number(record.sealedAt) < openedAt)
    yield ['time-mismatch', 'its record says that it was at another time']
  const here = openedAt + offset * 60_000
  const hour = Math.floor(here / HOUR_MS)
  const isOfZone = hour - 24 * Math.floor(hour / 24) === at(open, 'hour')
  const day = Math.floor(here / (24 * HOUR_MS)) + 4 // 1 January 1970 was a Thursday
  if (!isOfZone || day - 7 * Math.floor(day / 7) !== at(open, 'dayOfWeek'))
    yield ['time-mismatch', 'its hour and its weekday are not those of the time at which it opened']
  if (record.wake !== null && at(open, 'wake', 'id') !== record.wake)
    yield ['record-mismatch', 'its record names another wake']
  const last = at(open, 'lastSealed') ?? null
  if (last !== null && typeof at(last, 'sealedAt') !== 'number')
    yield ['time-mismatch', 'it does not say when the being last acted']
  if (lastAct === undefined) return
  if (!same(at(open, 'lastSealed'), lastAct === null ? null : { ...lastAct }))
    yield ['context-mismatch', 'the last act of the being was another one']
}

/** Whether anything kept a being from the place where it is. At home only a rule may; elsewhere its lists do as well. */
function mayBeHidden(me: State, path: string, stateOf: (reel: string) => State | null): boolean {
  if (path !== me.home || !path.startsWith('/')) return true
  const isOf = (name: string) => name === path || (name.endsWith('*') && path.startsWith(name.slice(0, -1)))
  return ancestry(path).some((one) => {
    const space = stateOf(`space:${one}`)
    const rules = at(space?.qualities, 'permissions', 'see') ?? {}
    return space === null || (isObject(rules) && Object.keys(rules).some(isOf))
  })
}

const LONG_BYTES = 256

/** The first path at which a slice of a context has another value than the context; null when there is none. */
function firstOtherIn(slice: Json, context: Json, path = ''): string | null {
  for (const [key, value] of Object.entries(isObject(slice) ? slice : {})) {
    const here = path === '' ? key : `${path}.${key}`
    const whole = at(context, key)
    if (path === '' && whole === undefined && ['me', 'space', 'world', 'inHomeSpace'].includes(key)) continue // not in the bundle
    if (isObject(value) && Object.keys(value).length > 0) {
      const other = firstOtherIn(value, whole ?? null, here)
      if (other !== null) return other
    } else if (isObject(value) ? !isOpaque(whole) : !same(value, whole)) return here
  }
  return null
}

/** An object, an array and a long text stand in a slice as `{}`. */
const isOpaque = (value: Json | undefined): boolean =>
  typeof value === 'string'
    ? Buffer.byteLength(value) > LONG_BYTES
    : typeof value === 'object' && value !== null
