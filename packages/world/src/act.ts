import {
  type BeingName,
  beingReel,
  type Caller,
  type FactDraft,
  type Json,
  type JsonObject,
  LIMITS,
  type MomentId,
  type Orientation,
  PRIORITIES,
  parseAddress,
  parseStance,
  quote,
  ROOT_SPACE,
  SPEECH_KIND,
  stanceOf,
  TreeosError,
  threadReel,
  type Verb,
  type VerbCall,
  type Wake,
} from '@treeos/core'
import type { ComposedRole, RoleSpec } from '@treeos/roles'
import { tightest } from './budgets.ts'
import { type Catalogs, publishesCatalogs } from './catalogs.ts'
import { requireDeclared } from './declared.ts'
import { type Descriptor, describe } from './descriptor.ts'
import type { Decided, Operation, OperationTarget } from './extension.ts'
import { orientationRemark, type Remark } from './orientation.ts'
import { reachOf, rolesNamed } from './reach.ts'
import type { WorldReader } from './reader.ts'
import type { Parts } from './registry.ts'
import { parseRequest } from './request.ts'
import type { BeingRow } from './rows.ts'
import { type StanceQuestion, stanceGate } from './stance.ts'
import { canonicalTarget, ceilingsOf, holdsEntry, LIST_OF_VERB, listGate, type Surface } from './surface.ts'
import { requirePart, type Thread } from './thread.ts'

/** Everything a call is decided from. Reads go through the reader, so whatever it rests on is checked at the commit. */
export interface Acting {
  readonly reader: WorldReader
  readonly parts: Parts
  readonly moment: MomentId
  readonly me: BeingRow
  readonly caller: Caller
  readonly surface: Surface
  /** what opened the moment; for a person's reply, the wake it answers */
  readonly wake: Wake
  /** summons that led here; a person's act leads its own */
  readonly hops: number
  /** what the primary role says of summons to itself, and of answers */
  readonly role: Pick<ComposedRole, 'defaultOrientation' | 'replyTo' | 'respondMode'>
  /** the id that a summon of this act gets */
  readonly correlation: string
  readonly digest: (value: Json) => string
  /** what whoever woke the moment could reach for as it spoke; null when nobody did, or nothing of it is known */
  readonly askerSurface: () => Promise<Surface | null>
  /** whoever said what the chain of wakes began with; null when nobody did */
  readonly opener: () => Promise<BeingName | null>
  /** a thread by its id; null when there is no such one */
  readonly thread: (id: string) => Promise<Thread | null>
  /** what there is to choose from when one writes roles and flows, as it stands */
  readonly catalogs: () => Promise<Catalogs>
}

/** What passing both gates yields: facts and wakes to commit, or nothing for a look. */
export interface Act {
  readonly facts: readonly FactDraft[]
  readonly wakes: readonly Wake[]
  readonly closes: readonly string[]
  readonly result: Json
  readonly specs: readonly RoleSpec[]
  /** what a look shows; null for everything else */
  readonly seen: (() => Promise<Descriptor>) | null
  /** null when all was taken as it was asked */
  readonly remark: Remark | null
  /** which rules decided, list first; then those that decided for the asker */
  readonly by: readonly string[]
}

/**
 * Runs one verb call through both gates and decides it.
 * @throws {TreeosError} FORBIDDEN from either gate, or the code of what is wrong; then nothing is written
 * @throws whatever a read failed with
 */
export async function decideCall(call: VerbCall, at: Acting): Promise<Act> {
  try {
    return await decide(call, at)
  } finally {
    at.reader.requireWhole() // an operation may have taken a read that failed for one that found nothing
  }
}

function decide(call: VerbCall, at: Acting): Promise<Act> {
  switch (call.verb) {
    case 'see':
      return look(call.address, at)
    case 'summon':
      return summon(call, at)
    case 'do':
      return operate(call.action, call.target, call.args, at)
    case 'be':
      return identify(call.operation, call.payload, at)
  }
}

/** A look seals nothing; it must be allowed all the same. */
async function look(address: string, at: Acting): Promise<Act> {
  requireListed(
    at.surface,
    await ceilingsOf(at.reader, at.me),
    'see',
    canonicalTarget('canSee', address, at.me.home),
  )
  const target = await resolve(at, address)
  if (target.kind === 'thread') requirePart(at.me, target.thread)
  const by = await bothGates(at, 'see', nameOf(target), { key: nameOf(target), target, fallback: ['anyone'] })
  const seen = async (): Promise<Descriptor> => {
    const entry = await describe(at.reader, target)
    return publishesCatalogs(target) ? { ...entry, catalogs: await at.catalogs() } : entry
  }
  return { facts: [], wakes: [], closes: [], result: null, specs: [], seen, remark: null, by }
}

