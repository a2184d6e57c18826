/** Steps of generated realities: somebody is woken, or a person acts; some are a few calls that belong together. */
import { type Json, type JsonObject, newWake, PRIORITIES, type VerbCall, type Wake } from '@treeos/core'
import type { ApprovalRow, BeingRow } from '@treeos/world'
import { Random } from '../faults/random.ts'
import { drawnCall } from './drawn-calls.ts'
import { answerable, PartDrawer } from './drawn-parts.ts'
import type { GeneratedReality } from './generated-reality.ts'
import { ANY } from './manor.ts'

/** One step of a reality: a call, or a few that belong together. Each draws from the reality as it is, so that steps can be left out. */
export async function liveStep(at: GeneratedReality, draw: Random, id: number): Promise<void> {
  if (draw.chance(0.06)) at.now += draw.pick([20_000, 90_000, 4_000_000])
  if (draw.chance(0.02)) expireOne(at)
  const turn = draw.next()
  if (turn < 0.05) return liveQuestion(new Story(at, draw, id))
  if (turn < 0.08) return liveWordsFromOutside(new Story(at, draw, id))
  if (turn < 0.1) return liveLease(new Story(at, draw, id))
  return liveCall(at, draw, id)
}

async function liveCall(at: GeneratedReality, draw: Random, id: number): Promise<void> {
  const [name, call] = actorOf(at, draw)
  const me = at.row<BeingRow>(`being:${name}`)
  if (me === null) return
  const wake = wakeOf(at, draw, me, id, call !== null)
  const held = (wake.content as JsonObject | null)?.call as unknown as VerbCall | undefined
  const made = held ?? call ?? drawnCall(new PartDrawer(draw, at, me))
  await at.live(name, wake.kind === 'act' ? withCall(wake, made) : wake, made)
}

const withCall = (wake: Wake, call: VerbCall): Wake => ({
  ...wake,
  content: { ...(wake.content as JsonObject), call: call as unknown as Json },
})

/** Calls that belong together. */
class Story {
  readonly at: GeneratedReality
  readonly draw: Random
  readonly #id: number
  #moments = 0

  constructor(at: GeneratedReality, draw: Random, id: number) {
    this.at = at
    this.draw = draw
    this.#id = id
  }

  get key(): string {
    this.#moments += 1
    return `${this.at.id}-${this.#id}-${this.#moments}`
  }

  being(name: string): BeingRow {
    return this.at.row<BeingRow>(`being:${name}`) as BeingRow
  }

  drawer(name: string): PartDrawer {
    return new PartDrawer(this.draw, this.at, this.being(name))
  }

  /** An act of a person, as itself or as who it drives. */
  act(name: string, call: VerbCall, lease: JsonObject = {}): ReturnType<GeneratedReality['live']> {
    const root = this.key
    const wake = newWake({
      id: `act/${root}`,
      being: name,
      kind: 'act',
      priority: PRIORITIES.human,
      content: { answers: null, ...lease },
      root,
    })
    return this.at.live(name, withCall(wake, call), call)
  }

  /** A mind is spoken to, and makes this call. */
  async told(name: string, call: VerbCall): ReturnType<GeneratedReality['live']> {
    const by = this.draw.pick(['operator', 'ann'])
    await this.act(by, { verb: 'summon', target: `@${name}`, content: 'do it', inReplyTo: null })
    const wake = this.at.waiting.get(name)?.find(({ kind }) => kind === 'summon')
    return wake === undefined ? null : this.at.live(name, wake, call)
  }
}

