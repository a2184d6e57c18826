/** Calls that are drawn from what is there: of every operation, most of them sensible, some not. */
import type { Json, JsonObject, VerbCall } from '@treeos/core'
import { defineExtension, defineOperation, defineRole } from '@treeos/sdk'
import type { ApprovalRow, BeingRow, MatterRow, SpaceRow } from '@treeos/world'
import { z } from 'zod'
import type { Random } from '../faults/random.ts'
import type { GeneratedReality } from './generated-reality.ts'

export const ANY = [{ pattern: '*' }]
const decide = () => ({ facts: [], result: null })

/** Roles with every kind of list entry, and an extension whose operations ask a person and write nothing. */
export const manor = defineExtension({
  name: 'manor',
  version: '1.0.0',
  roles: [
    defineRole({
      name: 'manor:free',
      canSee: ANY,
      canDo: ANY,
      canSummon: ANY,
      canBe: ANY,
      prompt: 'You may reach for everything.',
    }),
    defineRole({
      name: 'manor:maid',
      canSee: ['~', { rel: 'here' }, { rel: 'present' }, '/den', { pattern: '/den/*' }, 'matter:m1'],
      canDo: [
        'take',
        'put',
        'move',
        'set-being',
        'create-matter',
        'manor:mark',
        'set-schedule',
        'subscribe',
        'set-world-signal',
      ],
      canSummon: ['@operator', { rel: 'asker' }, { rel: 'parent' }, { rel: 'any-child' }],
      canBe: ['birth'],
      prompt: 'You keep the house.',
    }),
    defineRole({
      name: 'manor:guest',
      canSee: [{ rel: 'self' }, { pattern: 'den/@*' }, { rel: 'predecessor' }],
      canDo: [{ pattern: 'set-*' }],
      canSummon: [{ pattern: '/@*' }],
      replyTo: 'chain-initial',
      prompt: 'You are a guest.',
    }),
    defineRole({ name: 'manor:mute', respondMode: 'none', canSummon: ANY, prompt: 'You say little.' }),
    defineRole({
      name: 'manor:busy',
      selfContinue: true,
      canSee: ANY,
      canDo: ANY,
      canSummon: ANY,
      canBe: ANY,
      prompt: 'You go on.',
    }),
  ],
  operations: [
    defineOperation({
      name: 'manor:mark',
      description: 'Marks.',
      on: 'being',
      allow: ['self'],
      args: z.object({}),
      decide,
    }),
    defineOperation({
      ...{
        name: 'manor:till',
        description: 'Opens the till.',
        on: 'space',
        allow: ['anyone'],
        args: z.object({}),
        decide,
      },
      ask: { who: ['operator'] },
    }),
  ],
})

const NAMES = ['ann', 'ben', 'cleo', 'dan', 'eve', 'fay', 'gus', 'hal', 'ivy', 'jo']
const SPACES = ['/den', '/den/a', '/den/b', '/hall', '/hall/x', '/library/nook']
const THINGS = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8']
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

/** Operations that rules of spaces are about. */
const FREQUENT = [
  'create-space',
  'create-matter',
  'move',
  'take',
  'put',
  'set-size',
  'add-contributor',
].flatMap((name) => [name, name, name])

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

/** Draws for one step. */
export class Drawer {
  readonly #draw: Random
  readonly #at: GeneratedReality
  readonly #me: BeingRow

  constructor(draw: Random, at: GeneratedReality, me: BeingRow) {
    this.#draw = draw
    this.#at = at
    this.#me = me
  }

