import {
  type BeingName,
  type Json,
  type JsonObject,
  LIMITS,
  quote,
  ROOT_SPACE,
  stanceOf,
  TreeosError,
  type Verb,
} from '@treeos/core'
import { requireDeclared } from '../extend/declared.ts'
import { EffectPending } from '../extend/effect.ts'
import type { Decided, Operation, OperationInput } from '../extend/extension.ts'
import { SUBSTRATE_REGISTRY } from '../extend/substrate.ts'
import { bothGates, requireListed, requireStanding } from '../gates/both-gates.ts'
import { ceilingsOf, listGate } from '../gates/list-gate.ts'
import { reachWith } from '../gates/reach.ts'
import type { WorldReader } from '../read/reader.ts'
import { isRoot, nameOf, type OperationTarget, resolve } from '../read/target.ts'
import { lenderOf } from '../rows/inhabiting.ts'
import { holdsEntry, LIST_OF_VERB, type Surface } from '../rows/lists.ts'
import type { BeingRow } from '../rows/rows.ts'
import type { Act, Acting } from './acting.ts'
import { parseRequest, type Request } from './request.ts'
import { summon } from './summon.ts'

export async function operate(
  action: string,
  target: string | null,
  args: JsonObject,
  at: Acting,
): Promise<Act> {
  requireListed(at.surface, await ceilingsOf(at.reader, at.me), 'do', action)
  const operation = requireOperation(at, action)
  const found = await resolve(at, target ?? placeOf(operation, at.me))
  return run(operation, 'do', found, args, at)
}

export async function identify(name: string, payload: JsonObject, at: Acting): Promise<Act> {
  requireListed(at.surface, await ceilingsOf(at.reader, at.me), 'be', name)
  return run(requireOperation(at, name, 'be'), 'be', { kind: 'being', being: at.me }, payload, at)
}

function requireOperation(
  at: Pick<Acting, 'registry'>,
  action: string,
  verb: 'do' | 'be' = 'do',
): Registered {
  const operation = (verb === 'do' ? at.registry.operations : at.registry.beOperations).get(action)
  if (operation !== undefined) return operation
  if (verb === 'be') {
    const known = [...at.registry.beOperations.keys()].sort().join(', ')
    throw new TreeosError(
      'ACTION_NOT_SUPPORTED',
      `no BE operation ${quote(action)} is registered; there is ${known}`,
    )
  }
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

/** What an operation is decided with, once it may be. */
type Deciding = Omit<OperationInput, 'effect' | 'known'>

/** Decides as in a moment, but asks neither gate: to try what an operation comes to. */
export async function decideUngated(
  action: string,
  at: Pick<Acting, 'registry' | 'reader' | 'outside'>,
  input: Deciding,
): Promise<Decided> {
  const operation = requireOperation(at, action)
  requireTarget(operation, input.target)
  const decided = await decideBy(operation, at, input)
  requireBounded(decided)
  return decided
}

/** Decides what the gates have let pass; it may write no more than its extension says. */
async function decideBy(
  operation: Registered,
  at: Pick<Acting, 'registry' | 'reader' | 'outside'>,
  input: Deciding,
): Promise<Decided> {
  const effect = await doOutside(operation, at, input)
  return guarded(operation, input, async () => {
    const decided = await operation.decide({ ...input, effect, known: at.registry.known })
    await requireDeclared(operation, decided, at)
    return decided
  })
}

/**
 * What code of an extension dies of is its own affair: thrown on, it would be tried again for ever, and its actor would never
 * live another moment.
 */
async function guarded<T>(
  { name, origin }: Registered,
  { world }: Pick<OperationInput, 'world'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    world.requireWhole() // a read that failed is no fault of the operation, and is tried again
    if (error instanceof TreeosError || origin === SUBSTRATE_REGISTRY) throw error
    const kind = error instanceof Error ? error.name : typeof error
    throw new TreeosError('INTERNAL', `${name} of extension ${origin} died of a ${kind}`, undefined, {
      cause: error,
    })
  }
}

/** What is done outside is done once the gates have let it pass, and before anything is decided on it. */
async function doOutside(
  operation: Registered,
  at: Pick<Acting, 'outside'>,
  input: Pick<OperationInput, 'actor' | 'target' | 'args' | 'world'>,
): Promise<Json> {
  const { name, effect } = operation
  const { actor, target, args } = input
  if (effect === undefined) return null
  await guarded(operation, input, async () => effect.check(args))
  const call = { operation: name, actor: actor.name, target: nameOf(target), args }
  const done = await at.outside(call)
  if (done === null) throw new EffectPending(call, effect)
  return done.value
}

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
  const lender = lenderOf(at.me, at.driver)
  const decided = await decideBy(operation, at, {
    actor: at.me,
    driver: await rowOf(at.reader, at.driver),
    lender: await rowOf(at.reader, lender),
    cognition: at.caller.cognition,
    target,
    args,
    world: at.reader,
    digest: at.digest,
    reach: () => reachWith(at.reader, at.me, lender),
    fulfil: async () => {
      const fulfilled = await fulfil(at, operation)
      by.push(...fulfilled.by)
      return fulfilled.decided
    },
  })
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

