import { type BeingName, type Digest, holdsCall, type MomentId, triggerOf } from '@treeos/core'
import type {
  BeingEnded,
  ElsewhereMoment,
  OpenedMoment,
  OutdatedMoment,
  RestingBeing,
} from '@treeos/protocol'
import { contentHeard, type LoadedMoment, type MomentReading, readForMoment } from '@treeos/reality'
import {
  askedIn,
  type ClaimedWake,
  claimAndRead,
  digestOf,
  findOutcome,
  type InboxEntry,
  type KeptReading,
  type OpenRecord,
  type OpenWrite,
  type PrefetchedWorld,
  putBlob,
  ReadSet,
  readAtOneInstant,
  readFrom,
  recordOpen,
  writeJson,
} from '@treeos/store'
import { assignStack, threadKey } from '@treeos/world'
import type { BeatDeps, WorkerCaches } from '../deps.ts'
import { crashPoint } from '../guard/crash-point.ts'
import { isSlowMind } from '../mind/thought.ts'
import {
  newAttempt,
  type OpeningReservation,
  releaseReservation,
  reservationOf,
  withRoom,
} from '../model/ask-within-budgets.ts'
import { leaveOpen, leaveUnopened } from '../moments/elsewhere.ts'
import { heardOut } from '../moments/next-wakes.ts'
import type { HeldMoment } from '../moments/open-moments.ts'
import { idleSecondsOf, isOwnWake, restingOf } from '../moments/wake-idle.ts'

/** The moment to open. */
export interface NextMoment {
  readonly being: BeingName
  readonly generation: number
  readonly n: number
  readonly moment: MomentId
  /**
   * digest of the program that the workflow holds, or that the moment before had; null at the start of a run
   */
  readonly program: Digest | null
  /** its open record may wait for its outcome; false once another process has stored records of it */
  readonly mayHold: boolean
}

/** @property isLastClaim the being listens no more, so it rests when there is nothing to claim */
type OpenInput = NextMoment & { readonly isLastClaim?: boolean }

/** A moment that was opened, as the workflow is told and as this process knows it. */
interface OpenedRecord {
  readonly opened: OpenedMoment
  readonly program: LoadedMoment['program']
}

/**
 * - `held`: this worker holds the open record, which is not stored
 * - `stored`: it is stored
 * - `again`: it was stored before, so a call of the mind may be under way
 * - `ended`: the outcome was stored before, too
 */
export type OpeningOfMoment =
  | (OpenedRecord & { readonly state: 'held'; readonly held: HeldMoment })
  | (OpenedRecord & { readonly state: 'stored' | 'again' })
  | { readonly state: 'ended' }

/**
 * Claims the next wake, then reads the world in one snapshot and records what it saw. A rerun returns the
 * first run's record, even when the world has changed. A moment that will end soon is held instead: the
 * append that ends it stores its record with the outcome.
 * @returns when no wake waits: how the being rests, or that it was ended; where this worker has not the code
 *   of the moment, that another one is to live it
 * @throws {StaleGenerationError} when a newer generation of the being has begun
 */
export async function openMoment(
  deps: BeatDeps,
  input: OpenInput,
): Promise<OpeningOfMoment | RestingBeing | BeingEnded | ElsewhereMoment | OutdatedMoment> {
  const opening = await deps.memory.turns.open(() => claimAndOpen(deps, input))
  return opening ?? restOrClaimAgain(deps, input)
}

/** @returns null when no wake waits */
async function claimAndOpen(
  deps: BeatDeps,
  input: OpenInput,
): Promise<OpeningOfMoment | ElsewhereMoment | OutdatedMoment | null> {
  const { db, reality, memory } = deps
  const expected = expectedReads(memory, input)
  const call = callToReserve(memory, input)
  const claimed = await claimAndRead(db, { ...input, reality: reality.id }, expected, call)
  if (claimed === null) return null
  const { wake, reserved } = claimed
  crashPoint('open:after-claim')
  if (wake.opened) return openedBefore(deps, input, wake)
  const before = memory.moments.held(input.moment)
  if (before !== undefined && input.mayHold && before.open.wake === wake.id)
    return heldOf(deps, input, wake, before)
  // a claim does not wait for the disk, so a rerun may have claimed another wake
  if (before !== undefined) memory.moments.drop(before)
  const found = await readToOpen(deps, input, claimed, expected)
  const reservation = call === null ? null : reservationOf(call, reserved)
  const left = await leaveUnopened(deps, found.loaded, found.stack, { call: null, wakeAt: wake.at })
  if (left !== null) {
    memory.nextWakes.leave(input.moment)
    await releaseReservation(db, input.moment, reservation)
    return left
  }
  return input.mayHold && !isSlowMind(deps, found.loaded)
    ? hold(deps, input, wake, found, reservation)
    : store(deps, input, wake, found, reservation)
}