/** A rule asks about a call, and a person says yes, changes it or says no; or it is too late, or something else changed meanwhile. */
async function liveQuestion(story: Story): Promise<void> {
  const { at, draw } = story
  const place = draw.pick(['/den', '/hall', '/'])
  const drawer = story.drawer('operator')
  const rule = {
    requires: ['anyone'],
    ask: drawer.ask(),
    ...(draw.chance(0.3) ? { counts: [{ most: 3, per: ['being'] }] } : {}),
  } as unknown as JsonObject
  const rules = (of: Json): VerbCall => ({
    verb: 'do',
    operation: 'set-space',
    target: place,
    args: { field: 'permissions', value: { do: { 'create-matter': of } } },
  })
  await story.act('operator', rules(rule))
  const name = draw.chance(0.8) ? 'cleo' : 'dan'
  const call: VerbCall = {
    verb: 'do',
    operation: 'create-matter',
    target: place,
    args: { id: `k${draw.between(1, 999)}`, content: 'asked for' },
  }
  const asked = await story.told(name, call)
  if (asked?.outcome !== 'waiting') return
  const { rules: asks } = at.row<ApprovalRow>(`approval:${asked.moment}`) as ApprovalRow
  const turn = draw.next()
  if (turn < 0.1)
    at.writeUnlived([{ reel: `approval:${asked.moment}`, kind: 'approval:expired', payload: {} }])
  if (turn > 0.1 && turn < 0.15) at.now += 9_000_000
  for (const who of new Set(asks.flatMap((one) => one.who))) {
    const [, said] = answerTo(at, draw, asked.moment)
    if (said !== null && story.being(who).ended === undefined) await story.act(who, said)
  }
  if (turn > 0.15 && turn < 0.25)
    await story.act('operator', rules({ requires: ['anyone'], ask: { who: ['@ben'] } }))
  if (turn > 0.25 && turn < 0.3) at.now += 9_000_000
  const approved = at.waiting.get(name)?.find((wake) => wake.id === `approved/${asked.moment}`)
  const held = (approved?.content as JsonObject | undefined)?.call as unknown as VerbCall | undefined
  if (approved !== undefined && held !== undefined)
    await at.live(name, approved, draw.chance(0.95) ? held : call)
}

/** A mark is set, or cleared, in a place where a being is whose flow reads one quality of it, and whose views show none. */
async function liveBesideMark({ at, key }: Story): Promise<void> {
  const draw = new Random(Number(key.split('-').at(-1)) + at.named('being:').length)
  let woken = 0
  const wakeNamed = (being: string, name: string, isOutside: boolean) => {
    woken += 1 // a wake has one moment
    return at.event(being, `${name}/${key}-${woken}`, isOutside)
  }
  const noting = (isOutside: boolean) =>
    at.live('cleo', wakeNamed('cleo', 'note', isOutside), {
      verb: 'do',
      operation: 'set-space',
      target: '/den',
      args: {
        field: draw.pick(['note', 'note.text', 'note.tone']),
        value: draw.pick<Json>(['x', { tone: 'x' }]),
      },
    })
  const looking = () =>
    at.live('vera', wakeNamed('vera', 'beside', false), {
      verb: 'see',
      address: draw.pick(['/den', '@vera']),
    })
  await noting(true)
  await looking()
  await noting(draw.chance(0.3))
  await looking()
}

/** A mind hears words from outside and writes, what it wrote is marked, and a person vouches for it. */
async function liveWordsFromOutside(story: Story): Promise<void> {
  const { at, draw } = story
  const wake = at.event('cleo', `mail/${story.key}`, true)
  const call: VerbCall = draw.pick<VerbCall>([
    { verb: 'do', operation: 'set-being', target: '@cleo', args: { field: 'mood.tone', value: 'told' } },
    {
      verb: 'do',
      operation: 'set-world-signal',
      target: '/',
      args: { namespace: 'bell', key: 'rings', value: 1 },
    },
    {
      verb: 'do',
      operation: 'create-matter',
      target: '/den',
      args: { id: `o${draw.between(1, 99)}`, content: 'as told' },
    },
    { verb: 'summon', target: '@dan', content: 'as told', inReplyTo: null },
    {
      verb: 'be',
      operation: 'birth',
      args: { name: `o${draw.between(1, 99)}`, cognition: 'scripted', script: 'silent', role: 'manor:free' },
    },
  ])
  const rule = { requires: ['anyone'], outside: draw.pick<Json>(['forbid', { ask: { who: ['operator'] } }]) }
  const rules = { field: 'permissions', value: { do: { 'create-matter': rule }, summon: { '*': rule } } }
  if (draw.chance(0.4))
    await story.act('operator', { verb: 'do', operation: 'set-space', target: '/den', args: rules })
  await at.live('cleo', wake, call)
  await liveBesideMark(story)
  const target = draw.chance(0.7) ? '@cleo' : '/den'
  const seen = story.drawer('operator').seen(target)
  if (draw.chance(0.7))
    await story.act(draw.pick(['operator', 'operator', 'ann']), {
      verb: 'do',
      operation: 'vouch',
      target,
      args: { seen },
    })
  const signals = at.digestOf(at.row('world:bell') as Json)
  if (draw.chance(0.3))
    await story.act('operator', {
      verb: 'do',
      operation: 'vouch',
      target: '/',
      args: { seen: signals, namespace: 'bell' },
    })
}

