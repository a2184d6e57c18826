import {
  approvalOf,
  asJson,
  type BeingName,
  canonicalJson,
  isSameJson,
  type MomentId,
  type ReelId,
} from '@treeos/core'
import type {
  ElsewhereMoment,
  OtherStack,
  PendingEffect,
  ScheduleRef,
  StampedMoment,
  StampInput,
} from '@treeos/protocol'
import { type LoadedMoment, readerOf } from '@treeos/reality'
import {
  append,
  type Batch,
  type BeforeStamp,
  type Db,
  digestOf,
  findEffect,
  findOutcome,
  hasEffectOfWake,
  type KeptReading,
  keyedRequest,
  listParkedBy,
  lockHeads,
  putBlob,
  type RecordRefusal,
  readBeforeStamp,
  readClock,
  recordEffect,
  recordRefusalOf,
  StaleGenerationError,
} from '@treeos/store'
import { type EffectPending, yesHoldsUntil } from '@treeos/world'
import type { BeatDeps } from '../deps.ts'
import { crashPoint, crashPointLater } from '../guard/crash-point.ts'
import { RecordRefusedError } from '../guard/record-refused.ts'
import { unusedOf } from '../model/ask-within-budgets.ts'
import { leaveOpen } from '../moments/elsewhere.ts'
import { LISTENS_MS, recounted } from '../moments/next-wakes.ts'
import { type HeldMoment, ReopenedError } from '../moments/open-moments.ts'
import { build } from './build.ts'
import { concludeProposal } from './conclude.ts'
import { beingsToRecheck, beingsWithNewBudget, changedSchedules, changesStandardBudget } from './follow-up.ts'
import { type GateInput, propose, refusedByCondition, UNLEASED } from './propose.ts'
import { readForStamp } from './read.ts'
import { evaluationIn, nameOfCall, stampedBefore } from './stored-stamp.ts'

/**
 * After this many conflicts with other writers, the stamp locks everything it read before it decides again.
 */
const UNLOCKED_ATTEMPTS_MAX = 2
const ATTEMPTS_MAX = 12

/**
 * Stamp: asks both gates about the decision, and appends its facts and the moment's outcome, all or none.
 * Then rings the beings that it woke. A rerun returns the first run's outcome. When another writer moved a
 * head that the decision read, the stamp decides again.
 * @param held a moment whose open record and decision are not stored: the append stores them too
 * @returns the stamped moment; or the effect that the workflow must run first, and then nothing was written;
 *   or the stack that another run has stamped it with
 *   and where this worker has not the code that the moment opened with, that another one is to stamp it
 * @throws {StaleGenerationError} when a newer generation of the being has begun
 * @throws {RecordRefusedError} when Postgres takes neither the act nor its failure
 * @throws {ReopenedError} when other records of a held moment are stored
 */
export async function stampMoment(
  deps: BeatDeps,
  input: StampInput,
  held: HeldMoment | null = null,
): Promise<StampedMoment | PendingEffect | OtherStack | ElsewhereMoment> {
  const left = held === null ? await leftBy(deps, input) : null
  return left ?? stampHere(deps, input, held)
}

/** An open moment is stamped where the code is that it opened with. */
async function leftBy(deps: BeatDeps, { moment, stack }: StampInput): Promise<ElsewhereMoment | null> {
  const left = await leaveOpen(deps, await deps.memory.moments.load(deps.db, moment), stack)
  return left !== null && 'outdated' in left ? { elsewhere: { waitMs: 1 } } : left
}

/** The same in this worker, whatever code it has loaded. */
export async function stampHere(
  deps: BeatDeps,
  input: StampInput,
  held: HeldMoment | null,
): Promise<StampedMoment | PendingEffect | OtherStack> {
  const first = await stampWithRetries(deps, input, held)
  if (!('pending' in first)) return first
  const { call, effect } = first.pending
  if (held !== null) await deps.memory.moments.store(deps.db, held)
  const refused =
    (await whyYesIsOver(deps, input.moment)) ?? (await recordEffectRequest(deps, input, first.pending))
  // What rules count has moved since: it is judged again, and refused where another act waits for the
  // outside.
  if (refused === MOVED) return stampHere(deps, input, null)
  if (refused === null) return { effect: { operation: call.operation, ...effect } }
  const failed = await stampWithRetries(deps, { ...input, effect: refused }, null)
  if ('pending' in failed) throw new Error(`moment ${input.moment} requests an effect after it failed`)
  return failed
}

