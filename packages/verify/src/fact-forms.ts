import { at, isArray, isObject, type Json, type JsonObject, same } from './canonical.ts'
import { valueHash } from './hash.ts'
import { written } from './written.ts'

/** A fact that a moment wrote. */
export interface WrittenFact {
  readonly reel: string
  readonly kind: string
  /** null: it was erased */
  readonly payload: Json
}

/** What the facts of a call are derived from. */
export interface Act {
  readonly me: string
  readonly call: Json
  readonly args: JsonObject
  /** the written form of the target that the call names; null without one */
  readonly target: string | null
  /** where the being is, and its home; null where that is not known */
  readonly place: string | null
  readonly home: string | null
  readonly record: JsonObject
  readonly open: Json
  /** of the primary role; null where it is not there */
  readonly role: Json
  readonly stateOf: (reel: string) => JsonObject | null
  /** the facts themselves: what is derived from nothing else is taken from them */
  readonly facts: readonly WrittenFact[]
  /** says in words that something is taken from them */
  readonly attest: (what: string) => void
}

type Is = (value: Json | undefined) => boolean

/** A fact as a decision yields it. */
export interface Due {
  /** null: any */
  readonly reel: string | null
  readonly kind: string
  /** each as it has to be, or what it has to fulfil; a payload has no other field, unless it is open */
  readonly fields: Readonly<Record<string, Json | Is>>
  readonly isOpen?: true
  readonly isOptional?: true
}

/** @returns the first field that is not as it should be; null when all are */
export function wrongIn(payload: Json, { fields, isOpen }: Pick<Due, 'fields' | 'isOpen'>): string | null {
  if (!isObject(payload)) return 'all'
  const other = Object.keys(payload).find((key) => !Object.hasOwn(fields, key))
  if (other !== undefined && isOpen !== true) return other
  const wrong = Object.entries(fields).find(([key, form]) => {
    const value = at(payload, key)
    return typeof form === 'function' ? !form(value) : !same(value, form)
  })
  return wrong?.[0] ?? null
}

const due = (reel: string | null, kind: string, fields: Due['fields'] = {}): Due => ({ reel, kind, fields })

const any: Is = () => true
const isText: Is = (value) => typeof value === 'string'
const isCount: Is = (value) => Number.isSafeInteger(value)
const isFlag: Is = (value) => typeof value === 'boolean'
const isThing: Is = isObject
const oneOf =
  (...values: readonly (Json | undefined)[]): Is =>
  (value) =>
    values.some((one) => same(one, value))
const orAny = (value: string | null): Json | Is => value ?? any
const text = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null)

/** Without what is null or not there. */
const given = (fields: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, Json] => (field[1] ?? null) !== null),
  )

const when = (holds: boolean, fields: Due['fields']): Due['fields'] => (holds ? fields : {})

const pathOf = (address: Json | undefined): string => written('canSee', String(address), '/')
const nameOf = (stance: Json | undefined): string => written('canSummon', String(stance), '/').slice(1)
const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'
const reelOf = (target: string | null): string | null => {
  if (target === null) return null
  return target.startsWith('@')
    ? `being:${target.slice(1)}`
    : target.startsWith('/')
      ? `space:${target}`
      : target
}

const set = (reel: string | null, path: Json | Is, value: Json | Is, merge: Json = false): Due =>
  due(reel, 'quality:set', { path, value, merge })
const keysOf = (field: Json | undefined): Json => String(field).split('.')

/** Whether a fact ends a subscription. */
export const isEndedSubscription = ({ reel, kind, payload }: WrittenFact): boolean =>
  reel.startsWith('being:') &&
  kind === 'quality:set' &&
  (payload === null ||
    wrongIn(payload, { fields: { path: isOfSubscription, value: null, merge: false } }) === null)

const isOfSubscription: Is = (path) =>
  isArray(path) && path.length === 2 && path[0] === 'subscription' && isText(path[1])

/** The target of an operation that is done to the being itself, where none is named. */
const orMe = ({ target, me }: Act): string => target ?? `@${me}`
/** That of an operation in the place where the being is. */
const orPlace = ({ target, place }: Act): string | null => target ?? place

const setsQuality =
  (targetOf: (act: Act) => string | null): Makes =>
  (act) => {
    const { field, value = null, merge = true } = act.args
    return [set(reelOf(targetOf(act)), keysOf(String(field).replace(/^qualities\./, '')), value, merge)]
  }

const publishes =
  (kind: string, fieldsOf: (args: JsonObject) => Due['fields']): Makes =>
  ({ args }) => [
    due(`world:${args.namespace}`, kind, {
      namespace: args.namespace ?? null,
      ...fieldsOf(args),
      owner: oneOf(undefined, 'operator'),
    }),
  ]
