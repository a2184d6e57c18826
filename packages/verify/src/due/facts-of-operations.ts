/** By operation of TreeOS, the facts that a call of it writes: docs/formats.md, "What operations refuse". */
import { CAN_LISTS, type IdentityOperation, type SubstrateOperation } from '@treeos/world'
import { at, isArray, isObject, type Json, type JsonObject, same } from '../canonical.ts'
import { valueHash } from '../hash.ts'
import { type CallToDerive, nameIn, pathIn, reelOfTarget } from './call-to-derive.ts'
import {
  type DueFact,
  type DueField,
  fitsFields,
  isCount,
  isText,
  oneOf,
  orAny,
  thereOf,
} from './due-fact.ts'

type DueFactsOf = (call: CallToDerive) => Iterable<DueFact>

const AMOUNTS = ['momentsPerMinute', 'selfContinues', 'hops', 'births', 'tokens', 'money'] as const
const STANDARD_AMOUNTS = ['momentsPerMinute', 'births', 'tokens', 'tokensPerPerson', 'money'] as const

const due = (reel: string | null, kind: string, fields: DueFact['fields'] = {}): DueFact => ({
  reel,
  kind,
  fields,
})
const dueQuality = (
  reel: string | null,
  path: readonly string[],
  value: DueField,
  merge: Json = false,
): DueFact => due(reel, 'quality:set', { path, value, merge })
const passed = (kind: 'received' | 'gave', place: string | null, thing: string): DueFact =>
  due(reelOfTarget(place), `place:${kind}`, { matter: thing.replace(/^matter:/, '') })
const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'
const isThere = (value: Json | undefined): boolean => isObject(value)

function* created(call: CallToDerive): Iterable<DueFact> {
  const path = pathIn(call.given('path'))
  const own = { path, type: call.givenOr('type', 'room'), owner: call.me, qualities: {} }
  yield due(`space:${path}`, 'space:created', { ...own, ...thereOf(call.args, 'size', 'coord') })
  yield due(`space:${parentOf(path)}`, 'space:opened', { path })
}

const setsQuality =
  (targetOf: (call: CallToDerive) => string | null): DueFactsOf =>
  (call) => {
    const path = String(call.given('field'))
      .replace(/^qualities\./, '')
      .split('.')
    return [dueQuality(reelOfTarget(targetOf(call)), path, call.given('value'), call.givenOr('merge', true))]
  }

const changesMember =
  (kind: string): DueFactsOf =>
  (call) => [due(reelOfTarget(call.targetOrPlace), kind, { being: nameIn(call.given('being')) })]

function* createdMatter(call: CallToDerive): Iterable<DueFact> {
  const [thing, place] = [String(call.given('id')), call.targetOrPlace]
  const own = { id: thing, type: call.givenOr('type', 'thing'), owner: call.me, qualities: {} }
  const more = { content: call.given('content'), place: orAny(place), ...thereOf(call.args, 'coord') }
  yield due(`matter:${thing}`, 'matter:created', { ...own, ...more })
  yield passed('received', place, thing)
}

function* keptFile(call: CallToDerive): Iterable<DueFact> {
  const [thing, place] = [String(call.given('id')), `@${call.me}`]
  const own = { id: thing, type: 'file', owner: call.me, place, content: null, qualities: {} }
  yield due(`matter:${thing}`, 'matter:created', own)
  yield passed('received', place, thing)
  const parts = ['digest', 'mediaType', 'bytes', 'name'].map((part) => [part, call.given(part)])
  yield due(`matter:${thing}`, 'matter:written', { content: { file: Object.fromEntries(parts) } })
}

function* passedOn(call: CallToDerive, from: string | null, to: string | null): Iterable<DueFact> {
  const thing = call.target ?? ''
  const ends = { from: orAny(from), to: orAny(to), ...thereOf(call.args, 'coord') }
  yield due(thing, 'matter:moved', ends)
  yield passed('gave', from, thing)
  yield passed('received', to, thing)
}

function* moved(call: CallToDerive): Iterable<DueFact> {
  const reel = `being:${call.me}`
  const [from, to] = [call.placeOf(reel, 'from'), call.targetOrPlace]
  yield due(reel, 'being:moved', { from: orAny(from), to: orAny(to), ...thereOf(call.args, 'coord') })
  if (from === to) return
  yield due(reelOfTarget(from), 'space:left', { being: call.me, to: orAny(to) })
  yield due(reelOfTarget(to), 'space:entered', { being: call.me, from: orAny(from) })
}