async function summon(call: Extract<VerbCall, { verb: 'summon' }>, at: Acting): Promise<Act> {
  const { wake } = at
  const asker = wake.caller?.name ?? null
  const name = call.target === null ? await whomToAnswer(at) : parseStance(call.target)
  const mayAnswer = name === asker && at.role.respondMode !== 'none'
  const inReplyTo = call.inReplyTo ?? (mayAnswer ? wake.id : null)
  if (inReplyTo !== null && (inReplyTo !== wake.id || !mayAnswer)) {
    throw new TreeosError(
      'FORBIDDEN',
      `correlation ${quote(inReplyTo)} is not the one that ${stanceOf(at.me.name)} may answer now`,
    )
  }
  await requireHop(at)
  const orientation = requireOwn(call.orientation, name, at)
  const gated = await gateBeing(at, name)
  if (call.role !== undefined && !rolesNamed(gated.being).includes(call.role)) {
    throw new TreeosError(
      'ROLE_UNAVAILABLE',
      `neither flow nor default of ${stanceOf(name)} names the role ${quote(call.role)}`,
    )
  }
  const root = wake.kind === 'act' ? at.correlation : wake.root
  const payload = {
    to: name,
    correlation: at.correlation,
    root,
    inReplyTo,
    content: call.content,
    role: at.caller.role,
    cognition: at.caller.cognition,
    ...(call.thread === undefined ? {} : { thread: call.thread }),
    ...(call.channel === undefined ? {} : { channel: call.channel }),
    ...(orientation === 'forward' ? {} : { orientation }),
  }
  const out: Wake = {
    id: at.correlation,
    being: name,
    kind: 'summon',
    priority: PRIORITIES[call.priority ?? 'interactive'],
    caller: at.caller,
    content: call.content,
    root,
    inReplyTo,
    askedRole: call.role ?? null,
    hops: at.hops + 1,
    continues: wake.continues,
    cause: null,
  }
  return {
    facts: [{ reel: beingReel(at.me.name), kind: SPEECH_KIND, payload }],
    wakes: [out],
    closes: inReplyTo === null ? [] : [inReplyTo],
    result: { correlation: at.correlation, to: stanceOf(name) },
    specs: [],
    seen: null,
    remark: orientationRemark(orientation),
    by: gated.by,
  }
}

async function requireHop({ me, reader, hops }: Acting): Promise<void> {
  const { max, of } = tightest([me, ...(await reader.lineage(me.name))], 'hops', LIMITS.hopsMax)
  if (hops < max) return
  const whose = of === null ? '' : ` by the budget of ${stanceOf(of)}`
  throw new TreeosError(
    'RATE_LIMITED',
    `${hops} summons led here, at most ${max} may follow one another${whose}`,
  )
}

/** @throws {TreeosError} INVALID_INPUT when there is nobody, or the role answers nobody */
async function whomToAnswer({ wake, role, opener }: Acting): Promise<BeingName> {
  if (role.respondMode === 'none')
    throw new TreeosError('INVALID_INPUT', 'its role answers nobody (respondMode none): name a target')
  const name = role.replyTo === 'asker' ? (wake.caller?.name ?? null) : await opener()
  if (name !== null) return name
  const nobody = role.replyTo === 'asker' ? 'nobody woke this moment' : 'nobody began what led to this moment'
  throw new TreeosError('INVALID_INPUT', `${nobody}, so a summon must name its target`)
}

/** What a being is shown of its own past is its own affair. */
function requireOwn(asked: Orientation | undefined, name: BeingName, { me, role }: Acting): Orientation {
  if (name === me.name) return asked ?? role.defaultOrientation
  if (asked === undefined || asked === 'forward') return 'forward'
  throw new TreeosError(
    'FORBIDDEN',
    `only a being itself is summoned with orientation ${asked}; ${stanceOf(name)} is not ${stanceOf(me.name)}`,
  )
}

async function gateBeing(at: Acting, name: BeingName): Promise<{ being: BeingRow; by: [string, string] }> {
  const stance = stanceOf(name)
  requireListed(at.surface, await ceilingsOf(at.reader, at.me), 'summon', stance)
  const being = await at.reader.being(name)
  if (being === null) throw new TreeosError('BEING_NOT_FOUND', `no being ${stance} lives in this reality`)
  const by = await bothGates(at, 'summon', stance, {
    key: stance,
    target: { kind: 'being', being },
    fallback: ['anyone'],
  })
  return { being, by }
}