/**
 * A yes is used once, and in its time: an earlier life may have done outside what it allows.
 * @returns an error code when it is over; otherwise null, as for a moment that brings none
 */
async function whyYesIsOver(deps: BeatDeps, moment: MomentId): Promise<string | null> {
  const { wake } = (await deps.memory.moments.load(deps.db, moment)).record
  const id = approvalOf(wake)
  if (id === null) return null
  if (await hasEffectOfWake(deps.db, wake.id, moment)) return 'INTERNAL'
  const row = await readerOf(deps).approval(id)
  return row !== null && (await readClock(deps.db)) > yesHoldsUntil(row) ? 'FORBIDDEN' : null
}

const MOVED = 'moved'

/**
 * Records the effect that a moment requests.
 * @returns an error code when it requested another one before, `moved`, or null
 */
async function recordEffectRequest(
  { db, memory, reality }: BeatDeps,
  { moment }: StampInput,
  { call, holds = [] }: EffectPending,
) {
  const { record } = await memory.moments.load(db, moment)
  const request = await keyedRequest(db, reality.id, call, record.wake)
  if ((await recordEffect(db, moment, request, holds)) !== null) return MOVED
  crashPoint('effect:recorded')
  const { cause: _cause, key: _key, ...asked } = (await findEffect(db, moment))?.request ?? {}
  return canonicalJson(asked) === canonicalJson(call) ? null : 'RESOURCE_CONFLICT'
}

async function stampWithRetries(
  deps: BeatDeps,
  input: StampInput,
  held: HeldMoment | null,
): Promise<StampedMoment | OtherStack | { readonly pending: EffectPending }> {
  const { db, memory } = deps
  const opened = held?.loaded ?? (await memory.moments.load(db, input.moment))
  let proposal = await propose(deps, input, opened, held)
  let unstored = held
  const store = async () => {
    if (unstored !== null) await memory.moments.store(db, unstored)
    unstored = null
  }
  let conflicting: ReelId[] = []
  // The first try of a held moment reads nothing again: mostly nothing that it read has moved since it
  // opened.
  for (let attempt = held === null ? 1 : 0; attempt <= ATTEMPTS_MAX; attempt++) {
    if (attempt > UNLOCKED_ATTEMPTS_MAX) await store() // under these locks no other connection could store it
    const kept = attempt === 0 ? (held?.reading ?? null) : null
    const run = (db: Db) => attemptStamp(db, deps, input, { opened, held: unstored, kept }, proposal)
    const done =
      attempt <= UNLOCKED_ATTEMPTS_MAX ? await runUnlocked(db, run) : await runLocked(deps, conflicting, run)
    switch (done.status) {
      case 'stamped':
        if (held === null) memory.moments.drop(input.moment)
        if (!done.keepsOverlay) dropOverlay(deps, opened)
        return afterStamp(deps, input, done, opened.record.wake.root)
      case 'effect-pending':
        return done
      case 'done':
        return storedStamp(deps, input, held)
      case 'stale':
        conflicting = done.read
        break
      case 'refused':
        // it was judged from what was read before
        if (kept !== null && done.refusal.prospect === 'refused') break
        proposal = failedAsRefused(proposal, done.refusal)
        await store()
        break
      case 'unleased':
        proposal = refusedByCondition(proposal, UNLEASED)
        break
      case 'reopened':
        throw new ReopenedError(`another process went on with ${input.moment}`)
      case 'superseded':
        throw new StaleGenerationError(
          `generation ${input.generation} of ${input.being} has ended: ${done.generation} is current`,
        )
    }
  }
  throw new Error(`moment ${input.moment} conflicted with other writers in ${ATTEMPTS_MAX} attempts`)
}