/** A person takes one of its offspring, acts as it, and lets it go. */
async function liveLease(story: Story): Promise<void> {
  const { draw } = story
  const own: JsonObject = draw.chance(0.4) ? { own: true } : {}
  await story.act('operator', { verb: 'be', operation: 'connect', args: { being: '@cleo', ...own } })
  const { by = null, epoch = 0 } = story.being('cleo').inhabited ?? {}
  for (let i = draw.between(1, 3); i > 0; i--) {
    const call = drawnCall(story.drawer('cleo'))
    if (by !== null) await story.act('cleo', call, { lease: { driver: by, epoch } })
  }
  await story.act('operator', { verb: 'be', operation: 'release', args: { being: '@cleo' } })
}

/** Beings of each reality that may do next to nothing. */
const FIRST = ['birther', 'role-manager', 'librarian', 'echo']

/** Who makes the next call, and which, where the step is about something: a rule, a question or an answer. */
function actorOf(at: GeneratedReality, draw: Random): readonly [name: string, call: VerbCall | null] {
  const isAlive = (name: string) => at.row<BeingRow>(`being:${name}`)?.ended === undefined
  const alive = at
    .named('being:')
    .filter((name) => name !== 'vera') // it lives beside marks alone
    .filter((name) => (isAlive(name) || draw.chance(0.1)) && (!FIRST.includes(name) || draw.chance(0.12)))
  const brought = alive.filter((name) =>
    at.waiting.get(name)?.some((wake) => wake.id.startsWith('approved/')),
  )
  if (brought.length > 0 && draw.chance(0.6)) return [draw.pick(brought), null]
  const open = answerable(at, ({ state }) => state === 'open')
  const turn = draw.next()
  const operator = at.row<BeingRow>('being:operator') as BeingRow
  if (turn < 0.12) {
    const target = draw.pick(['/', '/den', '/hall', ...at.named('space:')])
    return [
      'operator',
      { verb: 'do', operation: 'set-space', target, args: new PartDrawer(draw, at, operator).rules() },
    ]
  }
  if (turn < 0.32 && open.length > 0) return answerTo(at, draw, draw.pick(open))
  const minds = alive.filter((name) => at.row<BeingRow>(`being:${name}`)?.cognition.kind === 'scripted')
  if (turn > 0.32 && turn < 0.38 && minds.length > 0)
    return [
      draw.pick(['operator', 'ann']),
      {
        verb: 'summon',
        target: `@${draw.pick(minds)}`,
        content: draw.chance(0.9)
          ? 'hello'
          : { do: 'set-world-signal', namespace: 'bell', key: 'rings', value: 1 },
        inReplyTo: null,
      },
    ]
  const asked = minds.filter((name) => at.waiting.get(name)?.some(({ kind }) => kind === 'summon'))
  if (asked.length > 0 && draw.chance(0.55)) return [draw.pick(asked), null]
  return [
    draw.chance(0.65)
      ? draw.pick(['operator', 'operator', 'operator', 'ann', 'ann', 'ben', 'cleo'])
      : draw.pick(alive),
    null,
  ]
}