  get #beings(): string[] {
    return this.#at.named('being:')
  }

  /** Mostly one that it made. */
  being(): string {
    const own = this.#beings.filter(
      (name) => this.#at.row<BeingRow>(`being:${name}`)?.parent === this.#me.name,
    )
    if (own.length > 0 && this.#draw.chance(0.6)) return this.#draw.pick(own)
    return this.#draw.chance(0.95) ? this.#draw.pick(this.#beings) : this.#draw.pick(NAMES)
  }

  stance(): string {
    const name = this.being()
    return this.#draw.chance(0.96)
      ? `@${name}`
      : this.#draw.pick([`den/@${name}`, `~/@${name}`, '@', 'Not an address', `@${name}!`])
  }

  /** Mostly one of the first. */
  #mostly<T>(good: readonly T[], bad: readonly T[]): T {
    return this.#draw.pick(this.#draw.chance(0.92) ? good : bad)
  }

  space(): string {
    const own = [this.#me.space, this.#me.home, '~']
    const owned = this.#at
      .named('space:')
      .filter((path) => this.#at.row<SpaceRow>(`space:${path}`)?.owner === this.#me.name)
    if (owned.length > 0 && this.#draw.chance(0.6)) return this.#draw.pick(owned)
    if (this.#draw.chance(0.4)) return this.#draw.pick(own)
    return this.#mostly(this.#at.named('space:'), [...SPACES, '/nowhere', '/Bad', 'den/'])
  }

  thing(): string {
    const known = this.#at.named('matter:')
    const own = known.filter((id) => this.#at.row<MatterRow>(`matter:${id}`)?.owner === this.#me.name)
    if (own.length > 0 && this.#draw.chance(0.7)) return `matter:${this.#draw.pick(own)}`
    return `matter:${known.length > 0 && this.#draw.chance(0.95) ? this.#draw.pick(known) : this.#draw.pick(THINGS)}`
  }

  /** Mostly one that it holds. */
  held(): string {
    const holds = this.#at
      .named('matter:')
      .filter((id) => this.#at.row<MatterRow>(`matter:${id}`)?.place === `@${this.#me.name}`)
    return holds.length > 0 && this.#draw.chance(0.8) ? `matter:${this.#draw.pick(holds)}` : this.thing()
  }

  size(): Json {
    return this.#mostly<Json>(
      [{ x: 4, y: 4, z: 1 }, { x: 1, y: 1, z: 1 }, null],
      [{ x: 0, y: 1, z: 1 }, 'big'],
    )
  }

  coord(): JsonObject {
    return this.#draw.chance(0.8)
      ? {}
      : {
          coord: this.#draw.pick<Json>([
            { x: 0, y: 0, z: 0 },
            { x: 3, y: 3, z: 0 },
            { x: 9, y: 0, z: 0 },
            null,
            1,
          ]),
        }
  }

  role(): string {
    return this.#draw.chance(0.5) ? 'manor:free' : this.#mostly(ROLES, ['nobody', 'Bad Role', ''])
  }

  flow(): Json {
    const when = this.#draw.pick<Json>([
      { 'me.quality.mood.tone': 'calm' },
      { inHomeSpace: true },
      { 'world.bell.rings': { present: true } },
      { 'caller.cognition': 'human' },
      { 'moment.outside': true },
      { 'space.quality.den.tone': 1 },
      { 'wake.kind': ['message', 'schedule'] },
      { nonsense: 1 },
    ])
    const clause: JsonObject = { when, role: this.role(), ...(this.#draw.chance(0.4) ? { stack: true } : {}) }
    return this.#draw.pick<Json>([[], [clause], [clause, { role: this.role() }], 'none'])
  }

  standings(): Json {
    return this.#draw.shuffled(STANDINGS).slice(0, this.#draw.between(1, 3))
  }

  counts(): Json {
    const per = this.#draw.pick<Json>([[], ['being'], ['person', 'target'], ['target']])
    const within: JsonObject = this.#draw.chance(0.5) ? { within: this.#draw.pick([5, 60, 100_000]) } : {}
    const one = this.#draw.pick<Json>([
      { most: this.#draw.between(1, 4), per, ...within },
      { sum: 'everySeconds', most: 9 },
      { each: 'amount', most: 5 },
      { after: { do: 'move' }, per, ...within },
      { after: { be: 'birth' } },
    ])
    return this.#draw.chance(0.95) ? [one] : [{ most: 'many' }]
  }

  ask(): Json {
    const who = this.#draw.pick<Json>([
      ['operator'],
      ['owner'],
      ['@ann'],
      ['@ben', '@ann'],
      ['contributor'],
      ['parent'],
      ['operator', '@ann'],
    ])
    const more = this.#draw.pick<JsonObject>([
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
    const forbid = this.#draw
      .shuffled(STANDINGS)
      .slice(1, 2)
      .filter((one) => one !== 'anyone' && one !== 'operator')
    const parts: JsonObject = {
      ...(this.#draw.chance(0.6) ? { requires: this.#draw.chance(0.6) ? ['anyone'] : this.standings() } : {}),
      ...(forbid.length > 0 && this.#draw.chance(0.2) ? { forbid } : {}),
      ...(!isLook && this.#draw.chance(0.5) ? { ask: this.ask() } : {}),
      ...(!isLook && this.#draw.chance(0.4) ? { counts: this.counts() } : {}),
      ...(!isLook && this.#draw.chance(0.2)
        ? { outside: this.#draw.pick<Json>(['forbid', { ask: { who: ['operator'] } }]) }
        : {}),
    }
    const whole = Object.keys(parts).length === 0 ? { requires: ['anyone'] } : parts
    return this.#draw.chance(0.9) ? whole : this.#draw.pick<Json>([true, null, false, {}])
  }

  rules(): JsonObject {
    const namespace = this.#draw.chance(0.75) ? 'permissions' : 'shadow'
    const verb = this.#draw.pick(['do', 'do', 'do', 'see', 'summon', 'be'])
    const keys =
      { do: KEYS, see: ['*', '/den*', '@ann', '/'], summon: ['*', '@ann', '@b*'], be: ['birth', '*'] }[
        verb
      ] ?? KEYS
    if (this.#draw.chance(0.12)) return { field: namespace, value: null }
    return { field: namespace, value: { [verb]: { [this.#draw.pick(keys)]: this.rule(verb) } } }
  }

  quality(): JsonObject {
    const value = this.#draw.pick<Json>([1, 'calm', null, { a: 1 }, true])
    return {
      field: this.#mostly(
        ['mood.tone', 'den.tone', 'qualities.mood'],
        ['llm.connection', 'roleFlow', 'manor.a', 'Bad.Key', 'wake.idle'],
      ),
      value: this.#draw.chance(0.05) ? [1, { b: 'calm' }] : value,
      ...(this.#draw.chance(0.2) ? { merge: this.#draw.pick<Json>([true, false, 'no']) } : {}),
    }
  }

  spec(): JsonObject {
    return {
      name: this.#mostly(['walker', 'porter'], ['manor:free', 'Bad']),
      prompt: this.#mostly<Json>(['Walk.', 'Carry.'], [1]),
      canSee: this.#draw.pick<Json>([[], ['~'], ANY, ['/den'], [{ rel: 'self' }]]),
      canDo: this.#mostly<Json>([['move'], ['take', 'put'], ANY], ['move']),
    }
  }

  approval(): string {
    const known = answerable(this.#at, () => true)
    const id = known.length === 0 || this.#draw.chance(0.05) ? 'ann/1/1' : this.#draw.pick(known)
    const { revision = 1 } = this.#at.row<ApprovalRow>(`approval:${id}`) ?? {}
    return revision > 1 && this.#draw.chance(0.8) ? `${id}/${revision}` : id
  }

  seen(target: string): string {
    const key = target.startsWith('@')
      ? `being:${target.slice(1)}`
      : target.startsWith('/')
        ? `space:${target}`
        : target
    return this.#at.digestOf(this.#at.row(key) as Json)
  }

  /** By operation: what it is done to, and its arguments. */
  #forms(): Record<string, () => readonly [target: string | null, args: JsonObject]> {
    const name = () => ({ name: this.#mostly(['round', 'spy'], ['Bad Name']) })
    const amount = () => this.#mostly<Json>([0, 1, 5, 100, null], [-1])
    const self = () => this.#draw.pick([null, `@${this.#me.name}`, this.stance()])
    return {
      'create-space': () => {
        const path = this.#draw.pick(SPACES)
        const target = this.#draw.chance(0.8) ? path.slice(0, path.lastIndexOf('/')) || '/' : this.space()
        return [
          target,
          {
            path,
            ...(this.#draw.chance(0.3) ? { size: this.size() } : {}),
            ...this.coord(),
            ...(this.#draw.chance(0.2) ? { type: this.#draw.pick(['court', 'manor:room', 'Bad']) } : {}),
          },
        ]
      },
      'set-space': () => [this.space(), this.#draw.chance(0.75) ? this.rules() : this.quality()],
      'set-size': () => [this.space(), { size: this.size() }],
      'add-contributor': () => [this.space(), { being: this.stance() }],
      'remove-contributor': () => [this.space(), { being: this.stance() }],
      'create-matter': () => [
        this.#draw.pick([null, this.space()]),
        {
          id: this.#mostly(THINGS, ['Bad']),
          content: this.#draw.pick<Json>(['text', null, { a: [1] }]),
          ...this.coord(),
        },
      ],
      'set-matter': () => [this.thing(), this.quality()],
      'write-matter': () => [
        this.thing(),
        this.#draw.pick<JsonObject>([{ content: 'new' }, {}, { content: null }, { text: 'x' }]),
      ],
      'end-matter': () => [this.thing(), {}],
      take: () => [this.thing(), {}],
      put: () => [this.held(), this.coord()],
      move: () => [this.space(), { ...this.coord(), ...(this.#draw.chance(0.1) ? { amount: 3 } : {}) }],
      'set-being': () => [self(), this.quality()],
      'set-roleflow': () => [self(), { flow: this.flow() }],
      'pause-being': () => [this.stance(), {}],
      'resume-being': () => [this.stance(), {}],
      'end-being': () => [this.#draw.chance(0.3) ? this.stance() : '@operator', {}],
      'set-schedule': () => [
        self(),
        {
          ...name(),
          everySeconds: this.#mostly<Json>([3, 5, 3600], [0, 'often']),
          ...(this.#draw.chance(0.3) ? { priority: 'human' } : {}),
        },
      ],
      'delete-schedule': () => [self(), name()],
      subscribe: () => [
        self(),
        {
          ...name(),
          scope: this.#mostly(['everywhere', '/den', '/', '/hall'], ['~', '/nowhere']),
          field: this.#mostly(['den.tone', 'world.bell', 'mood'], ['world']),
          ...(this.#draw.chance(0.3) ? { equals: this.#draw.pick<Json>([1, [1, 2], {}, null]) } : {}),
          ...(this.#draw.chance(0.3) ? { below: true } : {}),
        },
      ],
      unsubscribe: () => [self(), name()],
      'set-budget': () =>
        this.#draw.chance(0.3)
          ? ['/', { births: amount(), for: this.#draw.pick(['llm', 'scripted']) }]
          : [
              this.stance(),
              { births: amount(), hops: this.#draw.pick<Json>([4, 9, null]), tokens: amount() },
            ],
      'accept-difference': () => {
        const being = this.being()
        const digest = () => this.#mostly<Json>(['a'.repeat(64), 'b'.repeat(64), null], ['c'])
        return [
          `@${being}`,
          {
            moment: this.#mostly([`${being}/1/1`], ['ann/1', 'ann/1/1']),
            recorded: digest(),
            given: digest(),
          },
        ]
      },
      'unpark-being': () => [this.stance(), this.#draw.pick<JsonObject>([{}, { release: true }])],
      'set-role': () => [
        null,
        { role: this.spec(), ...(this.#draw.chance(0.1) ? { trial: { moments: 3 } } : {}) },
      ],
      'delete-role': () => [
        null,
        {
          name: this.#draw.pick(['walker', 'porter', 'manor:free', 'nobody']),
          ...(this.#draw.chance(0.5) ? { force: true } : {}),
        },
      ],
      'set-world-signal': () => [
        '/',
        {
          namespace: this.#mostly(['bell', 'lamp', 'bell'], ['manor', 'model', 'Bad']),
          key: this.#mostly(['rings', 'a.b'], ['Bad Key']),
          value: this.#draw.pick<Json>([true, 1, null]),
        },
      ],
      'grant-namespace': () => [
        '/',
        { namespace: this.#draw.pick(['bell', 'lamp', 'manor']), being: this.stance() },
      ],
      'revoke-namespace': () => ['/', { namespace: this.#draw.pick(['bell', 'lamp']), being: this.stance() }],
      vouch: () => {
        const target = this.#draw.pick([`@${this.being()}`, this.space()])
        return [
          target,
          {
            seen: this.#draw.chance(0.85) ? this.seen(target) : 'nothing',
            ...(this.#draw.chance(0.1) ? { role: 'walker' } : {}),
          },
        ]
      },
      approve: () => [
        null,
        {
          id: this.approval(),
          ...(this.#draw.chance(0.15)
            ? { args: this.#draw.pick<JsonObject>([{}, { coord: { x: 0, y: 0, z: 0 } }, { wrong: 1 }]) }
            : {}),
        },
      ],
      deny: () => [null, { id: this.approval(), ...(this.#draw.chance(0.5) ? { why: 'not now' } : {}) }],
      erase: () => [
        `@${this.being()}`,
        this.#draw.pick<JsonObject>([
          { why: 'asked to' },
          { moment: 'ann/1/1', fact: {}, why: 'x' },
          { why: '' },
          { moment: 'x', why: 'y' },
        ]),
      ],
      'manor:mark': () => [self(), {}],
      'manor:till': () => [this.space(), {}],
      mediate: () => [null, {}],
      'no:such': () => [null, {}],
    }
  }

  #birth(): JsonObject {
    const cognition = this.#mostly(['scripted', 'scripted', 'human', 'llm'], ['cat'])
    return {
      name: this.#draw.pick(NAMES),
      cognition,
      ...(cognition === 'scripted' && this.#draw.chance(0.95)
        ? { script: this.#mostly(['silent'], ['no:script']) }
        : {}),
      ...(this.#draw.chance(0.85) ? { role: this.role() } : {}),
      ...(this.#draw.chance(0.4) ? { home: this.space() } : {}),
      ...(this.#draw.chance(0.15) ? { roleFlow: this.flow() } : {}),
      ...(this.#draw.chance(0.2)
        ? {
            ceiling: this.#draw.pick<Json>([
              { canSee: ANY, canDo: ANY, canSummon: ANY, canBe: ANY },
              { canSee: ['/'], canDo: [{ pattern: 'set-*' }] },
              { canDo: [{ rel: 'self' }] },
              null,
            ]),
          }
        : {}),
    }
  }

  call(): VerbCall {
    const verb = this.#draw.pick(['do', 'do', 'do', 'do', 'do', 'do', 'see', 'summon', 'be'] as const)
    if (verb === 'see')
      return { verb, address: this.#mostly([this.space(), this.stance(), this.thing()], ['nonsense!']) }
    if (verb === 'summon') return this.#summon()
    if (verb === 'be') return this.#be()
    const forms = this.#forms()
    const operation = this.#draw.pick([...Object.keys(forms), ...FREQUENT])
    const [target, args] = forms[operation]?.() ?? [null, {}]
    const misplaced = this.#draw.chance(0.04)
      ? this.#draw.pick([this.stance(), this.space(), this.thing(), null])
      : target
    return { verb, operation, target: misplaced, args: this.#draw.chance(0.03) ? { ...args, more: 1 } : args }
  }

  #be(): VerbCall {
    const operation = this.#mostly(['birth', 'birth', 'birth', 'connect', 'release'], ['no:such'])
    if (operation === 'birth') return { verb: 'be', operation, args: this.#birth() }
    const own: JsonObject = this.#draw.chance(0.3) ? { own: true } : {}
    if (operation === 'connect') return { verb: 'be', operation, args: { being: this.stance(), ...own } }
    return { verb: 'be', operation, args: this.#draw.chance(0.7) ? { being: this.stance() } : {} }
  }

  #summon(): VerbCall {
    const more: JsonObject = {
      ...(this.#draw.chance(0.1) ? { expectReply: this.#draw.chance(0.5) } : {}),
      ...(this.#draw.chance(0.1) ? { role: this.role() } : {}),
      ...(this.#draw.chance(0.1) ? { orientation: this.#draw.pick(['half', 'inward', 'forward']) } : {}),
      ...(this.#draw.chance(0.05) ? { channel: 'news' } : {}),
      ...(this.#draw.chance(0.02) ? { thread: 'none' } : {}),
    }
    const entries = [...this.#at.entries.keys()]
    const inReplyTo =
      entries.length > 0 && this.#draw.chance(0.15)
        ? (entries.at(-this.#draw.between(1, Math.min(5, entries.length))) ?? null)
        : null
    const target = this.#draw.chance(0.25) ? null : this.stance()
    return {
      verb: 'summon',
      target,
      content: this.#draw.pick<Json>(['hello', { a: 1 }]),
      inReplyTo,
      ...more,
    } as VerbCall
  }
}
