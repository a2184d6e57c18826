import {
  type BeingName,
  type BroughtFile,
  type Cognition,
  classOfThrown,
  type FactDraft,
  frozen,
  LIMITS,
  matterReel,
  readThrown,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import type { EffectGiven, EffectPending } from '../extend/effect.ts'
import type { DecidedOperation, DecideInput } from '../extend/extension.ts'
import { requireOwnQualities } from '../extend/owned-qualities.ts'
import { requireDeclared } from '../extend/require-declared.ts'
import { SUBSTRATE_REGISTRY } from '../extend/substrate.ts'
import { reachWith } from '../gates/reach.ts'
import { maySeeSpace } from '../gates/sight.ts'
import { targetName } from '../read/target.ts'
import { factsOfFile, MATTERS_MAX } from '../rows/file-facts.ts'
import { type BeingRow, matterKey } from '../rows/rows.ts'
import { type ActInputs, type Asker, type GivenInput, wakeView } from './act-inputs.ts'
import { type CarriedOperation, carrying } from './carry-out.ts'
import { type RegisteredOperation, requireOperation, requireTarget } from './resolve-operation.ts'

type OperationInputs = Pick<ActInputs, 'registry' | 'reader' | 'outside' | 'fromOutside' | 'onCode'>

/** By whose rights an operation is decided. */
interface OperationRights extends Asker {
  readonly actor: BeingRow
  readonly cognition: Cognition
}

/** What an operation is given in a moment: of the being that acts, or of the one that asked it. */
export async function inputOf(
  { reader, moment, wake, fromOutside, digest, openedAt }: ActInputs,
  { actor, driver, lender, cognition, surface }: OperationRights,
  { target, args, fulfilled = null }: Pick<GivenInput, 'target' | 'args'> & Partial<GivenInput>,
): Promise<GivenInput> {
  const rowOf = async (name: BeingName | null) => (name === null ? null : reader.being(name))
  const reach = () => reachWith(reader, actor, lender)
  return {
    actor,
    driver: await rowOf(driver),
    lender: await rowOf(lender),
    cognition,
    target,
    args,
    moment,
    wake: wakeView(wake),
    fromOutside,
    world: reader,
    digest,
    openedAt,
    reach,
    sees: (space) => maySeeSpace({ world: reader, me: actor, surface, reach }, space),
    fulfilled,
  }
}

/** An operation's decision, or the effect that has to be done before it can decide. */
export type OperationOutcome =
  | { readonly kind: 'decided'; readonly decided: DecidedOperation }
  | EffectPending

/** Decides as in a moment, without asking either gate: for tests of extensions. */
export async function decideUngated(
  name: string,
  at: OperationInputs,
  input: GivenInput,
): Promise<OperationOutcome> {
  const operation = requireOperation(at.registry, name, 'do')
  requireTarget(operation, input.target)
  const outcome = await runOperation(operation, at, input)
  if (outcome.kind === 'decided') requireBounded(outcome.decided)
  return outcome
}

/** Runs an operation that both gates allow. It may write no more than the manifest of its extension names. */
export async function runOperation(
  operation: RegisteredOperation,
  at: OperationInputs,
  input: GivenInput,
): Promise<OperationOutcome> {
  if (operation.origin !== SUBSTRATE_REGISTRY) {
    at.onCode?.(operation.name)
    at.reader.readsAll()
  }
  const effect = await effectOf(operation, at, input)
  if (effect.kind === 'effect-pending') return effect
  const decided = await guarded(operation, input, async () => {
    const isOurs = operation.origin === SUBSTRATE_REGISTRY
    if (!isOurs) freeze(at, input)
    const carried = carrying(operation, at, input)
    const given = await operation.decide({
      ...input,
      effect: effect.value,
      known: at.registry.known,
      carryOut: carried.carryOut,
      carriedBy: null,
    })
    carried.close()
    // A copy: code that goes on running could change what was checked.
    const decided = isOurs ? given : structuredClone(given)
    await requireDeclared(operation, decided, { ...at, actor: input.actor, carried: carried.facts })
    // What was requested of one that mediates was decided, and checked, as its asker's.
    const requested = input.fulfilled?.kind === 'decided' ? input.fulfilled.decided.facts : []
    const own = decided.facts.filter((fact) => !requested.includes(fact))
    requireOwnQualities(operation, own, { ...input, known: at.registry.known })
    return withBrought(operation, withCarried(carried, decided), input, effect.files)
  })
  return { kind: 'decided', decided }
}

/**
 * Other attempts and other moments share what code of an extension is given, so it may only read it.
 * Arguments are its own.
 */
function freeze({ reader }: Pick<OperationInputs, 'reader'>, { target, wake }: GivenInput): void {
  reader.freeze()
  for (const given of [target, wake]) frozen(given)
}

function withCarried(
  { facts, specs, closes }: CarriedOperation,
  decided: DecidedOperation,
): DecidedOperation {
  if (facts.length === 0) return decided
  return {
    ...decided,
    facts: [...facts, ...decided.facts],
    specs: [...specs, ...(decided.specs ?? [])],
    closes: [...closes, ...(decided.closes ?? [])],
  }
}

/**
 * Makes things of the files that an effect brought. The outside was asked already, so nothing fails where there
 * is no room for them.
 */
async function withBrought(
  { name, origin }: RegisteredOperation,
  decided: DecidedOperation,
  { actor, world }: Pick<GivenInput, 'actor' | 'world'>,
  files: readonly BroughtFile[] = [],
): Promise<DecidedOperation> {
  if (files.length === 0) return decided
  const own = decided.facts.find(({ reel }) => files.some(({ id }) => reel === matterReel(id)))
  if (own !== undefined)
    throw new TreeosError(
      'EXTENSION_BLOCKED',
      `${name} of extension ${origin} may not write on ${own.reel}: the file that its effect kept becomes that thing by itself`,
    )
  const held = (await world.matters(stanceOf(actor.name))).length
  const facts: FactDraft[] = []
  let made = 0
  for (const { id, ...file } of files) {
    if (held + made >= MATTERS_MAX) break
    if ((await world.row(matterKey(id))) !== null) continue
    facts.push(...factsOfFile(actor.name, id, file))
    made += 1
  }
  return { ...decided, facts: [...decided.facts, ...facts] }
}

/**
 * Runs code of an extension. An error that the code throws fails the moment. If the activity failed instead,
 * it would be retried for ever, and the actor would live no other moment.
 */
async function guarded<T>(
  { name, origin }: RegisteredOperation,
  { world }: Pick<DecideInput, 'world'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    world.requireWhole() // a failed read is not a fault of the operation: the activity is retried
    if (origin === SUBSTRATE_REGISTRY || readThrown(() => error instanceof TreeosError, false)) throw error
    const told = `operation ${name} of extension ${origin} threw ${classOfThrown(error)}`
    throw new TreeosError('INTERNAL', told, undefined, { cause: error })
  }
}

