import { setTimeout as sleep } from 'node:timers/promises'
import { asJson, type BeingName, triggerOf } from '@treeos/core'
import type { OpenedMoment, OpenInput, Over, Resting } from '@treeos/protocol'
import { type LoadedMoment, lookForMoment } from '@treeos/reality'
import {
  claimAndRead,
  digestOf,
  type InboxEntry,
  leftToListen,
  type OpenWrite,
  type Prefetched,
  putBlob,
  type ReadSet,
  readAtOneInstant,
  readFrom,
  recordOpen,
} from '@treeos/store'
import { threadKey } from '@treeos/world'
import { advanceOf, giveBack, newAttempt, withRoom } from './calls/advance.ts'
import type { BeatDeps } from './deps/beat-deps.ts'
import { findDecision, loadMoment, type Memory } from './deps/memory.ts'
import { crashPoint } from './guard/crash-point.ts'
import { isSlowMind } from './mind/thought.ts'
import { idleSecondsOf, isOwnWake, restingOf } from './wake-idle.ts'

/** @property isLastLook the being listens no more, so it rests when there is nothing to claim */
type Asked = OpenInput & { readonly isLastLook?: boolean }

/**
 * Assign and fold: claims the next wake, then looks at the world in one snapshot and records what it saw. A rerun returns
 * the first run's record, even when the world has changed. A moment that will end soon is held instead: `finishMoment` stores
 * its record with the outcome.
 * @returns when no wake waits: how the being rests, or that it was ended
 * @throws {StaleGenerationError} when a newer generation of the being has begun
 */
export async function openMoment(deps: BeatDeps, input: Asked): Promise<OpenedMoment | Resting | Over> {
  const { db, memory } = deps
  const expected = expectedReads(memory, input)
  const call = callToReserve(memory, input)
  const opening = await claimAndRead(db, { ...input, reality: deps.reality.id }, expected, call)
  if (opening === null) return restOrLookAgain(deps, input)
  const { wake } = opening
  const advance = call === null ? null : advanceOf(call, opening.reserved)
  if (wake.watched === true) memory.watched.set(input.moment, true)
  crashPoint('open:after-claim')
  if (wake.opened) {
    const opened = await loadMoment(deps, input.moment)
    await findDecision(deps, input.moment) // `think` then asks nobody when there is one
    return forWorkflow(deps, input, { opened, wake, open: digestOf(opened.record), state: 'again' })
  }
  const before = memory.held.get(input.moment)
  if (before !== undefined) {
    // A claim does not wait for the disk, so a rerun may have claimed another wake.
    const isSame = input.mayHold && before.open.wake === wake.id
    if (isSame)
      return forWorkflow(deps, input, { opened: before.loaded, wake, open: before.digest, state: 'held' })
    memory.held.drop(before)
  }
  const viewer = {
    reality: deps.reality.id,
    being: input.being,
    wake: { id: wake.id, root: wake.root },
  }
  const look = (snapshot: Prefetched) => lookForMoment(deps, input, wake, snapshot)
  const { seen, readSet, kept } =
    opening.kept === null
      ? await readAtOneInstant(db, viewer, expected, look)
      : await readFrom(db, viewer, opening.kept, look)
  memory.opened.remember(input.being, readSet)
  const { lastSealed } = kept.fetched
  memory.nextWakes.opened(input.moment, lastSealed && wake.at - lastSealed.sealedAt)
  const { record } = seen
  if (!memory.programs.has(record.program)) {
    await putBlob(db, seen.program)
    memory.programs.set(record.program, true)
  }
  const looked = {
    ...seen,
    content: wake.content,
    ...(wake.overlays === undefined ? {} : { overlays: wake.overlays }),
  }
  const open: OpenWrite = {
    moment: input.moment,
    being: input.being,
    n: input.n,
    wake: wake.id,
    openedAt: record.openedAt,
    record,
    basis: asJson(seen.basis),
    face:
      record.face === null || seen.faceText === null ? null : { digest: record.face, text: seen.faceText },
  }
  const reportFaults = () => {
    for (const { what, error } of seen.faults) deps.observe.leftOut(what, error)
  }
  const digest = digestOf(record)
  if (input.mayHold && !isSlowMind(deps, looked)) {
    memory.held.hold({
      open,
      digest,
      loaded: looked,
      reading: kept,
      advance,
      decision: null,
      listens: false,
    })
    reportFaults()
    crashPoint('open:held')
    return forWorkflow(deps, input, { opened: looked, wake, open: digest, state: 'held' })
  }
  await giveBack(db, input.moment, advance) // `think` reserves for itself
  const first = await recordOpen(db, open)
  crashPoint('open:after-record')
  if (!first) {
    const opened = await loadMoment(deps, input.moment) // the stored record counts
    return forWorkflow(deps, input, { opened, wake, open: digestOf(opened.record), state: 'stored' })
  }
  reportFaults()
  memory.moments.set(input.moment, looked)
  return forWorkflow(deps, input, { opened: looked, wake, open: digest, state: 'stored' })
}

/** A being that listens is not rung, so it claims once more when it listens no more. The answer is from Postgres: another worker may have said that it listens. */
async function restOrLookAgain(deps: BeatDeps, input: Asked): ReturnType<typeof openMoment> {
  const leftMs = input.isLastLook === true ? null : await leftToListen(deps.db, input.being)
  if (leftMs === null) return restingOf(deps, input.being)
  await sleep(leftMs + 1)
  return openMoment(deps, { ...input, isLastLook: true })
}

/**
 * Keys to prefetch: those of the being's last open, or of another being's. Of a moment that may be held also those of its last stamp, which answers from
 * this reading; the cuts of older threads are left out.
 */
function expectedReads(memory: Memory, { being, mayHold }: OpenInput): ReadSet {
  const expected = memory.opened.expect(being)
  if (mayHold) expected.add(memory.stamped.expect(being), (key) => key.startsWith(threadKey('')))
  return expected
}

/** What to reserve for the model call of a moment; null when its being is not known to ask one soon. */
function callToReserve({ worstCosts, pace }: Memory, { being, mayHold }: OpenInput) {
  const worst = worstCosts.get(being)
  if (worst === undefined || !mayHold || pace.isSlow(being, null)) return null
  return { attempt: newAttempt(), cost: withRoom(worst) }
}

/** The part of an open moment that history may hold. */
async function forWorkflow(
  deps: BeatDeps,
  input: Asked,
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
    asked: record.asked,
    ...(usesTriggers && trigger !== null ? { trigger } : {}),
    ...(record.cut === true ? { cut: true } : {}),
    ...(record.ended === true ? { ended: true } : {}),
    decided: record.wake.kind === 'act',
    ...(idleSeconds === null ? {} : { idle: { seconds: idleSeconds, afresh: !isOwnWake(wake) } }),
  }
}

/** Of a being whose look gave no face, so that its idle setting was not read. */
async function idleSecondsNow(deps: BeatDeps, being: BeingName): Promise<number | null> {
  const rest = await restingOf(deps, being)
  return 'over' in rest ? null : (rest.idleSeconds ?? null)
}
