import { canonicalJson, type Decision, type Digest, type OverlayRecord, type ReelId } from '@treeos/core'
import type { PendingEffect, StampedMoment, StampInput } from '@treeos/protocol'
import { decisionOfPerson, type LoadedMoment } from '@treeos/reality'
import {
  type Db,
  findEffect,
  findOutcome,
  lockHeads,
  newDecision,
  type OtherRefusal,
  recordDecision,
  recordEffect,
  StaleGenerationError,
} from '@treeos/store'
import type { EffectPending } from '@treeos/world'
import type { BeatDeps } from './deps.ts'
import { crashPoint, crashPointLater } from './guard/crash-point.ts'
import { composeOnce } from './moments/compose-once.ts'
import { LEASE_EXPIRED } from './moments/expired-lease.ts'
import { recounted } from './moments/next-wakes.ts'
import { type HeldMoment, ReopenedError } from './moments/open-moments.ts'
import { type CommitResult, commit } from './stamp/commit.ts'
import type { Proposal } from './stamp/verdict.ts'

/** After this many conflicts with other writers, the stamp locks everything it read before it decides again. */
const UNLOCKED_TRIES_MAX = 2
const TRIES_MAX = 12

/**
 * Stamp: asks both gates about the decision, and appends its facts and the moment's outcome, all or none. Then rings the
 * beings that it woke. A rerun returns the first run's outcome. When another writer moved a head that the decision read, the
 * stamp decides again.
 * @returns the stamped moment; or the effect that the workflow must run first, and then nothing was written
 * @throws {StaleGenerationError} when a newer generation of the being has begun
 */
export const stampMoment = (deps: BeatDeps, input: StampInput): Promise<StampedMoment | PendingEffect> =>
  stampWithEffect(deps, input, null)

/**
 * Stamps a moment whose open record and decision are not stored: the append stores them too.
 * @throws {ReopenedError} when others of this moment are stored
 */
export const stampHeld = (
  deps: BeatDeps,
  input: StampInput,
  held: HeldMoment,
): Promise<StampedMoment | PendingEffect> => stampWithEffect(deps, input, held)

async function stampWithEffect(
  deps: BeatDeps,
  input: StampInput,
  held: HeldMoment | null,
): Promise<StampedMoment | PendingEffect> {
  const first = await stampWithRetries(deps, input, held)
  if (!('pending' in first)) return first
  const { call, effect } = first.pending
  if (held !== null) await deps.memory.moments.store(deps.db, held)
  const refused = await recordEffectRequest(deps, input, first.pending)
  if (refused === null) return { effect: { operation: call.operation, ...effect } }
  const failed = await stampWithRetries(deps, { ...input, effect: refused }, null)
  if ('pending' in failed) throw new Error(`moment ${input.moment} requests an effect after it failed`)
  return failed
}

/** Records the effect that a moment requests. @returns an error code when it requested another one before; otherwise null */
async function recordEffectRequest({ db }: BeatDeps, { moment }: StampInput, { call }: EffectPending) {
  await recordEffect(db, moment, call)
  crashPoint('effect:recorded')
  const stored = await findEffect(db, moment)
  return canonicalJson(stored?.request) === canonicalJson(call) ? null : 'RESOURCE_CONFLICT'
}

async function stampWithRetries(
  deps: BeatDeps,
  input: StampInput,
  held: HeldMoment | null,
): Promise<StampedMoment | { readonly pending: EffectPending }> {
  const { db, memory } = deps
  const opened = held?.loaded ?? (await memory.moments.load(db, input.moment))
  let proposal = await proposalOf(deps, input, opened, held)
  let unstored = held
  const store = async () => {
    if (unstored !== null) await memory.moments.store(db, unstored)
    unstored = null
  }
  let conflicting: ReelId[] = []
  // The first try of a held moment reads nothing again: mostly nothing that it read has moved since it opened.
  for (let attempt = held === null ? 1 : 0; attempt <= TRIES_MAX; attempt++) {
    if (attempt > UNLOCKED_TRIES_MAX) await store() // under these locks no other connection could store it
    const kept = attempt === 0 ? (held?.reading ?? null) : null
    const run = (db: Db) => commit(db, deps, input, { opened, held: unstored, kept }, proposal)
    const done =
      attempt <= UNLOCKED_TRIES_MAX ? await runUnlocked(db, run) : await runLocked(deps, conflicting, run)
    switch (done.status) {
      case 'stamped':
        if (held === null) memory.moments.drop(input.moment)
        dropOverlay(deps, opened, proposal)
        return afterStamp(deps, input, done)
      case 'effect-pending':
        return done
      case 'done':
        return storedStamp(deps, input, held)
      case 'stale':
        conflicting = done.read
        break
      case 'unstorable':
        await store()
        proposal = failedBeside(
          proposal,
          'storage',
          'INTERNAL',
          `Postgres cannot store this act (SQLSTATE ${done.code})`,
        )
        break
      case 'unleased':
        proposal = failedBeside(proposal, 'lease', 'FORBIDDEN', LEASE_EXPIRED)
        break
      case 'reopened':
        throw new ReopenedError(`another process went on with ${input.moment}`)
      case 'superseded':
        throw new StaleGenerationError(
          `generation ${input.generation} of ${input.being} has ended: ${done.generation} is current`,
        )
    }
  }
  throw new Error(`moment ${input.moment} conflicted with other writers in ${TRIES_MAX} tries`)
}

/** The decision became a failure for a reason beside the gates. @throws {Error} for a skip, which such a reason cannot refuse */
function failedBeside(proposal: Proposal, beside: OtherRefusal, code: string, message: string): Proposal {
  if (proposal.kind === 'skipped') throw new Error(`a skipped moment was refused: ${message}`)
  return { ...proposal, decision: { kind: 'failure', code, message }, beside }
}

