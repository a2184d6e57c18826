import {
  type BeingName,
  beingReel,
  type Caller,
  type FactDraft,
  type Json,
  LIMITS,
  type MomentId,
  PRIORITIES,
  parseAddress,
  parseStance,
  quote,
  ROOT_SPACE,
  SPEECH_KIND,
  stanceOf,
  TreeosError,
  type Verb,
  type VerbCall,
  type Wake,
} from '@treeos/core'
import type { RoleSpec } from '@treeos/roles'
import type { Decided, Operation, OperationTarget } from './extension.ts'
import { reachOf, rolesNamed } from './reach.ts'
import type { WorldReader } from './reader.ts'
import type { Parts } from './registry.ts'
import type { BeingRow } from './rows.ts'
import { type StanceQuestion, stanceGate } from './stance.ts'
import { canonicalTarget, ceilingsOf, LIST_OF_VERB, listGate, type Surface } from './surface.ts'

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
  /** the id that a summon of this act gets */
  readonly correlation: string
  readonly digest: (value: Json) => string
}

/** What passing both gates yields: facts and wakes to commit, or nothing for a look. */
export interface Act {
  readonly facts: readonly FactDraft[]
  readonly wakes: readonly Wake[]
  readonly closes: readonly string[]
  readonly result: Json
  readonly specs: readonly RoleSpec[]
  /** which rules decided, list first */
  readonly by: readonly [string, string]
}

/**
 * Runs one verb call through both gates and decides it.
 * @throws {TreeosError} FORBIDDEN from either gate, or the code of what is wrong; then nothing is written
 */
export function decideCall(call: VerbCall, at: Acting): Promise<Act> {
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
  const by = await bothGates(at, 'see', nameOf(target), { key: nameOf(target), target, fallback: ['anyone'] })
  return { facts: [], wakes: [], closes: [], result: null, specs: [], by }
}

async function summon(call: Extract<VerbCall, { verb: 'summon' }>, at: Acting): Promise<Act> {
  const { wake } = at
  const asker = wake.caller?.name ?? null
  const name = call.target === null ? asker : parseStance(call.target)
  if (name === null)
    throw new TreeosError('INVALID_INPUT', 'nobody woke this moment, so a summon must name its target')
  const inReplyTo = call.inReplyTo ?? (name === asker ? wake.id : null)
  if (inReplyTo !== null && (inReplyTo !== wake.id || name !== asker)) {
    throw new TreeosError(
      'FORBIDDEN',
      `correlation ${quote(inReplyTo)} is not the one that ${stanceOf(at.me.name)} may answer now`,
    )
  }
  if (at.hops >= LIMITS.hopsMax) {
    throw new TreeosError(
      'RATE_LIMITED',
      `${at.hops} summons led here, at most ${LIMITS.hopsMax} may follow one another`,
    )
  }
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
    by: gated.by,
  }
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

async function operate(
  action: string,
  target: string | null,
  args: Decided['result'],
  at: Acting,
): Promise<Act> {
  const operation = at.parts.operations.get(action)
  requireListed(at.surface, await ceilingsOf(at.reader, at.me), 'do', action)
  if (operation === undefined) {
    throw new TreeosError(
      'ACTION_NOT_SUPPORTED',
      `no action ${quote(action)} is registered; \`treeos operations\` lists them`,
    )
  }
  const found = await resolve(at, target ?? placeOf(operation, at))
  return run(operation, 'do', found, args, at)
}

async function identify(name: string, payload: Decided['result'], at: Acting): Promise<Act> {
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

function placeOf(operation: Operation, at: Acting): string {
  if (operation.targets.includes('reality')) return ROOT_SPACE
  return operation.targets.includes('being') ? stanceOf(at.me.name) : at.me.space
}

async function run(
  operation: Operation,
  verb: Verb,
  target: OperationTarget,
  args: Json,
  at: Acting,
): Promise<Act> {
  const kinds = isRoot(target) ? [target.kind, 'reality' as const] : [target.kind]
  if (!kinds.some((kind) => operation.targets.includes(kind))) {
    const takes = operation.targets.map((kind) => (kind === 'reality' ? 'the reality, /' : `a ${kind}`))
    throw new TreeosError(
      'INVALID_TYPE',
      `${operation.name} takes ${takes.join(' or ')}, not ${nameOf(target)}`,
    )
  }
  const by = await bothGates(at, verb, operation.name, {
    key: operation.name,
    target,
    fallback: operation.allow,
  })
  const decided = await operation.decide({
    actor: at.me,
    target,
    args: args as never,
    world: at.reader,
    digest: at.digest,
    reach: () => reachOf(at.reader, at.me),
  })
  // The heads of what will be written belong to what the decision rests on.
  await at.reader.prefetch(decided.facts.map((fact) => fact.reel).filter((reel) => reel !== 'registry'))
  return {
    facts: decided.facts,
    wakes: [],
    closes: [],
    result: decided.result,
    specs: decided.specs ?? [],
    by,
  }
}

async function bothGates(
  at: Acting,
  verb: Verb,
  listed: string,
  question: { key: string; target: OperationTarget; fallback: StanceQuestion['fallback'] },
): Promise<[string, string]> {
  const list = requireListed(at.surface, await ceilingsOf(at.reader, at.me), verb, listed)
  const { target } = question
  const stance = await stanceGate(at.reader, {
    actor: at.me,
    verb,
    key: question.key,
    target:
      target.kind === 'being'
        ? { being: target.being, space: target.being.space }
        : { being: null, space: target.space.path },
    fallback: question.fallback,
  })
  if (!stance.allowed) throw new TreeosError('FORBIDDEN', stance.why)
  return [list, stance.by]
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

/** @throws {TreeosError} ADDRESS_PARSE_ERROR, BEING_NOT_FOUND or SPACE_NOT_FOUND naming the address */
async function resolve(at: Pick<Acting, 'reader' | 'me'>, text: string): Promise<OperationTarget> {
  const address = parseAddress(text)
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
  return target.kind === 'being' ? stanceOf(target.being.name) : target.space.path
}

export { resolve as resolveAddress }