/** A schedule or a subscription; of one with a preset the manifest says the rest. */
const kept = (call: CallToDerive, kind: string, isOwn: (value: Json | undefined) => boolean): DueFact =>
  dueQuality(
    reelOfTarget(call.targetOrMe),
    [kind, call.given('name') as string],
    call.given('preset') === null ? isOwn : isThere,
  )

function* scheduled(call: CallToDerive): Iterable<DueFact> {
  const at = call.given('at')
  const own = {
    ...(at === null ? { everySeconds: call.given('everySeconds') } : { at: isArray(at) ? at : [at] }),
    priority: call.givenOr('priority', 'background'),
    ...Object.fromEntries(
      ['days', 'zone', 'missed'].flatMap((name) =>
        call.given(name) === null ? [] : [[name, call.given(name)]],
      ),
    ),
    ...(call.has('content') ? { content: call.given('content') } : {}),
  }
  yield kept(call, 'schedule', (value) => same(value, own))
}

function* subscribed(call: CallToDerive): Iterable<DueFact> {
  const [scope, equals] = [call.given('scope'), call.given('equals')]
  const fields: DueFact['fields'] = {
    scope: scope === 'everywhere' ? scope : pathIn(scope),
    below: call.givenOr('below', false),
    field: call.given('field'),
    priority: call.givenOr('priority', 'background'),
    coalesceSeconds: call.givenOr('coalesceSeconds', 0),
    beings: (value) => typeof value === 'boolean',
    ...(call.has('equals') ? { equals: isArray(equals) ? equals : [equals] } : {}),
  }
  yield kept(call, 'subscription', (value) => fitsFields(value, fields))
}

const removes =
  (kind: string): DueFactsOf =>
  (call) => [dueQuality(reelOfTarget(call.targetOrMe), [kind, call.given('name') as string], null)]

const happens =
  (kind: string): DueFactsOf =>
  (call) => [due(reelOfTarget(call.targetOrMe), kind)]

function* ended(call: CallToDerive): Iterable<DueFact> {
  const name = call.targetOrMe.slice(1)
  const { driver, space = null } = call.rowOf(`being:${name}`)
  const isDriven = driver === undefined ? call.written[0]?.kind === 'being:released' : driver !== null
  if (isDriven) yield released(call, name)
  yield due(`being:${name}`, 'being:ended')
  yield due(reelOfTarget(space), 'space:left', { being: name, to: null })
}

function released(call: CallToDerive, name: string): DueFact {
  const by = call.rowOf(`being:${name}`).driver ?? null
  const fields = { by: typeof by === 'string' ? by : isText, epoch: isCount, why: 'released' }
  return due(`being:${name}`, 'being:released', fields)
}

function* budgeted(call: CallToDerive): Iterable<DueFact> {
  if (call.target !== null && call.target !== '/') {
    const budget = { ...thereOf(call.args, ...AMOUNTS), per: call.givenOr('per', 'total') }
    return yield due(reelOfTarget(call.target), 'being:budgeted', { budget })
  }
  const own = {
    ...thereOf(call.args, ...STANDARD_AMOUNTS),
    per: call.givenOr('per', 'day'),
    revision: isCount,
  }
  const path = ['budget', call.givenOr('for', 'llm') as string]
  yield dueQuality('space:/', path, (value) => fitsFields(value, own))
}

function* unparked(call: CallToDerive): Iterable<DueFact> {
  const reel = reelOfTarget(call.targetOrMe) as string
  const isReleased = call.given('release') === true
  yield due(reel, 'being:unparked', isReleased ? { release: true } : {})
  if (!isReleased) return
  const { budget } = call.rowOf(reel)
  if (budget === undefined) yield { ...due(reel, 'being:budgeted', { budget: isThere }), isOptional: true }
  else if (budget !== null) yield due(reel, 'being:budgeted', { budget })
}

const listsOf = (value: Json): JsonObject =>
  Object.fromEntries(CAN_LISTS.map((list) => [list, at(value, list) ?? []]))

