/** Parts of calls that are drawn from what is there: beings, places, things, rules and roles, most of them sensible, some not. */
import type { Json, JsonObject } from '@treeos/core'
import type { ApprovalRow, BeingRow, MatterRow, SpaceRow } from '@treeos/world'
import type { Random } from '../faults/random.ts'
import type { GeneratedReality } from './generated-reality.ts'
import { ANY } from './manor.ts'

export const NAMES = ['ann', 'ben', 'cleo', 'dan', 'eve', 'fay', 'gus', 'hal', 'ivy', 'jo']
export const SPACES = ['/den', '/den/a', '/den/b', '/hall', '/hall/x', '/library/nook']
export const THINGS = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8']
const ROLES = [
  'manor:free',
  'manor:maid',
  'manor:guest',
  'manor:mute',
  'manor:busy',
  'resident',
  'walker',
  'porter',
]
const STANDINGS: readonly Json[] = [
  ...['anyone', 'self', 'parent', 'ancestor', 'owner', 'contributor', 'home', 'operator'],
  { role: 'manor:free' },
  { role: 'manor:maid' },
]
const KEYS = [
  '*',
  'move',
  'move',
  'create-*',
  'create-*',
  'take',
  'put',
  'create-space',
  'create-matter',
  'set-size',
  'add-contributor',
]

/**
 * What waits for a yes of somebody. The first verifier knows the wake of the moment that asked where it is a
 * summon alone: of another it says that what it answers is not in the bundle, so nothing else is answered
 * here.
 */
export const answerable = (at: GeneratedReality, holds: (row: ApprovalRow) => boolean): string[] =>
  at.named('approval:').filter((id) => {
    const row = at.row<ApprovalRow>(`approval:${id}`)
    return row !== null && at.entries.get(row.wake)?.kind === 'summon' && holds(row)
  })

/** Draws parts of the calls of one being at one step. */
export class PartDrawer {
  readonly draw: Random
  readonly me: BeingRow
  readonly #at: GeneratedReality

  constructor(draw: Random, at: GeneratedReality, me: BeingRow) {
    this.draw = draw
    this.#at = at
    this.me = me
  }

