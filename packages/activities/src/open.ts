import { claimWake, type InboxEntry, putBlob, ReadSet, readAtOneInstant, recordOpen } from '@treeos/chain'
import { asJson, type Digest, triggerOf } from '@treeos/core'
import type { OpenedMoment, OpenInput, Over, Resting } from '@treeos/protocol'
import { type LoadedMoment, lookForMoment } from '@treeos/reality'
import { beingKey } from '@treeos/world'
import type { BeatDeps } from './deps/beat-deps.ts'
import { loadMoment, type Memory } from './deps/memory.ts'
import { crashPoint } from './run/crash-point.ts'
import { idleSecondsOf, isOwnWake, restingOf } from './wake-idle.ts'

/**
 * Assign and fold: claims the next wake, then looks at the world in one snapshot and records what it saw. A rerun returns
 * the first run's record, even when the world has changed.
 * @returns when no wake waits: how long the being rests; null when it never wakes by itself; or that it was ended
 * @throws {StaleGenerationError} when a newer generation of the being has begun
 */
export async function openMoment(
  deps: BeatDeps,
  input: OpenInput,
): Promise<OpenedMoment | Resting | Over | null> {
  const { db, memory } = deps
  const wake = await claimWake(db, input.being, input.moment, input.generation)
  if (wake === null) return restingOf(deps, input.being)
  crashPoint('open:after-claim')
  const viewer = {
    reality: deps.reality.id,
    being: input.being,
    wake: { id: wake.id, root: wake.root },
  }
  const { seen, readSet } = await readAtOneInstant(db, viewer, expectedReads(memory, wake), (snapshot) =>
    lookForMoment(deps, input, wake, snapshot),
  )
  memory.opened.set(input.being, readSet)
  const { record } = seen
  if (!memory.programs.has(record.program)) {
    await putBlob(db, seen.program)
    memory.programs.set(record.program, true)
  }
  const first = await recordOpen(db, {
    moment: input.moment,
    being: input.being,
    n: input.n,
    wake: wake.id,
    openedAt: record.openedAt,
    record,
    basis: asJson(seen.basis),
    face: record.face === null ? null : { digest: record.face, content: asJson(seen.face) },
  })
  crashPoint('open:after-record')
  if (first) for (const { what, error } of seen.faults) deps.observe.leftOut(what, error)
  // The stored record counts: after a rerun it differs from what was just seen.
  const opened = first ? { ...seen, content: wake.content } : await loadMoment(deps, input.moment)
  if (first) memory.moments.set(input.moment, opened)
  // Without a face the look did not read the being's idle setting.
  const resting = opened.face === null ? await restingOf(deps, input.being) : null
  return forWorkflow(opened, input.program, wake, resting !== null && 'over' in resting ? null : resting)
}

/** Keys to prefetch: those of the being's last open, and the caller's row. */
function expectedReads(memory: Memory, { being, caller }: InboxEntry): ReadSet {
  const expected = memory.opened.get(being) ?? new ReadSet()
  if (caller !== null) expected.keys.add(beingKey(caller.name))
  return expected
}

/** The part of an open moment that history may hold. */
function forWorkflow(
  { record, program, face }: LoadedMoment,
  held: Digest | null,
  wake: InboxEntry,
  resting: Resting | null,
): OpenedMoment {
  const human = record.cognition.kind === 'human'
  const idleSeconds =
    face === null ? (resting?.idleSeconds ?? null) : human ? null : idleSecondsOf(face.me.qualities)
  const trigger = triggerOf(wake)
  const usesTriggers = Object.values(program.roles).some(({ triggerOn }) => triggerOn !== undefined)
  return {
    moment: record.moment,
    programDigest: record.program,
    program: record.program === held ? null : program,
    context: record.context,
    cognition: record.cognition.kind,
    asked: record.asked,
    ...(usesTriggers && trigger !== null ? { trigger } : {}),
    ...(record.cut === true ? { cut: true } : {}),
    ...(record.ended === true ? { ended: true } : {}),
    decided: record.wake.kind === 'act',
    heads: record.heads,
    basis: record.basis,
    ...(idleSeconds === null ? {} : { idle: { seconds: idleSeconds, afresh: !isOwnWake(wake) } }),
  }
}