type ClaimRead = NonNullable<Awaited<ReturnType<typeof claimAndRead>>>

/** What a moment saw, and its open record. */
interface LiveReading {
  readonly open: OpenWrite
  readonly loaded: LoadedMoment
  readonly stack: MomentReading['stack']
  readonly reading: KeptReading
  readonly faults: MomentReading['faults']
}

/** Reads the world as it was at the claim. */
async function readToOpen(
  deps: BeatDeps,
  input: NextMoment,
  claimed: ClaimRead,
  expected: ReadSet,
): Promise<LiveReading> {
  const { db, reality, memory } = deps
  const { being, moment, n } = input
  const { wake } = claimed
  const viewer = { reality: reality.id, being, wake: { id: wake.id, root: wake.root }, seek: deps.seek }
  const read = (snapshot: PrefetchedWorld) => readForMoment(deps, input, wake, snapshot)
  const { seen, readSet, kept } =
    claimed.kept === null
      ? await readAtOneInstant(db, viewer, expected, read)
      : await readFrom(db, viewer, claimed.kept, read)
  memory.opened.set(being, readSet)
  const { lastSealed } = kept.fetched
  memory.nextWakes.opened(moment, lastSealed && wake.at - lastSealed.sealedAt)
  const { record, kept: basis, faceText, faults } = seen
  if (!memory.programs.has(record.program)) {
    await putBlob(db, seen.program)
    memory.programs.set(record.program, true)
  }
  return {
    open: {
      moment,
      being,
      n,
      wake: wake.id,
      openedAt: record.openedAt,
      record: writeJson(record),
      basis,
      face: record.face === null || faceText === null ? null : { digest: record.face, text: faceText },
    },
    loaded: {
      ...seen,
      noted: basis.noted,
      content: contentHeard(basis.noted, seen.face, wake.content),
      ...(wake.overlays === undefined ? {} : { overlays: wake.overlays }),
    },
    stack: seen.stack,
    reading: kept,
    faults,
  }
}

/** The short way: nothing of the moment is stored before it ends. */
async function hold(
  deps: BeatDeps,
  input: NextMoment,
  wake: ClaimedWake,
  { open, loaded, reading, faults }: LiveReading,
  reservation: OpeningReservation | null,
): Promise<OpeningOfMoment> {
  const isStreamed = wake.streamed === true
  const held = deps.memory.moments.hold({ open, loaded, reading, wakeAt: wake.at, reservation, isStreamed })
  reportFaults(deps, faults)
  crashPoint('open:held')
  return heldOf(deps, input, wake, held)
}

const heldOf = async (
  deps: BeatDeps,
  input: NextMoment,
  wake: InboxEntry,
  held: HeldMoment,
): Promise<OpeningOfMoment> => ({
  ...(await openedOf(deps, input, held.loaded, { wake, open: held.open.record.digest })),
  state: 'held',
  held,
})

/** The long way: the open record is stored, and `think` reserves for itself. */
async function store(
  deps: BeatDeps,
  input: NextMoment,
  wake: ClaimedWake,
  { open, loaded, faults }: LiveReading,
  reservation: OpeningReservation | null,
): Promise<OpeningOfMoment> {
  const { db, memory } = deps
  await releaseReservation(db, input.moment, reservation)
  const isFirst = await recordOpen(db, open)
  crashPoint('open:after-record')
  if (isFirst) {
    reportFaults(deps, faults)
    memory.moments.keep(loaded, { isStreamed: wake.streamed === true })
  }
  const opened = isFirst ? loaded : await memory.moments.load(db, input.moment) // the stored record counts
  const digest = isFirst ? open.record.digest : digestOf(opened.record)
  return { ...(await openedOf(deps, input, opened, { wake, open: digest })), state: 'stored' }
}