  get #beings(): string[] {
    return this.#at.named('being:')
  }

  /** Mostly one that it made. */
  being(): string {
    const own = this.#beings.filter(
      (name) => this.#at.row<BeingRow>(`being:${name}`)?.parent === this.me.name,
    )
    if (own.length > 0 && this.draw.chance(0.6)) return this.draw.pick(own)
    return this.draw.chance(0.95) ? this.draw.pick(this.#beings) : this.draw.pick(NAMES)
  }

  stance(): string {
    const name = this.being()
    return this.draw.chance(0.96)
      ? `@${name}`
      : this.draw.pick([`den/@${name}`, `~/@${name}`, '@', 'Not an address', `@${name}!`])
  }

  /** Mostly one of the first. */
  mostly<T>(good: readonly T[], bad: readonly T[]): T {
    return this.draw.pick(this.draw.chance(0.92) ? good : bad)
  }

  space(): string {
    const own = [this.me.space, this.me.home, '~']
    const owned = this.#at
      .named('space:')
      .filter((path) => this.#at.row<SpaceRow>(`space:${path}`)?.owner === this.me.name)
    if (owned.length > 0 && this.draw.chance(0.6)) return this.draw.pick(owned)
    if (this.draw.chance(0.4)) return this.draw.pick(own)
    return this.mostly(this.#at.named('space:'), [...SPACES, '/nowhere', '/Bad', 'den/'])
  }

  thing(): string {
    const known = this.#at.named('matter:')
    const own = known.filter((id) => this.#at.row<MatterRow>(`matter:${id}`)?.owner === this.me.name)
    if (own.length > 0 && this.draw.chance(0.7)) return `matter:${this.draw.pick(own)}`
    return `matter:${known.length > 0 && this.draw.chance(0.95) ? this.draw.pick(known) : this.draw.pick(THINGS)}`
  }

  /** Mostly one that it holds. */
  held(): string {
    const holds = this.#at
      .named('matter:')
      .filter((id) => this.#at.row<MatterRow>(`matter:${id}`)?.place === `@${this.me.name}`)
    return holds.length > 0 && this.draw.chance(0.8) ? `matter:${this.draw.pick(holds)}` : this.thing()
  }

  size(): Json {
    return this.mostly<Json>(
      [{ x: 4, y: 4, z: 1 }, { x: 1, y: 1, z: 1 }, null],
      [{ x: 0, y: 1, z: 1 }, 'big'],
    )
  }

  coord(): JsonObject {
    return this.draw.chance(0.8)
      ? {}
      : {
          coord: this.draw.pick<Json>([
            { x: 0, y: 0, z: 0 },
            { x: 3, y: 3, z: 0 },
            { x: 9, y: 0, z: 0 },
            null,
            1,
          ]),
        }
  }

  role(): string {
    return this.draw.chance(0.5) ? 'manor:free' : this.mostly(ROLES, ['nobody', 'Bad Role', ''])
  }

  flow(): Json {
    const when = this.draw.pick<Json>([
      { 'me.quality.mood.tone': 'calm' },
      { inHomeSpace: true },
      { 'world.bell.rings': { present: true } },
      { 'caller.cognition': 'human' },
      { 'caller.role': 'human' },
      { 'caller.role': { notIn: ['human', 'walker'] } },
      { 'moment.outside': true },
      { 'space.quality.den.tone': 1 },
      { 'wake.kind': ['message', 'schedule'] },
      { nonsense: 1 },
    ])
    const clause: JsonObject = { when, role: this.role(), ...(this.draw.chance(0.4) ? { stack: true } : {}) }
    return this.draw.pick<Json>([[], [clause], [clause, { role: this.role() }], 'none'])
  }

  standings(): Json {
    return this.draw.shuffled(STANDINGS).slice(0, this.draw.between(1, 3))
  }

  counts(): Json {
    const per = this.draw.pick<Json>([[], ['being'], ['person', 'target'], ['target']])
    const within: JsonObject = this.draw.chance(0.5) ? { within: this.draw.pick([5, 60, 100_000]) } : {}
    const one = this.draw.pick<Json>([
      { most: this.draw.between(1, 4), per, ...within },
      { sum: 'everySeconds', most: 9 },
      { each: 'amount', most: 5 },
      { after: { do: 'move' }, per, ...within },
      { after: { be: 'birth' } },
    ])
    return this.draw.chance(0.95) ? [one] : [{ most: 'many' }]
  }

  ask(): Json {
    const who = this.draw.pick<Json>([
      ['operator'],
      ['owner'],
      ['@ann'],
      ['@ben', '@ann'],
      ['contributor'],
      ['parent'],
      ['operator', '@ann'],
    ])
    const more = this.draw.pick<JsonObject>([
      {},
      { count: 2 },
      { within: 20 },
      { within: 3600 },
      { beyond: this.counts() },
      { count: 9 },
    ])
    return { who, ...more }
  }

  rule(verb: string): Json {
    const isLook = verb === 'see'
    const forbid = this.draw
      .shuffled(STANDINGS)
      .slice(1, 2)
      .filter((one) => one !== 'anyone' && one !== 'operator')
    const parts: JsonObject = {
      ...(this.draw.chance(0.6) ? { requires: this.draw.chance(0.6) ? ['anyone'] : this.standings() } : {}),
      ...(forbid.length > 0 && this.draw.chance(0.2) ? { forbid } : {}),
      ...(!isLook && this.draw.chance(0.5) ? { ask: this.ask() } : {}),
      ...(!isLook && this.draw.chance(0.4) ? { counts: this.counts() } : {}),
      ...(!isLook && this.draw.chance(0.2)
        ? { outside: this.draw.pick<Json>(['forbid', { ask: { who: ['operator'] } }]) }
        : {}),
    }
    const whole = Object.keys(parts).length === 0 ? { requires: ['anyone'] } : parts
    return this.draw.chance(0.9) ? whole : this.draw.pick<Json>([true, null, false, {}])
  }

  rules(): JsonObject {
    const namespace = this.draw.chance(0.75) ? 'permissions' : 'shadow'
    const verb = this.draw.pick(['do', 'do', 'do', 'see', 'summon', 'be'])
    const keys =
      { do: KEYS, see: ['*', '/den*', '@ann', '/'], summon: ['*', '@ann', '@b*'], be: ['birth', '*'] }[
        verb
      ] ?? KEYS
    if (this.draw.chance(0.12)) return { field: namespace, value: null }
    return { field: namespace, value: { [verb]: { [this.draw.pick(keys)]: this.rule(verb) } } }
  }

  quality(): JsonObject {
    const value = this.draw.pick<Json>([1, 'calm', null, { a: 1 }, true])
    return {
      field: this.mostly(
        ['mood.tone', 'den.tone', 'qualities.mood'],
        [
          'llm.connection',
          'roleFlow',
          'manor.a',
          'Bad.Key',
          'wake.idle',
          'a2a.public',
          'wake.workflows',
          'wake',
        ],
      ),
      value: this.draw.chance(0.05) ? [1, { b: 'calm' }] : value,
      ...(this.draw.chance(0.2) ? { merge: this.draw.pick<Json>([true, false, 'no']) } : {}),
    }
  }

  spec(): JsonObject {
    return {
      name: this.mostly(['walker', 'porter'], ['manor:free', 'Bad']),
      prompt: this.mostly<Json>(['Walk.', 'Carry.'], [1]),
      canSee: this.draw.pick<Json>([[], ['~'], ANY, ['/den'], [{ rel: 'self' }]]),
      canDo: this.mostly<Json>([['move'], ['mark', 'put'], ANY], ['move']),
    }
  }

  approval(): string {
    const known = answerable(this.#at, () => true)
    const id = known.length === 0 || this.draw.chance(0.05) ? 'ann/1/1' : this.draw.pick(known)
    const { revision = 1 } = this.#at.row<ApprovalRow>(`approval:${id}`) ?? {}
    return revision > 1 && this.draw.chance(0.8) ? `${id}/${revision}` : id
  }

  seen(target: string): string {
    const key = target.startsWith('@')
      ? `being:${target.slice(1)}`
      : target.startsWith('/')
        ? `space:${target}`
        : target
    return this.#at.digestOf(this.#at.row(key) as Json)
  }

  /** Ids of summons so far. */
  get said(): string[] {
    return [...this.#at.entries.keys()]
  }
}