async function operate(action: string, target: string | null, args: JsonObject, at: Acting): Promise<Act> {
  requireListed(at.surface, await ceilingsOf(at.reader, at.me), 'do', action)
  const operation = requireOperation(at, action)
  const found = await resolve(at, target ?? placeOf(operation, at.me))
  return run(operation, 'do', found, args, at)
}

async function identify(name: string, payload: JsonObject, at: Acting): Promise<Act> {
  const operation = at.parts.beOperations.get(name)
  requireListed(at.surface, await ceilingsOf(at.reader, at.me), 'be', name)
  if (operation === undefined) {
    const known = [...at.parts.beOperations.keys()].sort().join(', ')
    throw new TreeosError(
      'ACTION_NOT_SUPPORTED',
      `no BE operation ${quote(name)} is registered; there is ${known}`,
    )
  }
  return run(operation, 'be', { kind: 'being', being: at.me }, payload, at)
}

function requireOperation(at: Acting, action: string): Registered {
  const operation = at.parts.operations.get(action)
  if (operation !== undefined) return operation
  throw new TreeosError(
    'ACTION_NOT_SUPPORTED',
    `no action ${quote(action)} is registered; \`treeos operations\` lists them`,
  )
}

function placeOf(operation: Operation, me: BeingRow): string {
  if (operation.targets.includes('reality')) return ROOT_SPACE
  return operation.targets.includes('being') ? stanceOf(me.name) : me.space
}

/** With the extension that brought it. */
type Registered = Operation & { readonly origin: string }

async function run(
  operation: Registered,
  verb: Verb,
  target: OperationTarget,
  args: JsonObject,
  at: Acting,
): Promise<Act> {
  requireTarget(operation, target)
  const by: string[] = await bothGates(at, verb, operation.name, {
    key: operation.name,
    target,
    fallback: operation.allow,
  })
  const decided = await operation.decide({
    actor: at.me,
    target,
    args,
    world: at.reader,
    digest: at.digest,
    reach: () => reachOf(at.reader, at.me),
    fulfil: async () => {
      const fulfilled = await fulfil(at, operation)
      by.push(...fulfilled.by)
      return fulfilled.decided
    },
  })
  await requireDeclared(operation, decided.facts, at.reader)
  // The heads of what will be written belong to what the decision rests on.
  await at.reader.prefetch(decided.facts.map((fact) => fact.reel).filter((reel) => reel !== 'registry'))
  const act = {
    facts: decided.facts,
    wakes: [],
    closes: decided.closes ?? [],
    result: decided.result,
    specs: decided.specs ?? [],
    seen: null,
    remark: null,
    by,
  }
  if (decided.reply === undefined || at.wake.caller === null) return act
  return withSpeech(act, await answer(decided.reply, at))
}

/** An answer is a summon like any other: it needs the asker in the lists, and counts as a hop. */
const answer = (content: Json, at: Acting): Promise<Act> =>
  summon({ verb: 'summon', target: null, content, inReplyTo: null }, at)

const withSpeech = (act: Act, speech: Act): Act => ({
  ...act,
  facts: [...act.facts, ...speech.facts],
  wakes: speech.wakes,
  closes: [...act.closes, ...speech.closes],
  remark: speech.remark,
})

function requireTarget(operation: Operation, target: OperationTarget): void {
  const kinds = isRoot(target) ? [target.kind, 'reality' as const] : [target.kind]
  if (kinds.some((kind) => operation.targets.includes(kind))) return
  const takes = operation.targets.map((kind) => (kind === 'reality' ? 'the reality, /' : `a ${kind}`))
  throw new TreeosError(
    'INVALID_TYPE',
    `${operation.name} takes ${takes.join(' or ')}, not ${nameOf(target)}`,
  )
}

/**
 * Decides the operation that the wake's content asks for. Whoever does it lends the asker nothing but its hands: the asker's
 * lists must have held the action as it spoke, its reach must hold it still, and standing, ceilings and reach are the
 * asker's, so that what comes of it is what the asker could have done alone. The hands bound it as well, by their own lists.
 */