const grants: (args: JsonObject) => Due['fields'] = ({ being }) => ({ being: nameOf(being) })

const changesPart =
  (kind: string): Makes =>
  (act) => [due(reelOf(orPlace(act)), kind, { being: nameOf(act.args.being) })]

const happens =
  (kind: string): Makes =>
  (act) => [due(reelOf(orMe(act)), kind)]

const removes =
  (kind: string): Makes =>
  (act) => [set(reelOf(orMe(act)), [kind, act.args.name ?? null], null)]

const passed = (kind: string, place: string | null, thing: string | null): Due =>
  due(reelOf(place), `place:${kind}`, { matter: thing?.slice('matter:'.length) ?? null })

/** A thing that goes from one place to another. */
const goes = ({ target, args }: Act, from: string | null, to: string | null): Due[] => [
  due(target, 'matter:moved', { from: orAny(from), to: orAny(to), ...given({ coord: args.coord }) }),
  passed('gave', from, target),
  passed('received', to, target),
]

/** Where a thing or a being is: as its reel says, else as the act says. */
function placeOf({ stateOf, facts, attest }: Act, reel: string | null, what: string): string | null {
  const known = reel === null ? null : text(at(stateOf(reel), 'space'))
  if (known !== null) return known
  attest(`where ${reel ?? 'it'} was`)
  return text(at(facts[0]?.payload ?? null, what))
}

/** What ends a lease. */
function released(being: string, { stateOf, attest }: Act): Due {
  const driver = text(at(stateOf(`being:${being}`), 'driver'))
  if (driver === null) attest(`who drove @${being}`)
  return due(`being:${being}`, 'being:released', { by: driver ?? isText, epoch: isCount, why: 'released' })
}

const AMOUNTS = ['momentsPerMinute', 'selfContinues', 'hops', 'births', 'tokens', 'money']
const JOINT = ['momentsPerMinute', 'births', 'tokens', 'tokensPerPerson', 'money']
const amounts = (args: JsonObject, names: readonly string[]): JsonObject =>
  given(Object.fromEntries(names.map((name) => [name, args[name]])))

const LISTS = ['canSee', 'canDo', 'canSummon', 'canBe']
const lists = (of: Json | undefined): JsonObject =>
  Object.fromEntries(LISTS.map((list) => [list, at(of, list) ?? []]))

/** The call that a yes is to: that which waits, with other arguments where the yes brings some. */
function calledBy({ args: { args: others }, stateOf, attest }: Act, reel: string): Json | Is {
  const waits = at(stateOf(reel), 'call')
  if (isObject(waits)) return others === undefined ? waits : { ...waits, args: others }
  attest('which call it says yes to')
  return (call) => isThing(call) && (others === undefined || same(at(call as Json, 'args'), others))
}

type Makes = (act: Act) => readonly Due[]