/** An earlier run has stored the open record, and maybe the outcome. */
async function openedBefore(
  deps: BeatDeps,
  input: NextMoment,
  wake: ClaimedWake,
): Promise<OpeningOfMoment | ElsewhereMoment | OutdatedMoment> {
  const { db, memory } = deps
  if ((await findOutcome(db, input.moment)) !== null) return { state: 'ended' }
  const opened = await memory.moments.load(db, input.moment)
  await memory.moments.decision(db, input.moment) // `think` then asks nobody when there is one
  const stored = memory.moments.find(input.moment)
  if (stored !== undefined && wake.streamed === true) stored.isStreamed = true
  const told = await openedOf(deps, input, opened, { wake, open: digestOf(opened.record) })
  const left = await leaveOpen(deps, opened, assignStack(told.program, told.opened).stack)
  return left ?? { ...told, state: 'again' }
}

function reportFaults({ observe }: BeatDeps, faults: LiveReading['faults']): void {
  for (const { what, error } of faults) observe.leftOut(what, error)
}

/** A being that listens is not rung, so it claims once more when it listens no more. */
async function restOrClaimAgain(deps: BeatDeps, input: OpenInput): ReturnType<typeof openMoment> {
  const mayFind = input.isLastClaim !== true && (await heardOut(deps.db, input.being))
  return mayFind ? openMoment(deps, { ...input, isLastClaim: true }) : restingOf(deps, input.being)
}

/**
 * Keys to prefetch: those of the being's last open. Of a moment that may be held also those of its last
 * stamp, which answers from this reading; the cuts of older threads are left out.
 */
function expectedReads({ opened, stamped }: WorkerCaches, { being, mayHold }: NextMoment): ReadSet {
  const expected = new ReadSet()
  expected.add(opened.get(being) ?? new ReadSet())
  if (mayHold) expected.add(stamped.get(being) ?? new ReadSet(), (key) => key.startsWith(threadKey('')))
  return expected
}

/** What to reserve for the model call of a moment; null when its being is not known to ask one soon. */
function callToReserve({ worstCosts, pace }: WorkerCaches, { being, mayHold }: NextMoment) {
  const worst = worstCosts.get(being)
  if (worst === undefined || !mayHold || pace.isSlow(being, null)) return null
  return { attempt: newAttempt(), cost: withRoom(worst) }
}

/** What the workflow is told of a moment that is open, with its idle time. */
export async function openedOf(
  deps: BeatDeps,
  { being, program: known }: NextMoment,
  { record, program, face }: LoadedMoment,
  { wake, open }: { readonly wake: InboxEntry; readonly open: Digest },
): Promise<OpenedRecord> {
  const human = record.cognition.kind === 'human'
  const idleSeconds =
    face === null ? await idleSecondsNow(deps, being) : human ? null : idleSecondsOf(face.me.qualities)
  const idle = idleSeconds === null ? null : { seconds: idleSeconds, afresh: !isOwnWake(wake) }
  return {
    opened: { ...toldOf({ record, open, program }, known), ...(idle === null ? {} : { idle }) },
    program,
  }
}

/**
 * The part of an open record that history may hold.
 * @param known digest of the program that its reader has
 */
export function toldOf(
  {
    record,
    open,
    program,
  }: { readonly record: OpenRecord; readonly open: Digest; readonly program: LoadedMoment['program'] },
  known: Digest | null,
): OpenedMoment {
  const trigger = triggerOf(record.wake)
  const usesTriggers = Object.values(program.roles).some(({ triggerOn }) => triggerOn !== undefined)
  return {
    moment: record.moment,
    open,
    programDigest: record.program,
    ...(record.program === known ? {} : { program }),
    context: record.context,
    cognition: record.cognition.kind,
    asked: askedIn(record),
    ...(usesTriggers && trigger !== null ? { trigger } : {}),
    ...(record.cut === true ? { cut: true } : {}),
    ...(record.ended === true ? { ended: true } : {}),
    decided: holdsCall(record.wake),
  }
}

/** Of a being whose look gave no face, so that its idle setting was not read. */
async function idleSecondsNow(deps: BeatDeps, being: BeingName): Promise<number | null> {
  const rest = await restingOf(deps, being)
  return 'over' in rest ? null : (rest.idleSeconds ?? null)
}
