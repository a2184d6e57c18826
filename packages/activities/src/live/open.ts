import { type BeingName, holdsCall, triggerOf } from '@treeos/core'
import type { OpenedMoment, OpenInput, OpenResult } from '@treeos/protocol'
import { contentHeard, type LoadedMoment, type MomentReading, readForMoment } from '@treeos/reality'
import {
  askedIn,
  type ClaimedWake,
  claimAndRead,
  digestOf,
  type InboxEntry,
  type KeptReading,
  type OpenWrite,
  type Prefetched,
  putBlob,
  ReadSet,
  readAtOneInstant,
  readFrom,
  recordOpen,
  writeJson,
} from '@treeos/store'
import { threadKey } from '@treeos/world'
import type { BeatDeps, Memory } from '../deps.ts'
import { crashPoint } from '../guard/crash-point.ts'
import { isSlowMind } from '../mind/thought.ts'
import {
  newAttempt,
  type Reservation,
  releaseReservation,
  reservationOf,
  withRoom,
} from '../model/ask-within-budgets.ts'
import { heardOut } from '../moments/next-wakes.ts'
import { idleSecondsOf, isOwnWake, restingOf } from '../moments/wake-idle.ts'

/** @property isLastClaim the being listens no more, so it rests when there is nothing to claim */
type Input = OpenInput & { readonly isLastClaim?: boolean }

/**
 * Claims the next wake, then reads the world in one snapshot and records what it saw. A rerun returns
 * the first run's record, even when the world has changed. A moment that will end soon is held instead: `finishMoment` stores
 * its record with the outcome.
 * @returns when no wake waits: how the being rests, or that it was ended
 * @throws {StaleGenerationError} when a newer generation of the being has begun
 */
export async function openMoment(deps: BeatDeps, input: Input): Promise<OpenResult> {
  const { db, reality, memory } = deps
  const expected = expectedReads(memory, input)
  const call = callToReserve(memory, input)
  const claimed = await claimAndRead(db, { ...input, reality: reality.id }, expected, call)
  if (claimed === null) return restOrClaimAgain(deps, input)
  const { wake, reserved } = claimed
  crashPoint('open:after-claim')
  if (wake.opened) return openedBefore(deps, input, wake)
  const before = memory.moments.held(input.moment)
  if (before !== undefined && input.mayHold && before.open.wake === wake.id)
    return resultOf(deps, input, {
      opened: before.loaded,
      wake,
      open: before.open.record.digest,
      state: 'held',
    })
  if (before !== undefined) memory.moments.drop(before) // a claim does not wait for the disk, so a rerun may have claimed another wake
  const found = await read(deps, input, claimed, expected)
  const reservation = call === null ? null : reservationOf(call, reserved)
  return input.mayHold && !isSlowMind(deps, found.loaded)
    ? hold(deps, input, wake, found, reservation)
    : store(deps, input, wake, found, reservation)
}

type Claimed = NonNullable<Awaited<ReturnType<typeof claimAndRead>>>

/** What a moment saw, and its open record. */
interface Reading {
  readonly open: OpenWrite
  readonly loaded: LoadedMoment
  readonly reading: KeptReading
  readonly faults: MomentReading['faults']
}

/** Reads the world as it was at the claim. */
async function read(deps: BeatDeps, input: Input, claimed: Claimed, expected: ReadSet): Promise<Reading> {
  const { db, reality, memory } = deps
  const { being, moment, n } = input
  const { wake } = claimed
  const viewer = { reality: reality.id, being, wake: { id: wake.id, root: wake.root }, seek: deps.seek }
  const read = (snapshot: Prefetched) => readForMoment(deps, input, wake, snapshot)
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
    reading: kept,
    faults,
  }
}

/** The short way: nothing of the moment is stored before it ends. */
function hold(
  deps: BeatDeps,
  input: Input,
  wake: ClaimedWake,
  { open, loaded, reading, faults }: Reading,
  reservation: Reservation | null,
): Promise<OpenedMoment> {
  const { digest } = open.record
  deps.memory.moments.hold({ open, loaded, reading, reservation, isStreamed: wake.streamed === true })
  reportFaults(deps, faults)
  crashPoint('open:held')
  return resultOf(deps, input, { opened: loaded, wake, open: digest, state: 'held' })
}