/**
 * What the effect of an operation returned: it is done after both gates and before the decision. Null without
 * an effect.
 */
async function effectOf(
  operation: RegisteredOperation,
  at: OperationInputs,
  input: GivenInput,
): Promise<({ readonly kind: 'done' } & EffectGiven) | EffectPending> {
  const { name, effect } = operation
  const { actor, target, args } = input
  if (effect === undefined) {
    await requireAllowed(operation, at, input)
    return { kind: 'done', value: null }
  }
  await guarded(operation, input, async () => effect.admit(args, input.world))
  const { secrets = [] } = effect
  const call = {
    operation: name,
    actor: actor.name,
    target: targetName(target),
    args,
    ...(secrets.length === 0 ? {} : { secrets }),
  }
  const done = await at.outside(call)
  if (done !== null) return { kind: 'done', ...done }
  await requireAllowed(operation, at, input)
  const { timeoutSeconds, attempts, isTask, check, starts } = effect
  const bounds = {
    timeoutSeconds,
    attempts,
    ...(isTask === true ? { isTask } : {}),
    ...(check === undefined ? {} : { checks: true as const }),
    ...(starts === undefined ? {} : { starts: true as const }),
  }
  return { kind: 'effect-pending', call, effect: bounds }
}

/** @throws {TreeosError} FORBIDDEN with what the operation says against it */
async function requireAllowed(
  operation: RegisteredOperation,
  at: OperationInputs,
  input: GivenInput,
): Promise<void> {
  const { name, allowIf, origin } = operation
  if (allowIf === undefined) return
  const { actor, target, args, world, wake, openedAt } = input
  const answer = await guarded(operation, input, async () => {
    if (origin !== SUBSTRATE_REGISTRY) freeze(at, input)
    return allowIf({ actor, target, args, world, wake, openedAt })
  })
  if (answer === true) return
  const why = typeof answer === 'string' && answer !== '' ? answer : 'its condition does not hold'
  throw new TreeosError('FORBIDDEN', `${name} is not allowed: ${why}`, {
    answer: 'condition',
    by: `${name}: allowIf`,
  })
}

/** @throws {TreeosError} PAYLOAD_TOO_LARGE */
export function requireBounded({ facts }: Pick<DecidedOperation, 'facts'>): void {
  if (facts.length <= LIMITS.factsPerActMax) return
  throw new TreeosError(
    'PAYLOAD_TOO_LARGE',
    `an act of ${facts.length} facts, at most ${LIMITS.factsPerActMax} are taken`,
  )
}