export function requireBounded({ facts }: Pick<Decided, 'facts'>): void {
  if (facts.length <= LIMITS.factsPerActMax) return
  throw new TreeosError(
    'PAYLOAD_TOO_LARGE',
    `an act of ${facts.length} facts, at most ${LIMITS.factsPerActMax} are taken`,
  )
}

function requireTarget(operation: Operation, target: OperationTarget): void {
  const kinds = isRoot(target) ? [target.kind, 'reality' as const] : [target.kind]
  if (kinds.some((kind) => operation.targets.includes(kind))) return
  const takes = operation.targets.map((kind) => (kind === 'reality' ? 'the reality, /' : `a ${kind}`))
  throw new TreeosError(
    'INVALID_TYPE',
    `${operation.name} takes ${takes.join(' or ')}, not ${nameOf(target)}`,
  )
}

const rowOf = async (reader: WorldReader, being: BeingName | null) =>
  being === null ? null : reader.being(being)

/**
 * Decides the operation that the wake's content asks for. Whoever does it lends the asker nothing but its hands: the asker's
 * lists must have held the action as it spoke, its reach must hold it still, and standing, ceilings and reach are the
 * asker's, or whoever lent it theirs, so that what comes of it is what they could have done alone. The hands bound it as well, by
 * their own lists.
 */
async function fulfil(at: Acting, by: Operation): Promise<{ decided: Decided; by: string[] }> {
  const { wake, reader } = at
  const request = wake.kind === 'summon' && wake.inReplyTo === null ? parseRequest(wake.content) : null
  if (request === null)
    throw new TreeosError('INVALID_INPUT', 'nobody asked for an operation: {"do": action, …} is what asks')
  const asker = wake.caller === null ? null : await reader.being(wake.caller.name)
  if (asker === null || wake.caller === null)
    throw new TreeosError('UNAUTHORIZED', `${request.action} was asked for by nobody: only a being may ask`)
  if (request.action === by.name) throw new TreeosError('FORBIDDEN', `${by.name} cannot be asked for`)
  const { verb, action, args } = request
  requireListed(at.surface, await ceilingsOf(reader, at.me), verb, action)
  const asked = await at.asker()
  const list = requireAsked(asker, request, asked?.surface ?? null, await ceilingsOf(reader, asker))
  const { driver = null, lender = null } = asked ?? {}
  const reach = await reachWith(reader, asker, lender)
  const named = LIST_OF_VERB[verb]
  if (!holdsEntry(named, reach[named], action, asker.home)) {
    throw new TreeosError('FORBIDDEN', `${action} is beyond the reach of ${stanceOf(asker.name)}`)
  }
  const operation = requireOperation(at, action, verb)
  const target: OperationTarget =
    verb === 'be'
      ? { kind: 'being', being: asker }
      : await resolve({ reader, me: asker, thread: at.thread }, request.target ?? placeOf(operation, asker))
  requireTarget(operation, target)
  const stance = await requireStanding(reader, asker, verb, {
    key: operation.name,
    target,
    fallback: operation.allow,
  })
  const decided = await decideBy(operation, at, {
    actor: asker,
    driver: await rowOf(reader, driver),
    lender: await rowOf(reader, lender),
    cognition: wake.caller.cognition,
    target,
    args,
    world: reader,
    digest: at.digest,
    reach: async () => reach,
    fulfil: () => Promise.reject(new TreeosError('FORBIDDEN', 'what is asked for cannot ask in turn')),
  })
  const facts = decided.facts.map((fact) => ({
    ...fact,
    payload: { ...fact.payload, onBehalfOf: asker.name },
  }))
  const rules = [list, stance].map((rule) => `${stanceOf(asker.name)} ${rule}`)
  return { decided: { ...decided, facts }, by: rules }
}

function requireAsked(
  asker: BeingRow,
  { verb, action }: Request,
  surface: Surface | null,
  ceilings: Parameters<typeof listGate>[1],
): string {
  if (surface === null)
    throw new TreeosError(
      'FORBIDDEN',
      `nothing is known of what ${stanceOf(asker.name)} could do as it spoke`,
    )
  const decision = listGate(surface, ceilings, LIST_OF_VERB[verb], action)
  if (decision.allowed) return decision.by
  const { by, why } = decision
  throw new TreeosError('FORBIDDEN', `of ${stanceOf(asker.name)}, who asks: ${why}`, {
    answer: 'not-granted',
    by: `${stanceOf(asker.name)} ${by}`,
  })
}