async function fulfil(at: Acting, by: Operation): Promise<{ decided: Decided; by: string[] }> {
  const { wake, reader } = at
  const request = wake.kind === 'summon' && wake.inReplyTo === null ? parseRequest(wake.content) : null
  const asker = request === null || wake.caller === null ? null : await reader.being(wake.caller.name)
  if (request === null || asker === null)
    throw new TreeosError('INVALID_INPUT', 'nobody asked for an operation: {"do": action, …} is what asks')
  if (request.action === by.name) throw new TreeosError('FORBIDDEN', `${by.name} cannot be asked for`)
  requireListed(at.surface, await ceilingsOf(reader, at.me), 'do', request.action)
  const list = requireAsked(asker, request.action, await at.askerSurface(), await ceilingsOf(reader, asker))
  const reach = await reachOf(reader, asker)
  if (!holdsEntry('canDo', reach.canDo, request.action, asker.home)) {
    throw new TreeosError('FORBIDDEN', `${request.action} is beyond the reach of ${stanceOf(asker.name)}`)
  }
  const operation = requireOperation(at, request.action)
  const target = await resolve(
    { reader, me: asker, thread: at.thread },
    request.target ?? placeOf(operation, asker),
  )
  requireTarget(operation, target)
  const stance = await requireStanding(reader, asker, 'do', {
    key: operation.name,
    target,
    fallback: operation.allow,
  })
  const decided = await operation.decide({
    actor: asker,
    target,
    args: request.args,
    world: reader,
    digest: at.digest,
    reach: async () => reach,
    fulfil: () => Promise.reject(new TreeosError('FORBIDDEN', 'what is asked for cannot ask in turn')),
  })
  await requireDeclared(operation, decided.facts, reader)
  const facts = decided.facts.map((fact) => ({
    ...fact,
    payload: { ...fact.payload, onBehalfOf: asker.name },
  }))
  const rules = [list, stance].map((rule) => `${stanceOf(asker.name)} ${rule}`)
  return { decided: { ...decided, facts }, by: rules }
}

function requireAsked(
  asker: BeingRow,
  action: string,
  surface: Surface | null,
  ceilings: Parameters<typeof listGate>[1],
): string {
  if (surface === null)
    throw new TreeosError(
      'FORBIDDEN',
      `nothing is known of what ${stanceOf(asker.name)} could do as it spoke`,
    )
  const decision = listGate(surface, ceilings, 'canDo', action)
  if (decision.allowed) return decision.by
  throw new TreeosError('FORBIDDEN', `of ${stanceOf(asker.name)}, who asks: ${decision.why}`)
}

interface Gated {
  readonly key: string
  readonly target: OperationTarget
  readonly fallback: StanceQuestion['fallback']
}

async function bothGates(at: Acting, verb: Verb, listed: string, question: Gated): Promise<[string, string]> {
  const list = requireListed(at.surface, await ceilingsOf(at.reader, at.me), verb, listed)
  return [list, await requireStanding(at.reader, at.me, verb, question)]
}

async function requireStanding(
  reader: WorldReader,
  actor: BeingRow,
  verb: Verb,
  { key, target, fallback }: Gated,
): Promise<string> {
  const stance = await stanceGate(reader, {
    actor,
    verb,
    key,
    target:
      target.kind === 'being'
        ? { being: target.being, space: target.being.space }
        : { being: null, space: target.kind === 'space' ? target.space.path : ROOT_SPACE },
    fallback,
  })
  if (!stance.allowed) throw new TreeosError('FORBIDDEN', stance.why)
  return stance.by
}

function requireListed(
  surface: Surface,
  ceilings: Parameters<typeof listGate>[1],
  verb: Verb,
  target: string,
): string {
  const decision = listGate(surface, ceilings, LIST_OF_VERB[verb], target)
  if (!decision.allowed) throw new TreeosError('FORBIDDEN', decision.why, { verb, target })
  return decision.by
}

/** @throws {TreeosError} ADDRESS_PARSE_ERROR, or naming the address what is not found */
async function resolve(at: Pick<Acting, 'reader' | 'me' | 'thread'>, text: string): Promise<OperationTarget> {
  const address = parseAddress(text)
  if (address.kind === 'thread') {
    const thread = await at.thread(address.thread)
    if (thread !== null) return { kind: 'thread', thread }
    throw new TreeosError('CORRELATION_NOT_FOUND', `no thread ${quote(address.thread)} began in this reality`)
  }
  if (address.kind === 'being') {
    const being = await at.reader.being(address.being)
    if (being === null)
      throw new TreeosError('BEING_NOT_FOUND', `no being ${stanceOf(address.being)} lives in this reality`)
    return { kind: 'being', being }
  }
  const path = address.kind === 'home' ? at.me.home : address.path
  const space = await at.reader.space(path)
  if (space === null) throw new TreeosError('SPACE_NOT_FOUND', `space ${path} does not exist in this reality`)
  return { kind: 'space', space }
}

const isRoot = (target: OperationTarget) => target.kind === 'space' && target.space.path === ROOT_SPACE

function nameOf(target: OperationTarget): string {
  if (target.kind === 'thread') return threadReel(target.thread.thread)
  return target.kind === 'being' ? stanceOf(target.being.name) : target.space.path
}