/** The long way: the open record is stored, and `think` reserves for itself. */
async function store(
  deps: BeatDeps,
  input: Input,
  wake: ClaimedWake,
  { open, loaded, faults }: Reading,
  reservation: Reservation | null,
): Promise<OpenedMoment> {
  const { db, memory } = deps
  await releaseReservation(db, input.moment, reservation)
  const isFirst = await recordOpen(db, open)
  crashPoint('open:after-record')
  if (isFirst) {
    reportFaults(deps, faults)
    memory.moments.keep(loaded, { isStreamed: wake.streamed === true })
  }
  const opened = isFirst ? loaded : await memory.moments.load(db, input.moment) // the stored record counts
  return resultOf(deps, input, { opened, wake, open: digestOf(opened.record), state: 'stored' })
}

/** An earlier run has stored the open record. */
async function openedBefore(deps: BeatDeps, input: Input, wake: ClaimedWake): Promise<OpenedMoment> {
  const { db, memory } = deps
  const opened = await memory.moments.load(db, input.moment)
  await memory.moments.decision(db, input.moment) // `think` then asks nobody when there is one
  const stored = memory.moments.find(input.moment)
  if (stored !== undefined && wake.streamed === true) stored.isStreamed = true
  return resultOf(deps, input, { opened, wake, open: digestOf(opened.record), state: 'again' })
}

function reportFaults({ observe }: BeatDeps, faults: Reading['faults']): void {
  for (const { what, error } of faults) observe.leftOut(what, error)
}

/** A being that listens is not rung, so it claims once more when it listens no more. */
async function restOrClaimAgain(deps: BeatDeps, input: Input): Promise<OpenResult> {
  const mayFind = input.isLastClaim !== true && (await heardOut(deps.db, input.being))
  return mayFind ? openMoment(deps, { ...input, isLastClaim: true }) : restingOf(deps, input.being)
}

/**
 * Keys to prefetch: those of the being's last open. Of a moment that may be held also those of its last stamp, which answers from
 * this reading; the cuts of older threads are left out.
 */
function expectedReads({ opened, stamped }: Memory, { being, mayHold }: OpenInput): ReadSet {
  const expected = new ReadSet()
  expected.add(opened.get(being) ?? new ReadSet())
  if (mayHold) expected.add(stamped.get(being) ?? new ReadSet(), (key) => key.startsWith(threadKey('')))
  return expected
}

/** What to reserve for the model call of a moment; null when its being is not known to ask one soon. */
function callToReserve({ worstCosts, pace }: Memory, { being, mayHold }: OpenInput) {
  const worst = worstCosts.get(being)
  if (worst === undefined || !mayHold || pace.isSlow(being, null)) return null
  return { attempt: newAttempt(), cost: withRoom(worst) }
}

/** The part of an open moment that history may hold. */
async function resultOf(
  deps: BeatDeps,
  input: Input,
  {
    opened: { record, program, face },
    wake,
    ...found
  }: Pick<OpenedMoment, 'open' | 'state'> & { readonly opened: LoadedMoment; readonly wake: InboxEntry },
): Promise<OpenedMoment> {
  const human = record.cognition.kind === 'human'
  const idleSeconds =
    face === null ? await idleSecondsNow(deps, input.being) : human ? null : idleSecondsOf(face.me.qualities)
  const trigger = triggerOf(wake)
  const usesTriggers = Object.values(program.roles).some(({ triggerOn }) => triggerOn !== undefined)
  return {
    moment: record.moment,
    ...found,
    ...(record.program === input.program ? {} : { programDigest: record.program, program }),
    context: record.context,
    cognition: record.cognition.kind,
    asked: askedIn(record),
    ...(usesTriggers && trigger !== null ? { trigger } : {}),
    ...(record.cut === true ? { cut: true } : {}),
    ...(record.ended === true ? { ended: true } : {}),
    decided: holdsCall(record.wake),
    ...(idleSeconds === null ? {} : { idle: { seconds: idleSeconds, afresh: !isOwnWake(wake) } }),
  }
}

/** Of a being whose look gave no face, so that its idle setting was not read. */
async function idleSecondsNow(deps: BeatDeps, being: BeingName): Promise<number | null> {
  const rest = await restingOf(deps, being)
  return 'over' in rest ? null : (rest.idleSeconds ?? null)
}