/** How one try of a stamp ended. */
type StampAttempt =
  | {
      readonly status: 'stamped'
      readonly stamped: StampedMoment
      readonly ring: readonly BeingName[]
      /** in how many ms the first change that is held is due; null for none */
      readonly heldMs: number | null
      readonly rescheduled: readonly ScheduleRef[]
      /** the being goes on with the same call */
      readonly keepsOverlay: boolean
      /**
       * a wake without a doorbell may have come after the inbox was counted, and the run does not listen on
       */
      readonly mayHaveMissed: boolean
    }
  | { readonly status: 'done' }
  | { readonly status: 'stale'; readonly read: ReelId[] }
  | { readonly status: 'superseded'; readonly generation: number }
  /** the lease of the driver has expired */
  | { readonly status: 'unleased' }
  /** other records of the moment are stored than those it was decided from */
  | { readonly status: 'reopened' }
  /** the call waits for its effect; nothing was written */
  | { readonly status: 'effect-pending'; readonly pending: EffectPending }

/** Most beings that a stamp rings because a budget no longer parks them. The sweep rings the others. */
const FREED_MAX = 1000

/** What a try of a stamp starts from. */
interface StampStart {
  readonly opened: LoadedMoment
  /** null when open record and decision are stored */
  readonly held: HeldMoment | null
  /** the world as it was when the moment opened; null: the try reads it as it is now */
  readonly kept: KeptReading | null
}

/**
 * One try of a stamp: read, conclude, build, append; each but the last is a file in `stamp/`. The append
 * refuses when a head that was read has moved.
 */
async function attemptStamp(
  db: Db,
  deps: BeatDeps,
  input: StampInput,
  { opened, held, kept }: StampStart,
  proposal: GateInput,
): Promise<StampAttempt> {
  const reading = await readForStamp(db, deps, input, opened, kept)
  const before = held === null ? await readBeforeStamp(db, input.moment) : beforeOf(held)
  const concluded = await concludeProposal(db, deps, input, proposal, reading, before)
  // The append checks every head that an act has read. Of a refusal or a look it checks fewer: no reel
  // without a fact, and nothing where no call was judged. So anything but an act is judged again from the
  // present rows.
  if (kept !== null && concluded.kind !== 'act' && concluded.kind !== 'waiting')
    return attemptStamp(db, deps, input, { opened, held, kept: null }, proposal)
  if (concluded.kind === 'effect-pending') return { status: 'effect-pending', pending: concluded }
  deps.memory.stamped.set(input.being, reading.readSet)
  const open = held?.open.record.digest ?? digestOf(opened.record)
  const built = await build(deps, input, { open, before, proposal, concluded }, reading)
  for (const spec of concluded.act?.specs ?? []) await putBlob(db, spec)
  crashPoint('stamp:before-append')
  const answer = await append(db, held === null ? built.batch : { ...built.batch, ...unstoredOf(held) })
  if (answer.status === 'appended') crashPoint('stamp:after-append')
  if (answer.status === 'stale') return { status: 'stale', read: [...built.batch.heads.keys()] }
  if (answer.status !== 'appended') return answer
  const freed = await listParkedBy(
    db,
    { budgetsOf: beingsWithNewBudget(built.drafts), standard: changesStandardBudget(built.drafts) },
    FREED_MAX,
  )
  const woken = built.batch.inbox.map((wake) => wake.being)
  const decision = proposal.kind === 'decided' ? proposal.decision : null
  const call = decision?.kind === 'call' ? decision.call : null
  return {
    status: 'stamped',
    ring: [...new Set([...woken, ...answer.woken, ...beingsToRecheck(built.drafts), ...freed])],
    heldMs: answer.heldMs ?? null,
    rescheduled: changedSchedules(built.drafts),
    keepsOverlay: concluded.sends.goesOn.some(({ overlay }) => overlay !== undefined),
    stamped: {
      kind: built.record.outcome,
      reason: built.record.reason,
      ...(call === null ? {} : { did: nameOfCall(call, deps.registry) }),
      record: answer.recordHash ?? '',
      waiting: answer.waiting,
    },
    mayHaveMissed: answer.listened && held?.listens !== true,
  }
}

/** A held moment has asked for no effect: then it would be stored. */
const beforeOf = ({ open }: HeldMoment): BeforeStamp => ({
  basis: new Map(open.basis.heads.map(([reel, seq]) => [reel, seq])),
  basisSalt: open.basis.salt,
  effect: null,
})