const DO: Readonly<Record<string, Makes>> = {
  'create-space': ({ me, args }) => {
    const path = pathOf(args.path)
    const fields = { path, type: args.type ?? 'room', owner: me, qualities: {} }
    return [
      due(`space:${path}`, 'space:created', { ...fields, ...given({ size: args.size, coord: args.coord }) }),
      due(`space:${parentOf(path)}`, 'space:opened', { path }),
    ]
  },
  'set-space': setsQuality(orPlace),
  'set-being': setsQuality(orMe),
  'set-matter': setsQuality(({ target }) => target),
  'set-size': (act) => [due(reelOf(orPlace(act)), 'space:resized', { size: act.args.size ?? null })],
  'add-contributor': changesPart('space:contributor-added'),
  'remove-contributor': changesPart('space:contributor-removed'),
  'create-matter': (act) => {
    const { args, me } = act
    const [id, place] = [String(args.id), orPlace(act)]
    const own = { id, type: args.type ?? 'thing', owner: me, content: args.content ?? null, qualities: {} }
    const fields = { ...own, place: orAny(place), ...given({ coord: args.coord }) }
    return [due(`matter:${id}`, 'matter:created', fields), passed('received', place, `matter:${id}`)]
  },
  'write-matter': ({ target, args }) => [due(target, 'matter:written', { content: args.content ?? null })],
  'end-matter': (act) => {
    const known = text(at(act.stateOf(String(act.target)), 'space'))
    if (known === null) act.attest(`where ${act.target} was`)
    return [due(act.target, 'matter:ended'), passed('gave', known, act.target)]
  },
  take: (act) => goes(act, placeOf(act, act.target, 'from'), `@${act.me}`),
  put: (act) => goes(act, `@${act.me}`, act.place),
  move: (act) => {
    const [from, to] = [placeOf(act, `being:${act.me}`, 'from'), orPlace(act)]
    const fields = { from: orAny(from), to: orAny(to), ...given({ coord: act.args.coord }) }
    const moved = due(`being:${act.me}`, 'being:moved', fields)
    if (from === to) return [moved]
    return [
      moved,
      due(reelOf(from), 'space:left', { being: act.me, to: orAny(to) }),
      due(reelOf(to), 'space:entered', { being: act.me, from: orAny(from) }),
    ]
  },
  'set-roleflow': (act) => [set(reelOf(orMe(act)), ['roleFlow'], act.args.flow ?? null)],
  'set-schedule': (act) => {
    const { name = null, preset, everySeconds = null, priority, content } = act.args
    const own = {
      everySeconds,
      priority: priority ?? 'background',
      ...when(content !== undefined, { content: content as Json }),
    }
    if (preset !== undefined) act.attest('what its preset says is code of its extension')
    return [set(reelOf(orMe(act)), ['schedule', name], preset === undefined ? own : isThing)]
  },
  subscribe: (act) => {
    const { name = null, preset, scope, below, field = null, equals, priority, coalesceSeconds } = act.args
    if (preset !== undefined) act.attest('what its preset says is code of its extension')
    const fields = {
      scope: scope === 'everywhere' ? scope : pathOf(scope),
      below: below ?? false,
      field,
      ...when(equals !== undefined, { equals: isArray(equals) ? equals : [equals as Json] }),
      priority: priority ?? 'background',
      coalesceSeconds: coalesceSeconds ?? 0,
      beings: isFlag,
    }
    const value: Is = (said) => said !== undefined && wrongIn(said, { fields }) === null
    return [set(reelOf(orMe(act)), ['subscription', name], preset === undefined ? value : isThing)]
  },
  'delete-schedule': removes('schedule'),
  unsubscribe: removes('subscription'),
  'pause-being': happens('being:paused'),
  'resume-being': happens('being:resumed'),
  'accept-difference': (act) => {
    const { moment = null, recorded = null, given = null } = act.args
    return [due(reelOf(orMe(act)), 'being:difference-accepted', { moment, recorded, given })]
  },
  'end-being': (act) => {
    const being = orMe(act).slice(1)
    const state = act.stateOf(`being:${being}`)
    const { driver } = state ?? {}
    const isDriven = driver === undefined ? act.facts[0]?.kind === 'being:released' : driver !== null
    const place = text(state?.space)
    if (place === null) act.attest(`where @${being} was, and whether somebody drove it`)
    return [
      ...(isDriven ? [released(being, act)] : []),
      due(`being:${being}`, 'being:ended'),
      due(reelOf(place), 'space:left', { being, to: null }),
    ]
  },
  'set-budget': (act) => {
    const { args, target } = act
    const { per, for: whose } = args
    if (target !== null && target !== '/') {
      const budget = { ...amounts(args, AMOUNTS), per: per ?? 'total' }
      return [due(reelOf(target), 'being:budgeted', { budget })]
    }
    const fields = { ...amounts(args, JOINT), per: per ?? 'day', revision: isCount }
    const value: Is = (said) => said !== undefined && wrongIn(said, { fields }) === null
    return [set('space:/', ['budget', whose ?? 'llm'], value)]
  },
  'unpark-being': (act) => {
    const [reel, isReleased] = [reelOf(orMe(act)), act.args.release === true]
    const unparked = due(reel, 'being:unparked', when(isReleased, { release: true }))
    if (!isReleased) return [unparked]
    const budget = at(act.stateOf(String(reel)), 'budget')
    if (budget === undefined) act.attest('the budget that it gives anew')
    const again = due(reel, 'being:budgeted', { budget: budget ?? isThing })
    return [
      unparked,
      ...(budget === null ? [] : [budget === undefined ? { ...again, isOptional: true as const } : again]),
    ]
  },
  'set-role': ({ args }) => {
    const spec = { ...lists(null), see: [], prompt: '', ...(isObject(args.role) ? args.role : {}) }
    const name = at(spec, 'name') ?? null
    const fields = { name, digest: valueHash(spec), origin: 'live', spec, ...given({ trial: args.trial }) }
    return [due('registry', 'role:set', fields)]
  },
  'delete-role': ({ args }) => [due('registry', 'role:deleted', { name: args.name ?? null })],
  'set-world-signal': publishes('signal:published', ({ key, value = null }) => ({ key: keysOf(key), value })),
  'grant-namespace': publishes('signal:granted', grants),
  'revoke-namespace': publishes('signal:revoked', grants),
  'cut-thread': ({ target }) => [
    due(target, 'thread:cut', { thread: target?.slice('thread:'.length) ?? null }),
  ],
  vouch: ({ target, args: { role, namespace } }) => {
    if (role !== undefined) return [due('registry', 'origin:vouched', { name: role })]
    return [due(namespace === undefined ? reelOf(target) : `world:${namespace}`, 'origin:vouched')]
  },
  erase: (act) => {
    const { fact, moment = null, why = null } = act.args
    if (fact === undefined) return [due(reelOf(orMe(act)), 'moment:erased', { moment, why })]
    const [seq, hash] = [at(fact, 'seq') ?? null, at(fact, 'hash') ?? null]
    return [due(text(at(fact, 'reel')) ?? '', 'fact:erased', { seq, hash, why })]
  },
  approve: (act) => {
    const reel = approvalOf(act.args.id)
    const digest: Is = (value) => value === valueHash(at(act.facts[0]?.payload, 'call') ?? null)
    return [due(reel, 'approval:given', { call: calledBy(act, reel), digest })]
  },
  deny: ({ args }) => [due(approvalOf(args.id), 'approval:denied', given({ why: args.why }))],
}