/** A person that is asked says yes, changes the call, or says no. */
function answerTo(
  at: GeneratedReality,
  draw: Random,
  id: string,
): readonly [name: string, call: VerbCall | null] {
  const { rules, revision, call } = at.row<ApprovalRow>(`approval:${id}`) as ApprovalRow
  const who = draw.chance(0.95) ? draw.pick(rules.flatMap((rule) => rule.who)) : 'ben'
  const shown = revision === 1 ? id : `${id}/${revision}`
  if (draw.chance(0.12))
    return [who, { verb: 'do', operation: 'deny', target: null, args: { id: shown, why: 'no' } }]
  const changed: JsonObject = draw.chance(0.15) && 'args' in call ? { args: { ...call.args } } : {}
  return [who, { verb: 'do', operation: 'approve', target: null, args: { id: shown, ...changed } }]
}

function expireOne(at: GeneratedReality): void {
  const open = at.named('approval:').filter((id) => at.row<ApprovalRow>(`approval:${id}`)?.state === 'open')
  if (open[0] !== undefined)
    at.writeUnlived([{ reel: `approval:${open[0]}`, kind: 'approval:expired', payload: {} }])
}

function wakeOf(at: GeneratedReality, draw: Random, me: BeingRow, id: number, isInPerson: boolean): Wake {
  const { by = null, epoch = 0 } = me.inhabited ?? {}
  const waiting = at.waiting.get(me.name) ?? []
  const approved = waiting.find((one) => one.id.startsWith('approved/'))
  if (approved !== undefined && !isInPerson && draw.chance(0.9)) return approved
  if (me.cognition.kind === 'human' || (by !== null && draw.chance(0.6))) {
    const isFree = me.cognition.kind === 'human' && (by === null || isInPerson)
    const lease: JsonObject = isFree
      ? {}
      : {
          lease: {
            driver: by ?? 'operator',
            epoch: me.cognition.kind === 'human' || draw.chance(0.95) ? epoch : 0,
          },
        }
    const asked = [...at.entries.values()].filter((one) => one.being === me.name && one.kind === 'summon')
    const answers = !isInPerson && draw.chance(0.25) ? (asked.at(-1)?.id ?? null) : null
    return newWake({
      id: `act/${at.id}-${id}`,
      being: me.name,
      kind: 'act',
      priority: PRIORITIES.human,
      content: { answers, ...lease },
      root: `${at.id}-${id}`,
    })
  }
  const next = waiting.find(({ kind }) => kind === 'summon') ?? waiting[0]
  if (next !== undefined && draw.chance(0.85)) return next
  return at.event(me.name, `round/${id}`, draw.chance(0.12))
}

/** The beginning that every generated reality has, as calls of the operator. */
export const BEGINNING: readonly VerbCall[] = [
  ...(['/den', '/hall'] as const).map(
    (path): VerbCall => ({
      verb: 'do',
      operation: 'create-space',
      target: '/',
      args: { path, size: { x: 4, y: 4, z: 1 } },
    }),
  ),
  ...(['ann', 'ben'] as const).map(
    (name): VerbCall => ({
      verb: 'be',
      operation: 'birth',
      args: { name, cognition: 'human', role: 'manor:free', home: '/den' },
    }),
  ),
  ...(['cleo', 'dan'] as const).map(
    (name, i): VerbCall => ({
      verb: 'be',
      operation: 'birth',
      args: {
        name,
        cognition: 'scripted',
        script: 'silent',
        role: ['manor:free', 'manor:maid'][i] ?? '',
        home: '/den',
        ...(i === 0
          ? {}
          : { ceiling: { canSee: ANY, canDo: ['move', 'take', 'create-matter'], canSummon: ANY } }),
      },
    }),
  ),
  {
    verb: 'be',
    operation: 'birth',
    args: {
      ...{ name: 'vera', cognition: 'llm', role: 'manor:blind', home: '/den' },
      roleFlow: [
        { when: { 'moment.outside': true }, role: 'manor:maid' },
        { when: { 'space.quality.note.tone': 'x' }, role: 'manor:blind' },
      ],
    },
  },
  { verb: 'do', operation: 'add-contributor', target: '/den', args: { being: '@cleo' } },
  { verb: 'do', operation: 'create-matter', target: '/den', args: { id: 'm1', content: 'a book' } },
]

