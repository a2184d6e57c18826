import type { Answer, Context, Moment, Workload } from './workload.ts'

/**
 * The same flow as hand-written closures, as an engineer writes them who needs only this flow. `guarded`
 * keeps the evaluator's rules and is its rival. `unguarded` shows the least possible cost: it trusts every
 * context to have the shape of the workload's. With another context it throws, or reads from a prototype.
 */
export const guarded = (workload: Workload) => walk(workload, guardedClauses)
export const unguarded = (workload: Workload) => walk(workload, unguardedClauses)

interface HandClause<C> {
  readonly role: string
  readonly stack: boolean
  readonly matches: (context: C) => boolean
}

function walk<C>(
  { districts }: Workload,
  clausesOf: (district: number) => HandClause<C>[],
): (moment: Moment) => Answer {
  const clauses = Array.from({ length: districts }, (_, district) => clausesOf(district)).flat()
  return ({ context, cognition, roles, defaultRole }) => {
    let primary: string | null = null
    const stacked: string[] = []
    for (const { role, stack, matches } of clauses) {
      if (stack ? stacked.includes(role) : primary !== null) continue
      if (!matches(context as C)) continue
      const needs = Object.hasOwn(roles, role) ? roles[role] : undefined
      if (needs === undefined) continue
      if (needs.requiredCognition !== null && needs.requiredCognition !== cognition) continue
      if (stack) stacked.push(role)
      else primary = role
    }
    return { primary: primary ?? defaultRole, stacked }
  }
}

const clause = <C>(role: string, matches: (context: C) => boolean) => ({ role, stack: false, matches })
const stacked = <C>(role: string, matches: (context: C) => boolean) => ({ role, stack: true, matches })

/** An own property of a plain object; anything else is missing. */
function own(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
}

const verb = (c: unknown) => own(c, 'verb')
const callerRole = (c: unknown) => own(own(c, 'caller'), 'role')
const callerCognition = (c: unknown) => own(own(c, 'caller'), 'cognition')
const spaceName = (c: unknown) => own(own(c, 'space'), 'name')
const tone = (c: unknown) => own(own(own(own(c, 'space'), 'quality'), 'ambient'), 'tone')
const inHomeSpace = (c: unknown) => own(c, 'inHomeSpace')
const hour = (c: unknown) => own(own(c, 'time'), 'hour')
const sinceLastMoment = (c: unknown) => own(own(c, 'time'), 'sinceLastMoment')
const previousRole = (c: unknown) => own(own(c, 'me'), 'previousRole')
const energy = (c: unknown) => own(own(own(own(c, 'me'), 'quality'), 'mood'), 'energy')
const signal = (c: unknown, namespace: string, key: string) => own(own(own(c, 'world'), namespace), key)

const atLeast = (value: unknown, min: number) => typeof value === 'number' && value >= min
const below = (value: unknown, bound: number) => typeof value === 'number' && value < bound

function guardedClauses(district: number): HandClause<unknown>[] {
  const { court, library, plaza, home, drum, host, judge, dancer } = namesOf(district)
  return [
    clause(host, (c) => spaceName(c) === court && verb(c) === 'summon' && callerCognition(c) === 'human'),
    clause(judge, (c) => spaceName(c) === court && signal(c, court, 'in-session') === true),
    clause(
      dancer,
      (c) => spaceName(c) === plaza && signal(c, drum, 'alive') === true && !(tone(c) === 'quiet'),
    ),
    clause(`reader-${district}`, (c) => spaceName(c) === library && tone(c) === 'quiet'),
    clause(
      `sleeper-${district}`,
      (c) => spaceName(c) === home && inHomeSpace(c) === true && (atLeast(hour(c), 22) || below(hour(c), 6)),
    ),
    clause(
      `clerk-${district}`,
      (c) =>
        (verb(c) === 'do' || verb(c) === 'summon') && (callerRole(c) === judge || callerRole(c) === host),
    ),
    clause(`rester-${district}`, (c) => previousRole(c) === dancer && signal(c, drum, 'alive') !== true),
    clause(`worker-${district}`, (c) => spaceName(c) === plaza && atLeast(hour(c), 9) && below(hour(c), 17)),
    stacked(`alert-${district}`, (c) => signal(c, court, 'disturbed') === true),
    stacked(`bored-${district}`, (c) => atLeast(sinceLastMoment(c), 60 + district) && atLeast(energy(c), 5)),
  ]
}

function unguardedClauses(district: number): HandClause<Context>[] {
  const { court, library, plaza, home, drum, host, judge, dancer } = namesOf(district)
  return [
    clause(host, (c) => c.space.name === court && c.verb === 'summon' && c.caller?.cognition === 'human'),
    clause(judge, (c) => c.space.name === court && c.world[court]?.['in-session'] === true),
    clause(
      dancer,
      (c) =>
        c.space.name === plaza && c.world[drum]?.alive === true && c.space.quality.ambient?.tone !== 'quiet',
    ),
    clause(
      `reader-${district}`,
      (c) => c.space.name === library && c.space.quality.ambient?.tone === 'quiet',
    ),
    clause(
      `sleeper-${district}`,
      (c) => c.space.name === home && c.inHomeSpace && (c.time.hour >= 22 || c.time.hour < 6),
    ),
    clause(
      `clerk-${district}`,
      (c) =>
        (c.verb === 'do' || c.verb === 'summon') && (c.caller?.role === judge || c.caller?.role === host),
    ),
    clause(`rester-${district}`, (c) => c.me.previousRole === dancer && c.world[drum]?.alive !== true),
    clause(`worker-${district}`, (c) => c.space.name === plaza && c.time.hour >= 9 && c.time.hour < 17),
    stacked(`alert-${district}`, (c) => c.world[court]?.disturbed === true),
    stacked(
      `bored-${district}`,
      (c) => (c.time.sinceLastMoment ?? 0) >= 60 + district && (c.me.quality.mood?.energy ?? 0) >= 5,
    ),
  ]
}

const namesOf = (district: number) => ({
  court: `court-${district}`,
  library: `library-${district}`,
  plaza: `plaza-${district}`,
  home: `home-${district}`,
  drum: `drum-${district}`,
  host: `host-${district}`,
  judge: `judge-${district}`,
  dancer: `dancer-${district}`,
})