/** The entries as they are stored, where these differ by the prefix of an extension alone. */
function fullNames(entries: Json | undefined, stored: Json | undefined): Json | undefined {
  const isFull = (entry: Json, full: Json) =>
    same(entry, full) || (isText(entry) && !entry.includes(':') && isText(full) && full.endsWith(`:${entry}`))
  if (!isArray(entries) || !isArray(stored) || entries.length !== stored.length) return entries
  return entries.every((entry, i) => isFull(entry, stored[i] ?? null)) ? stored : entries
}

function* setRole(call: CallToDerive): Iterable<DueFact> {
  const role = call.given('role')
  const said = { ...listsOf(null), see: [], prompt: '', ...(isObject(role) ? role : {}) } as JsonObject
  // Which extension has an operation, the law knows, and not who looks at facts alone.
  const stored = call.written.find(({ kind }) => kind === 'role:set')?.payload ?? null
  const named = ['canDo', 'canBe'].map((list) => [list, fullNames(said[list], at(stored, 'spec', list))])
  const spec = { ...said, ...Object.fromEntries(named) } as JsonObject
  const fields = { name: spec.name ?? null, digest: valueHash(spec), origin: 'live', spec }
  yield due('registry', 'role:set', { ...fields, ...thereOf(call.args, 'trial') })
}

const publishes =
  (kind: string, fieldsOf: (call: CallToDerive) => DueFact['fields']): DueFactsOf =>
  (call) => {
    const namespace = call.given('namespace')
    const own = { namespace, owner: oneOf(undefined, 'operator') }
    return [due(`world:${namespace}`, kind, { ...own, ...fieldsOf(call) })]
  }
const ofBeing = (call: CallToDerive) => ({ being: nameIn(call.given('being')) })

function* vouched(call: CallToDerive): Iterable<DueFact> {
  const [role, namespace] = [call.given('role'), call.given('namespace')]
  if (role !== null) yield due('registry', 'origin:vouched', { name: role })
  else yield due(namespace === null ? reelOfTarget(call.target) : `world:${namespace}`, 'origin:vouched')
}

function* erased(call: CallToDerive): Iterable<DueFact> {
  const [fact, why, moment] = [call.given('fact'), call.given('why'), call.given('moment')]
  if (fact === null) yield due(reelOfTarget(call.targetOrMe), 'moment:erased', { moment, why })
  else
    yield due(String(at(fact, 'reel')), 'fact:erased', { seq: at(fact, 'seq'), hash: at(fact, 'hash'), why })
}

const changesHold =
  (kind: string): DueFactsOf =>
  (call) => [due(reelOfTarget(call.target), kind, { name: call.given('name'), why: call.given('why') })]

const approvalIn = (call: CallToDerive): string =>
  `approval:${String(call.given('id')).split('/').slice(0, 3).join('/')}`

function* approved(call: CallToDerive): Iterable<DueFact> {
  const [reel, others] = [approvalIn(call), call.given('args')]
  const waits = call.rowOf(reel).call
  const isCall = (value: Json | undefined) => {
    if (isObject(waits)) return same(value, others === null ? waits : { ...waits, args: others })
    return isObject(value) && (others === null || same(value.args, others))
  }
  const digest = (value: Json | undefined) => same(value, valueHash(call.wrote('call') ?? null))
  yield due(reel, 'approval:given', { call: isCall, digest })
}

function* born(call: CallToDerive): Iterable<DueFact> {
  const [kind, name, home] = [call.given('cognition'), String(call.given('name')), call.given('home')]
  const place = home === null ? call.home : pathIn(home)
  const llm = kind === 'llm' ? thereOf(call.args, 'connection') : {}
  const [flow, ceiling] = [call.given('roleFlow'), call.given('ceiling')]
  yield due(`being:${name}`, 'being:born', {
    name,
    parent: call.me,
    cognition: { kind, script: call.given('script') },
    defaultRole: call.given('role') ?? oneOf('citizen', 'resident'),
    home: orAny(place),
    qualities: {
      ...(flow === null ? {} : { roleFlow: flow }),
      ...(Object.keys(llm).length === 0 ? {} : { llm }),
    },
    ceiling: ceiling === null ? null : listsOf(ceiling),
  })
  yield due(`being:${call.me}`, 'being:bore', { being: name })
  yield due(reelOfTarget(place), 'space:entered', { being: name, from: null })
}