const does = (operation: string, target: string | null, args: JsonObject = {}): VerbCall => ({
  verb: 'do',
  operation,
  target,
  args,
})
const is = (operation: string, args: JsonObject): VerbCall => ({ verb: 'be', operation, args })

/** The operator does each operation that a person may do alone, once: drawn calls reach some of these too seldom. */
export const TOUR: readonly VerbCall[] = [
  does('set-size', '/den', { size: { x: 9, y: 9, z: 1 } }),
  does('set-space', '/den', { field: 'den.tone', value: { warm: true } }),
  does('set-being', '@cleo', { field: 'mood.tone', value: 'calm' }),
  does('create-matter', '/', { id: 'lamp', content: 1 }),
  ...[
    does('set-matter', 'matter:lamp', { field: 'wear.worn', value: 2 }),
    does('write-matter', 'matter:lamp', { content: 2 }),
  ],
  ...[does('take', 'matter:lamp'), does('put', 'matter:lamp'), does('end-matter', 'matter:lamp')],
  does('move', '/den', { coord: { x: 1, y: 1, z: 0 } }),
  ...[does('pause-being', '@cleo'), does('resume-being', '@cleo')],
  does('set-default-role', '@cleo', { role: 'resident' }),
  ...['@cleo', '/'].flatMap((held) => [
    does('set-hold', held, { name: 'case-1', why: 'a letter' }),
    does('erase', '@cleo', { moment: 'cleo/1/1', why: 'refused: it is held' }),
    does('lift-hold', held, { name: 'case-1', why: 'settled' }),
  ]),
  ...[does('set-roleflow', '@cleo', { flow: [{ role: 'manor:free' }] }), does('manor:mark', '@operator')],
  ...[
    does('set-schedule', '@cleo', { name: 'round', everySeconds: 9 }),
    does('delete-schedule', '@cleo', { name: 'round' }),
  ],
  does('subscribe', '@cleo', { name: 'spy', scope: '/den', field: 'den.tone', equals: 1 }),
  does('set-space', '/den', { field: 'permissions', value: { see: { '*': { requires: ['operator'] } } } }), // ends the subscription
  does('set-space', '/den', { field: 'permissions', value: null }),
  ...[
    does('subscribe', '@cleo', { name: 'spy', scope: '/den', field: 'den.tone' }),
    does('unsubscribe', '@cleo', { name: 'spy' }),
  ],
  ...[
    does('set-budget', '@cleo', { births: 9, hops: 9 }),
    does('set-budget', '/', { births: 30, for: 'scripted' }),
  ],
  does('unpark-being', '@cleo', { release: true }),
  does('accept-difference', '@cleo', { moment: 'cleo/1/1', given: 'a'.repeat(64) }),
  does('set-role', null, { role: { name: 'walker', canDo: ['move'], prompt: 'Walk.' } }),
  does('delete-role', null, { name: 'walker' }),
  does('set-world-signal', '/', { namespace: 'chime', key: 'rings', value: true }),
  does('grant-namespace', '/', { namespace: 'chime', being: '@cleo' }),
  does('revoke-namespace', '/', { namespace: 'chime', being: '@cleo' }),
  does('remove-contributor', '/den', { being: '@cleo' }),
  is('birth', {
    name: 'kid',
    cognition: 'scripted',
    script: 'silent',
    role: 'manor:free',
    ceiling: { canSee: ['/'], canDo: ['move'] },
  }),
  ...[is('connect', { being: '@kid' }), is('release', { being: '@kid' }), does('end-being', '@kid')],
  does('set-space', '/hall', {
    field: 'permissions',
    value: { do: { move: { requires: ['anyone'], counts: [{ most: 1, per: ['being'] }] } } },
  }),
  does('set-space', '/hall', {
    field: 'shadow',
    value: { do: { 'create-matter': { forbid: ['operator'] } } },
  }),
  ...[
    does('move', '/hall'),
    does('create-matter', '/hall', { id: 'bell' }),
    does('move', '/den'),
    does('move', '/hall'),
  ],
  { verb: 'summon', target: '@kid', content: 'too late', inReplyTo: null },
  { verb: 'see', address: '/den' },
]