/** Rings who was woken, and whose wakes nobody rings while their runs listen, this being included. */
async function afterStamp(
  deps: BeatDeps,
  { being, moment }: StampInput,
  { stamped, ring, rescheduled, mayHaveMissed }: Extract<CommitResult, { status: 'stamped' }>,
): Promise<StampedMoment> {
  deps.observe.outcome(stamped.kind, stamped.reason, moment)
  crashPoint('ring:before')
  // Should this process die, the task of a being that waited runs again, and asks for wakes.
  deps.ring(deps.memory.nextWakes.came(ring))
  if (rescheduled.length > 0) deps.reschedule(rescheduled)
  crashPoint('ring:after')
  crashPointLater('stamp:returned')
  const mayRest = stamped.waiting === 0
  return mayRest && mayHaveMissed ? { ...stamped, waiting: await recounted(deps.db, being) } : stamped
}

/** The overlay of a call is over with its moment; a look hands it on to the moment that shows what was seen. */
function dropOverlay(
  { overlays }: BeatDeps,
  { record, overlays: sources }: LoadedMoment,
  proposal: Proposal,
) {
  if (sources === undefined || sources.call === null) return
  const looked = proposal.kind === 'decided' && isLook(proposal.decision)
  if (!looked) overlays.drop(sources.call, record.moment)
}

const isLook = (decision: Decision): boolean => decision.kind === 'call' && decision.call.verb === 'see'

async function runUnlocked(
  db: Db,
  run: (db: Db) => Promise<CommitResult>,
): Promise<CommitResult | Unstorable> {
  try {
    return await run(db)
  } catch (error) {
    return asUnstorable(error)
  }
}

/** Postgres refused a value or a key that its types or indexes cannot hold. A retry would not change that. */
interface Unstorable {
  readonly status: 'unstorable'
  readonly code: string
}

function asUnstorable(error: unknown): Unstorable {
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && /^(22|54)...$/.test(code)) return { status: 'unstorable', code }
  throw error
}

/** Runs a try with locks on the reels that the last try read. A deadlock with another stamp counts as a conflict. */
async function runLocked(
  deps: BeatDeps,
  reels: ReelId[],
  run: (db: Db) => Promise<CommitResult>,
): Promise<CommitResult | Unstorable> {
  try {
    return await deps.db.transaction().execute(async (tx) => {
      await lockHeads(tx, reels)
      return run(tx)
    })
  } catch (error) {
    if ((error as { code?: unknown }).code === DEADLOCK_DETECTED) return { status: 'stale', read: reels }
    return asUnstorable(error)
  }
}
const DEADLOCK_DETECTED = '40P01'

/** The proposal of a moment: a skip, a failure, or a decision with its composed stack. */
async function proposalOf(
  deps: BeatDeps,
  input: StampInput,
  opened: LoadedMoment,
  held: HeldMoment | null,
): Promise<Proposal> {
  if (input.stack === null) return { kind: 'skipped', reason: input.skip ?? 'role-unresolved' }
  const composed = await composeOnce(deps, opened, input.stack)
  const { decision, digest, overlay } = await decisionOf(deps, input, opened, held)
  const proposal = { kind: 'decided', stack: input.stack, composed, digest, overlay } as const
  // The last attempt may have recorded its result although its answer to Temporal was lost.
  if (input.effect === undefined || (await findEffect(deps.db, input.moment))?.result != null)
    return { ...proposal, decision }
  return {
    ...proposal,
    beside: 'effect',
    decision: {
      kind: 'failure',
      code: input.effect,
      message: input.effect === 'RESOURCE_CONFLICT' ? EFFECT_CHANGED : EFFECT_WITHOUT_RESULT,
    },
  }
}

async function decisionOf(
  deps: BeatDeps,
  input: StampInput,
  opened: LoadedMoment,
  held: HeldMoment | null,
): Promise<{ decision: Decision; digest: Digest | null; overlay: OverlayRecord | null }> {
  if (held !== null) {
    held.decision ??= newDecision(decisionOfPerson(opened))
    return held.decision
  }
  if (input.failed !== null)
    return {
      decision: { kind: 'failure', code: input.failed, message: MODEL_WITHOUT_ANSWER },
      digest: null,
      overlay: deps.memory.moments.find(input.moment)?.overlay ?? null,
    }
  if (opened.record.wake.kind !== 'act') {
    const stored = await deps.memory.moments.decision(deps.db, input.moment)
    if (stored === null || stored.digest !== input.decision)
      throw new Error(`the decision of ${input.moment} is not stored`)
    return stored
  }
  return recordDecision(deps.db, input.moment, newDecision(decisionOfPerson(opened)))
}

// A worker may die after it performed an effect and before it recorded the result.
const EFFECT_WITHOUT_RESULT =
  "the effect gave no result within its attempts, and may have happened nevertheless; the worker's log has each error"
const EFFECT_CHANGED = 'the act requests another effect than it requested before'
const MODEL_WITHOUT_ANSWER = "the model did not answer within its attempts; the worker's log has each error"

async function storedStamp(
  deps: BeatDeps,
  input: StampInput,
  held: HeldMoment | null,
): Promise<StampedMoment> {
  const outcome = await findOutcome(deps.db, input.moment)
  if (outcome === null) throw new Error(`the outcome of ${input.moment} is missing although it was stored`)
  const { kind, reason, hash, record } = outcome
  if (held !== null && record.open !== held.digest)
    throw new ReopenedError(`another process ended ${input.moment}`)
  return { kind, reason, record: hash, waiting: 1 } // how many wait is unknown here; an extra check of the inbox is cheap
}