const approvalOf = (id: Json | undefined): string => `approval:${String(id).split('/').slice(0, 3).join('/')}`

const BE: Readonly<Record<string, Makes>> = {
  birth: ({ me, args, home: own }) => {
    const { cognition: kind = null, roleFlow, ceiling } = args
    const [name, home] = [String(args.name), (args.home ?? null) === null ? own : pathOf(args.home)]
    const llm = kind === 'llm' ? given({ connection: args.connection }) : {}
    const fields = {
      name,
      parent: me,
      cognition: { kind, script: args.script ?? null },
      defaultRole: (args.role ?? null) === null ? oneOf('citizen', 'resident') : (args.role as Json),
      home: orAny(home),
      qualities: {
        ...(roleFlow === undefined ? {} : { roleFlow }),
        ...(Object.keys(llm).length === 0 ? {} : { llm }),
      },
      ceiling: (ceiling ?? null) === null ? null : lists(ceiling),
    }
    return [
      due(`being:${name}`, 'being:born', fields),
      due(`being:${me}`, 'being:bore', { being: name }),
      due(reelOf(home), 'space:entered', { being: name, from: null }),
    ]
  },
  connect: ({ me, args }) => {
    const own = when(args.own === true, { own: true })
    const fields = {
      by: me,
      epoch: isCount,
      under: (value?: Json) => value === null || isCount(value),
      ...own,
    }
    return [due(`being:${nameOf(args.being)}`, 'being:inhabited', fields)]
  },
  release: (act) => [released(act.args.being === undefined ? act.me : nameOf(act.args.being), act)],
}

/** The facts of TreeOS's own operations, but `mediate`, which writes those of what it was asked for. */
export const FACTS: Readonly<Record<'do' | 'be', Readonly<Record<string, Makes>>>> = { do: DO, be: BE }

const SILENT = ['already-answered', 'no-reply-expected']

/** A summon is one fact; none where who asked has the answer already, or wants none. */
export function speechOf(act: Act): readonly Due[] {
  const { me, call, target, record, open, role, facts } = act
  if (facts.length === 0 && SILENT.includes(String(record.reason))) return []
  const [wake, answers] = [at(open, 'wake'), at(open, 'answers') ?? null]
  const [id, kind] = [String(at(wake, 'id')), at(wake, 'kind')]
  const caller = at(open, 'caller', 'name') ?? null
  const isAsker = role !== null && (at(role, 'replyTo') ?? 'asker') === 'asker'
  const to = target?.slice(1) ?? (isAsker ? text(caller) : null)
  if (to === null) act.attest('whom it names')
  const said = to ?? text(at(facts[0]?.payload, 'to'))
  const own = kind === 'act' && id.startsWith('act/') ? id.slice('act/'.length) : (record.moment ?? null)
  const asked = at(call, 'inReplyTo') ?? null
  const [thread, orientation] = [at(call, 'thread'), at(call, 'orientation')]
  const isReply = answers !== null && (kind === 'act' || id.startsWith('approved/'))
  const root = thread ?? (isReply ? isText : kind === 'act' ? own : (at(wake, 'root') ?? null))
  const expects = at(call, 'expectReply')
  if (at(facts[0]?.payload, 'outside') === true && at(open, 'outside') !== true)
    act.attest('that its words are from outside')
  const fields: Due['fields'] = {
    correlation: own,
    to: to ?? isText,
    content: at(call, 'content') ?? null,
    root,
    inReplyTo: asked ?? (isReply || said === caller ? oneOf(null, answers, id) : null),
    expectReply:
      expects === undefined ? oneOf(undefined, false) : oneOf(expects === false ? false : undefined),
    channel: oneOf(at(call, 'channel')),
    thread: oneOf(thread),
    orientation: oneOf(said === me ? orientation : undefined),
    outside: oneOf(true, at(open, 'outside') === true ? true : undefined),
    role: at(record, 'stack', 'primary', 'name') ?? null,
    cognition: at(open, 'cognition', 'kind') ?? null,
  }
  return [due(`being:${me}`, 'being:summoned', fields)]
}
