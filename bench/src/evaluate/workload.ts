import type { Cognition } from '@treeos/core'
import { type RoleFlow, requireFlow } from '@treeos/roles'

/** The result of a contestant: the primary role and the stacked roles. */
export interface Moment {
  readonly context: Context
  readonly cognition: Cognition
  /** every registered role */
  readonly roles: Readonly<Record<string, { readonly requiredCognition: Cognition | null }>>
  readonly defaultRole: string
}
export interface Answer {
  readonly primary: string | null
  readonly stacked: readonly string[]
}
/** A contestant that is prepared for one flow. */
export type Evaluate = (moment: Moment) => Answer | Promise<Answer>

/** An open context of this workload. The hand-written contestant relies on this shape. */
export type Context = {
  readonly verb: string
  readonly caller: { readonly role: string | null; readonly cognition: Cognition } | null
  readonly space: {
    readonly name: string
    readonly quality: { readonly ambient?: { readonly tone: string } }
  }
  readonly inHomeSpace: boolean
  readonly time: {
    readonly hour: number
    readonly dayOfWeek: number
    readonly sinceLastMoment: number | null
  }
  readonly me: {
    readonly previousRole: string | null
    readonly quality: { readonly mood?: { readonly energy: number } }
  }
  readonly world: Readonly<Record<string, Readonly<Record<string, boolean>>>>
}

export interface Workload {
  readonly flow: RoleFlow
  readonly districts: number
  readonly moments: readonly Moment[]
}

const CONTEXTS = 1000

/** Clauses of one district of a town: eight plain, two stacked. */
function clausesOf(district: number) {
  const court = `court-${district}`
  const drumming = `world.drum-${district}.alive`
  return [
    {
      when: { 'space.name': court, verb: 'summon', 'caller.cognition': 'human' },
      role: `host-${district}`,
    },
    { when: { 'space.name': court, [`world.${court}.in-session`]: true }, role: `judge-${district}` },
    {
      when: {
        'space.name': `plaza-${district}`,
        [drumming]: true,
        not: { 'space.quality.ambient.tone': 'quiet' },
      },
      role: `dancer-${district}`,
    },
    {
      when: { 'space.name': `library-${district}`, 'space.quality.ambient.tone': 'quiet' },
      role: `reader-${district}`,
    },
    {
      when: {
        'space.name': `home-${district}`,
        inHomeSpace: true,
        or: [{ 'time.hour': { gte: 22 } }, { 'time.hour': { lt: 6 } }],
      },
      role: `sleeper-${district}`,
    },
    {
      when: { verb: ['do', 'summon'], 'caller.role': [`judge-${district}`, `host-${district}`] },
      role: `clerk-${district}`,
    },
    {
      when: { 'me.previousRole': `dancer-${district}`, [drumming]: { ne: true } },
      role: `rester-${district}`,
    },
    {
      when: { 'space.name': `plaza-${district}`, 'time.hour': { gte: 9, lt: 17 } },
      role: `worker-${district}`,
    },
    { stack: true, when: { [`world.${court}.disturbed`]: true }, role: `alert-${district}` },
    {
      stack: true,
      when: { 'time.sinceLastMoment': { gte: 60 + district }, 'me.quality.mood.energy': { gte: 5 } },
      role: `bored-${district}`,
    },
  ]
}

/** @param clauses a multiple of ten: a town has one district for each ten clauses */
export function makeWorkload(clauses: number): Workload {
  const districts = clauses / 10
  const flow = requireFlow(Array.from({ length: districts }, (_, district) => clausesOf(district)).flat())
  const chance = new Chance(clauses)
  const roles = Object.fromEntries(
    ['resident', ...flow.map(({ role }) => role)].map((role) => [
      role,
      { requiredCognition: role.startsWith('host') ? ('human' as const) : null },
    ]),
  )
  const moments = Array.from({ length: CONTEXTS }, (): Moment => {
    // Real contexts come from JSON, which affects the memory layout of an object.
    const context = JSON.parse(JSON.stringify(contextOf(districts, chance))) as Context
    return { context, cognition: chance.oneOf('llm', 'llm', 'human'), roles, defaultRole: 'resident' }
  })
  return { flow, districts, moments }
}

function contextOf(districts: number, chance: Chance): Context {
  const home = chance.below(districts)
  const at = chance.below(districts)
  const world: Record<string, Record<string, boolean>> = {}
  for (let district = 0; district < districts; district++) {
    world[`court-${district}`] = { 'in-session': chance.is(0.5), disturbed: chance.is(0.2) }
    if (chance.is(0.8)) world[`drum-${district}`] = { alive: chance.is(0.3) }
  }
  return {
    verb: chance.oneOf('summon', 'do', 'be', 'see'),
    caller: chance.is(0.3)
      ? null
      : {
          role: chance.oneOf(null, `judge-${at}`, `host-${home}`, 'resident'),
          cognition: chance.oneOf('human', 'llm', 'scripted'),
        },
    space: {
      name: chance.oneOf(`court-${at}`, `library-${at}`, `plaza-${at}`, `home-${home}`),
      quality: chance.is(0.5) ? { ambient: { tone: chance.oneOf('quiet', 'loud') } } : {},
    },
    inHomeSpace: chance.is(0.3),
    time: {
      hour: chance.below(24),
      dayOfWeek: chance.below(7),
      sinceLastMoment: chance.is(0.1) ? null : chance.below(120),
    },
    me: {
      previousRole: chance.oneOf(null, `dancer-${home}`, `worker-${home}`, 'resident'),
      quality: chance.is(0.7) ? { mood: { energy: chance.below(10) } } : {},
    },
    world,
  }
}

/** Pseudo-random with a fixed seed, so that every run has the same inputs. */
class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(bound: number): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * bound)
  }

  is(share: number): boolean {
    return this.below(1_000_000) < share * 1_000_000
  }

  oneOf<T>(...values: readonly T[]): T {
    return values[this.below(values.length)] as T
  }
}