/** The records of a held moment, which the append stores. */
function unstoredOf({
  open,
  decision,
  reservation,
  listens,
}: HeldMoment): Pick<Batch, 'open' | 'decision' | 'unused' | 'listensMs'> {
  const unused = unusedOf(reservation)
  return {
    open,
    ...(decision === null ? {} : { decision }),
    ...(unused === null ? {} : { unused }),
    ...(listens ? { listensMs: LISTENS_MS } : {}),
  }
}

/** Rings who was woken, and whose wakes nobody rings while their runs listen, this being included. */
async function afterStamp(
  deps: BeatDeps,
  { being, moment }: StampInput,
  { stamped, ring, heldMs, rescheduled, mayHaveMissed }: Extract<StampAttempt, { status: 'stamped' }>,
  thread: string,
): Promise<StampedMoment> {
  deps.observe.outcome(stamped.kind, stamped.reason, moment, thread)
  crashPoint('ring:before')
  // Should this process die, the task of a being that waited runs again, and asks for wakes.
  deps.ring(deps.memory.nextWakes.came(ring))
  if (heldMs !== null) deps.releaseAfter(heldMs)
  if (rescheduled.length > 0) deps.reschedule(rescheduled)
  crashPoint('ring:after')
  crashPointLater('stamp:returned')
  const mayRest = stamped.waiting === 0
  return mayRest && mayHaveMissed ? { ...stamped, waiting: await recounted(deps.db, being) } : stamped
}

/** The overlay of a call is over with its moment, unless the being goes on and has not answered. */
function dropOverlay({ overlays }: BeatDeps, { record, overlays: sources }: LoadedMoment) {
  if (sources !== undefined && sources.call !== null) overlays.drop(sources.call, record.moment)
}

async function runUnlocked(
  db: Db,
  run: (db: Db) => Promise<StampAttempt>,
): Promise<StampAttempt | RefusedAct> {
  try {
    return await run(db)
  } catch (error) {
    return asRefused(error)
  }
}

/** Postgres did not take the act. The same act would be refused again. */
interface RefusedAct {
  readonly status: 'refused'
  readonly refusal: RecordRefusal
}

function asRefused(error: unknown): RefusedAct {
  const refusal = recordRefusalOf(error)
  if (refusal === null) throw error
  return { status: 'refused', refusal }
}

/**
 * The moment fails in place of an act that the record does not take.
 * @throws {RecordRefusedError} when it did not take the failure either
 */
function failedAsRefused(proposal: GateInput, { prospect, what }: RecordRefusal): GateInput {
  if (proposal.kind === 'skipped' || proposal.refused?.beside === 'storage')
    throw new RecordRefusedError(`the record refuses the end of the moment: ${what}`)
  const beside = 'storage'
  return refusedByCondition(
    proposal,
    prospect === 'refused'
      ? { beside, code: 'FORBIDDEN', message: `the record refuses this act: ${what}` }
      : { beside, code: 'INTERNAL', message: `Postgres cannot store this act (${what})` },
  )
}

/**
 * Runs a try with locks on the reels that the last try read. A deadlock with another stamp counts as a
 * conflict.
 */
async function runLocked(
  deps: BeatDeps,
  reels: ReelId[],
  run: (db: Db) => Promise<StampAttempt>,
): Promise<StampAttempt | RefusedAct> {
  try {
    return await deps.db.transaction().execute(async (tx) => {
      await lockHeads(tx, reels)
      return run(tx)
    })
  } catch (error) {
    if ((error as { code?: unknown }).code === DEADLOCK_DETECTED) return { status: 'stale', read: reels }
    return asRefused(error)
  }
}
const DEADLOCK_DETECTED = '40P01'

async function storedStamp(
  deps: BeatDeps,
  input: StampInput,
  held: HeldMoment | null,
): Promise<StampedMoment | OtherStack> {
  const outcome = await findOutcome(deps.db, input.moment)
  if (outcome === null) throw new Error(`the outcome of ${input.moment} is missing although it was stored`)
  const { reason, record } = outcome
  if (held !== null && record.open !== held.open.record.digest)
    throw new ReopenedError(`another process ended ${input.moment}`)
  if (reason !== 'superseded' && !isSameJson(asJson(record.stack), input.stack))
    return { recorded: evaluationIn(record) }
  return stampedBefore(outcome)
}
