import {
  type Db,
  lockHeads,
  readEffect,
  readOutcome,
  recordDecision,
  recordEffect,
  StaleGenerationError,
} from '@treeos/chain'
import {
  type ActContent,
  canonicalJson,
  type Decision,
  type Digest,
  isJsonObject,
  parseCall,
  type ReelId,
  TreeosError,
} from '@treeos/core'
import type { PendingEffect, StampedMoment, StampInput } from '@treeos/protocol'
import { composeLoaded, type LoadedMoment } from '@treeos/reality'
import type { EffectPending } from '@treeos/world'
import type { BeatDeps } from './deps/beat-deps.ts'
import { findDecision, loadMoment } from './deps/memory.ts'
import { crashPoint, crashPointLater } from './run/crash-point.ts'
import { type CommitResult, commit } from './stamp/commit.ts'
import { LEASE_EXPIRED } from './stamp/lease.ts'
import type { Proposal } from './stamp/verdict.ts'

/** After this many decisions overtaken by others, everything read is locked before it is decided again. */
const UNLOCKED_TRIES_MAX = 2
const TRIES_MAX = 12

/**
 * Stamp: the decision passes both gates and becomes facts, all or none, with the moment's outcome; then doorbells. A rerun
 * gets the first run's outcome back. If a head that the decision rested on has moved meanwhile, it is decided again.
 * @throws {StaleGenerationError} when a younger life has begun
 */
export async function stampMoment(deps: BeatDeps, input: StampInput): Promise<StampedMoment | PendingEffect> {
  const first = await stampWithRetries(deps, input)
  if (!('pending' in first)) return first
  const { call, effect } = first.pending
  const refused = await recordEffectRequest(deps, input, first.pending)
  if (refused === null) return { effect: { operation: call.operation, ...effect } }
  const failed = await stampWithRetries(deps, { ...input, effect: refused })
  if ('pending' in failed) throw new Error(`moment ${input.moment} failed and waits for an effect`)
  return failed
}

/** Keeps what the moment asks for. @returns why it is not to be done; null when it is */
async function recordEffectRequest({ db }: BeatDeps, { moment }: StampInput, { call }: EffectPending) {
  await recordEffect(db, moment, call)
  crashPoint('effect:held')
  const stored = await readEffect(db, moment)
  return canonicalJson(stored?.request) === canonicalJson(call) ? null : 'RESOURCE_CONFLICT'
}

async function stampWithRetries(
  deps: BeatDeps,
  input: StampInput,
): Promise<StampedMoment | { readonly pending: EffectPending }> {
  const loaded = await loadMoment(deps, input.moment)
  let proposal = await proposalOf(deps, input, loaded)
  let conflicting: ReelId[] = []
  for (let attempt = 1; attempt <= TRIES_MAX; attempt++) {
    const run = (db: Db) => commit(db, deps, input, loaded, proposal)
    const done =
      attempt <= UNLOCKED_TRIES_MAX
        ? await runUnlocked(deps.db, run)
        : await runLocked(deps, conflicting, run)
    if (done.status === 'unstorable') {
      if (proposal.kind === 'skipped')
        throw new Error(`the record of ${input.moment} cannot be stored (${done.code})`)
      const decision = {
        kind: 'failure',
        code: 'INTERNAL',
        message: `this act cannot be stored (${done.code})`,
      } as const
      proposal = { ...proposal, decision }
      continue
    }
    if (done.status === 'unleased') {
      if (proposal.kind === 'skipped') throw new Error(`a skipped moment, ${input.moment}, was driven`)
      const decision = { kind: 'failure', code: 'FORBIDDEN', message: LEASE_EXPIRED } as const
      proposal = { ...proposal, decision }
      continue
    }
    if (done.status === 'stamped') {
      deps.observe.outcome(done.stamped.kind, done.stamped.reason)
      crashPoint('ring:before')
      deps.ring(done.ring)
      if (done.rescheduled.length > 0) deps.reschedule(done.rescheduled)
      crashPoint('ring:after')
      crashPointLater('stamp:returned')
      return done.stamped
    }
    if (done.status === 'effect-pending') return done
    if (done.status === 'done') return storedStamp(deps, input)
    if (done.status === 'superseded') {
      throw new StaleGenerationError(
        `generation ${input.generation} of ${input.being} is over, ${done.generation} lives`,
      )
    }
    conflicting = done.read
  }
  throw new Error(`moment ${input.moment} was overtaken ${TRIES_MAX} times`)
}

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

/** What Postgres will never take, however often it is asked: a value or a key beyond what its types and indexes hold. */
interface Unstorable {
  readonly status: 'unstorable'
  readonly code: string
}

function asUnstorable(error: unknown): Unstorable {
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && /^(22|54)...$/.test(code)) return { status: 'unstorable', code }
  throw error
}

/** Locks what was read before; a decision that now reads elsewhere may still meet another's locks, and is made again. */
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

/** What the moment comes to, before the gates: a skip, a mind that failed, or a decision over a composed stack. */
async function proposalOf(deps: BeatDeps, input: StampInput, loaded: LoadedMoment): Promise<Proposal> {
  if (input.stack === null) return { kind: 'skipped', reason: input.skip ?? 'role-unresolved' }
  const composed = await composeLoaded(deps.db, deps.registry, loaded, input.stack)
  const { decision, digest } = await decisionOf(deps, input, loaded)
  const proposal = { kind: 'decided', stack: input.stack, composed, digest } as const
  // The last attempt may have been lost on its way back, and done all the same.
  if (input.effect === undefined || (await readEffect(deps.db, input.moment))?.result != null)
    return { ...proposal, decision }
  return {
    ...proposal,
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
  loaded: LoadedMoment,
): Promise<{ decision: Decision; digest: Digest | null }> {
  if (input.failed !== null)
    return { decision: { kind: 'failure', code: input.failed, message: MODEL_WITHOUT_ANSWER }, digest: null }
  if (loaded.record.wake.kind !== 'act') {
    const stored = await findDecision(deps, input.moment)
    if (stored === null || stored.digest !== input.decision)
      throw new Error(`the decision of ${input.moment} is not kept`)
    return stored
  }
  return recordDecision(deps.db, input.moment, decisionOfPerson(loaded))
}

// Whoever did it may have died before it could tell.
const EFFECT_WITHOUT_RESULT =
  'what it does outside gave no result within the time and the attempts it has: it may have been done all the same'
const EFFECT_CHANGED = 'it asks for something else outside than it asked for before'
const MODEL_WITHOUT_ANSWER = 'the mind gave no answer within the time and the retries it has'

/** What a person chose. An act that cannot be read is a failed moment, as a model's garbage is. */
function decisionOfPerson({ content }: LoadedMoment): Decision {
  try {
    const { call } = content as unknown as ActContent
    if (!isJsonObject(content)) throw new TreeosError('INVALID_INPUT', 'an act is an object with a call')
    return { kind: 'call', call: parseCall(call), content: null }
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    return { kind: 'failure', code: error.code, message: error.message }
  }
}

async function storedStamp(deps: BeatDeps, input: StampInput): Promise<StampedMoment> {
  const outcome = await readOutcome(deps.db, input.moment)
  if (outcome === null) throw new Error(`the outcome of ${input.moment} was there and is gone`)
  const { record } = outcome
  return {
    moment: outcome.moment,
    kind: outcome.kind,
    reason: outcome.reason,
    stack: record.stackDigest,
    surface: record.surfaceDigest,
    prompt: record.promptDigest,
    act: record.act,
    record: outcome.hash,
    heads: record.facts,
    waiting: 1, // unknown by now: looking once too often costs nothing
  }
}
