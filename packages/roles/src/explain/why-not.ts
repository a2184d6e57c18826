import type { JsonObject, RoleName } from '@treeos/core'
import type { CompiledFlow } from '../evaluate/compile.ts'
import {
  checkWake,
  evaluateFlow,
  type FlowInput,
  isWearable,
  needsOf,
  type OpeningWake,
} from '../evaluate/evaluate.ts'
import { type ContextChange, candidatesFor, changesTo, coherent, withChanges } from './changes.ts'
import { testsIn } from './possible.ts'
import { type Aim, aimOf, all, any, smallestRepair } from './repair.ts'

/**
 * Why no context gives a role.
 * - `not-registered`, `not-named`, `other-cognition`: the role itself cannot be worn by this being
 * - `malformed`: only malformed clauses name it
 * - `asked`: the wake asked for another role
 * - `no-primary`: it is only stacked, and the being has nothing to wear as its primary
 * - `not-triggered`: no primary with which it is worn takes the trigger of the wake
 * - `thread-cut`, `being-ended`: the moment is skipped whatever its context
 * - `contradiction`: no context satisfies the clauses that name it and none of the plain clauses before
 * - `too-long`: the search was given up
 */
export type NeverWorn =
  | 'not-registered'
  | 'not-named'
  | 'other-cognition'
  | 'malformed'
  | 'asked'
  | 'no-primary'
  | 'not-triggered'
  | 'thread-cut'
  | 'being-ended'
  | 'contradiction'
  | 'too-long'

export type WhyNotWorn =
  /** none when it was worn */
  | { readonly changes: readonly ContextChange[]; readonly never?: undefined }
  | { readonly changes: null; readonly never: NeverWorn; readonly message: string }

/**
 * The smallest change of a context under which a role is worn, as the primary or stacked: the fewest of the
 * paths that the flow reads. Paths count as free of each other, except where one lies inside another: both
 * then count.
 */
export function whyNotWorn(flow: CompiledFlow, input: FlowInput & OpeningWake, role: RoleName): WhyNotWorn {
  const never = neverWorn(flow, input, role)
  if (never !== null) return never
  const context = input.context as JsonObject
  const ways = primariesOf(flow, input)
  const primaries = ways.filter(({ name }) => takesTrigger(name, input))
  if (primaries.length === 0) return refusedRole(noPrimary(ways.length, input), input, role)
  const anyPrimary = any(primaries.map(({ aim }) => aim))
  const worn = any([
    ...primaries.filter(({ name }) => name === role).map(({ aim }) => aim),
    ...wearable(flow, input)
      .filter((clause) => clause.stack && clause.role === role)
      .map(({ when }) => all([aimOf(when, true), anyPrimary])),
  ])
  if (worn.parts.length === 0) return refusedRole('not-triggered', input, role)
  const tests = flow.clauses.flatMap(({ fault, when }) => (fault === null ? testsIn(when) : []))
  const candidates = candidatesFor(context, flow.paths, tests)
  const repair = smallestRepair(all([...coherent(flow.paths), worn]), candidates)
  if (repair.found === null)
    return refusedRole(repair.why === 'never' ? 'contradiction' : 'too-long', input, role)
  const changes = changesTo(repair.found, candidates)
  if (!isWornIn(withChanges(context, changes), flow, input, role))
    throw new Error(`the change that should give role ${role} does not: ${JSON.stringify(changes)}`)
  return { changes }
}

/** Whether a moment with this context wears the role. */
function isWornIn(
  context: JsonObject,
  flow: CompiledFlow,
  input: FlowInput & OpeningWake,
  role: RoleName,
): boolean {
  const { primary, stacked, skip } = checkWake(evaluateFlow(flow, { ...input, context }), input, input.roles)
  return skip === undefined && (primary === role || stacked.includes(role))
}

const noPrimary = (ways: number, { asked }: FlowInput): NeverWorn =>
  ways > 0 ? 'not-triggered' : asked == null ? 'no-primary' : 'asked'

const wearable = (flow: CompiledFlow, input: FlowInput) =>
  flow.clauses.filter(({ fault, role }) => fault === null && isWearable(role!, input))

/** Every way to a primary: each plain clause without those before it, then the default. */
function primariesOf(flow: CompiledFlow, input: FlowInput): { name: RoleName; aim: Aim }[] {
  const { asked = null, defaultRole = null, roles } = input
  if (asked !== null) {
    const isNamed = asked === defaultRole || flow.roleNames.has(asked)
    return isNamed && isWearable(asked, input) ? [{ name: asked, aim: all([]) }] : []
  }
  const ways: { name: RoleName; aim: Aim }[] = []
  const before: Aim[] = []
  for (const { role, stack, when } of wearable(flow, input)) {
    if (stack) continue
    ways.push({ name: role!, aim: all([aimOf(when, true), ...before]) })
    before.push(aimOf(when, false))
  }
  const hasDefault = defaultRole !== null && needsOf(defaultRole, roles) !== undefined
  return hasDefault ? [...ways, { name: defaultRole, aim: all(before) }] : ways
}

function takesTrigger(primary: RoleName, { trigger, roles }: FlowInput & OpeningWake): boolean {
  const triggers = needsOf(primary, roles)?.triggerOn
  return trigger == null || triggers === undefined || triggers.includes(trigger)
}

function neverWorn(flow: CompiledFlow, input: FlowInput & OpeningWake, role: RoleName): WhyNotWorn | null {
  if (input.ended === true) return refusedRole('being-ended', input, role)
  if (input.cut === true) return refusedRole('thread-cut', input, role)
  const isDefault = input.defaultRole === role
  if (!isDefault && !flow.roleNames.has(role)) {
    const isMalformed = flow.clauses.some((clause) => clause.role === role)
    return refusedRole(isMalformed ? 'malformed' : 'not-named', input, role)
  }
  if (needsOf(role, input.roles) === undefined) return refusedRole('not-registered', input, role)
  const asked = input.asked ?? null
  if (!isWearable(role, input) && (!isDefault || asked !== null))
    return refusedRole('other-cognition', input, role)
  const stacks = flow.clauses.some((clause) => clause.fault === null && clause.stack && clause.role === role)
  return asked === null || asked === role || stacks ? null : refusedRole('asked', input, role)
}

function refusedRole(never: NeverWorn, input: FlowInput & OpeningWake, role: RoleName): WhyNotWorn {
  return { changes: null, never, message: WORDS[never](role, input) }
}

const WORDS: Readonly<Record<NeverWorn, (role: RoleName, input: FlowInput & OpeningWake) => string>> = {
  'not-registered': (role) => `role ${role} is not registered`,
  'not-named': (role) => `neither the flow nor the default role names ${role}`,
  'other-cognition': (role, { roles, cognition }) =>
    `role ${role} needs cognition ${needsOf(role, roles)?.requiredCognition}, the being's was ${cognition}`,
  malformed: (role) => `only malformed clauses name role ${role}`,
  asked: (role, { asked }) => `the wake asked for role ${asked}, so the flow decides nothing about ${role}`,
  'no-primary': (role) => `no clause and no default gives a primary role, on which ${role} could be stacked`,
  'not-triggered': (role, { trigger }) =>
    `no primary role with which ${role} could be worn takes the trigger ${trigger}`,
  'thread-cut': () => 'the thread of the wake was cut, so the moment was skipped',
  'being-ended': () => 'the being was ended, so the moment was skipped',
  contradiction: (role) =>
    `no context gives role ${role}: its conditions contradict each other, or a clause before it always matches`,
  'too-long': (role) => `the search for a context that gives role ${role} was too long`,
}