function* connected(call: CallToDerive): Iterable<DueFact> {
  const own = call.given('own') === true ? { own: true } : {}
  const under = (value: Json | undefined) => value === null || isCount(value)
  const fields = { by: call.me, epoch: isCount, under, ...own }
  yield due(`being:${nameIn(call.given('being'))}`, 'being:inhabited', fields)
}

/** Without `mediate`, which writes what the call does that it carries out for another. */
const DO: Readonly<Record<Exclude<SubstrateOperation, 'mediate'>, DueFactsOf>> = {
  'create-space': created,
  'set-space': setsQuality((call) => call.targetOrPlace),
  'set-being': setsQuality((call) => call.targetOrMe),
  'set-matter': setsQuality((call) => call.target),
  'set-size': (call) => [
    due(reelOfTarget(call.targetOrPlace), 'space:resized', { size: call.given('size') }),
  ],
  'add-contributor': changesMember('space:contributor-added'),
  'remove-contributor': changesMember('space:contributor-removed'),
  'create-matter': createdMatter,
  'keep-file': keptFile,
  'write-matter': (call) => [due(call.target, 'matter:written', { content: call.given('content') })],
  'end-matter': (call) => [
    due(call.target, 'matter:ended'),
    passed('gave', call.rowOf(call.target ?? '').space ?? null, call.target ?? ''),
  ],
  take: (call) => passedOn(call, call.placeOf(call.target ?? '', 'from'), `@${call.me}`),
  put: (call) => passedOn(call, `@${call.me}`, call.place),
  move: moved,
  'set-roleflow': (call) => [dueQuality(reelOfTarget(call.targetOrMe), ['roleFlow'], call.given('flow'))],
  'set-default-role': (call) => [
    due(reelOfTarget(call.targetOrMe), 'being:role-set', { role: call.given('role') }),
  ],
  'set-schedule': scheduled,
  subscribe: subscribed,
  'delete-schedule': removes('schedule'),
  unsubscribe: removes('subscription'),
  'pause-being': happens('being:paused'),
  'resume-being': happens('being:resumed'),
  'accept-difference': (call) => {
    const [moment, recorded, given] = [call.given('moment'), call.given('recorded'), call.given('given')]
    return [due(reelOfTarget(call.targetOrMe), 'being:difference-accepted', { moment, recorded, given })]
  },
  'end-being': ended,
  'set-budget': budgeted,
  'unpark-being': unparked,
  'set-role': setRole,
  'delete-role': (call) => [due('registry', 'role:deleted', { name: call.given('name') })],
  'set-world-signal': publishes('signal:published', (call) => ({
    key: String(call.given('key')).split('.'),
    value: call.given('value'),
  })),
  'grant-namespace': publishes('signal:granted', ofBeing),
  'revoke-namespace': publishes('signal:revoked', ofBeing),
  'cut-thread': (call) => [
    due(call.target, 'thread:cut', { thread: String(call.target).replace(/^thread:/, '') }),
  ],
  vouch: vouched,
  erase: erased,
  'set-hold': changesHold('hold:set'),
  'lift-hold': changesHold('hold:lifted'),
  approve: approved,
  deny: (call) => [due(approvalIn(call), 'approval:denied', thereOf(call.args, 'why'))],
}
const BE: Readonly<Record<IdentityOperation, DueFactsOf>> = {
  birth: born,
  connect: connected,
  release: (call) => {
    const named = call.given('being')
    return [released(call, named === null ? call.me : nameIn(named))]
  },
}

/** What operations of TreeOS write, by verb. */
export const FACTS_OF_OPERATIONS: Readonly<Record<string, Readonly<Record<string, DueFactsOf>>>> = {
  do: DO,
  be: BE,
}

/** After these, subscriptions of any beings may end. */
export const MAY_END_SUBSCRIPTIONS: readonly string[] = [
  'set-roleflow',
  'set-default-role',
  'set-role',
  'delete-role',
  'set-space',
  'remove-contributor',
]
const isSubscriptionPath = (path: Json | undefined): boolean =>
  isArray(path) && path.length === 2 && path[0] === 'subscription' && isText(path[1])
export const ENDED_SUBSCRIPTION: DueFact = {
  reel: null,
  kind: 'quality:set',
  fields: { path: isSubscriptionPath, value: null, merge: false },
}
