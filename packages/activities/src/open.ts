import { claimWake, type InboxEntry, putBlob, ReadSet, readAtOneInstant, recordOpen } from '@treeos/chain'
import { asJson, type Digest, triggerOf } from '@treeos/core'
import type { OpenedMoment, OpenInput, Resting } from '@treeos/protocol'
import { type LoadedMoment, lookForMoment } from '@treeos/reality'
import { beingKey } from '@treeos/world'
import type { BeatDeps } from './deps/beat-deps.ts'
import { loadMoment, type Memory } from './deps/memory.ts'
import { crashPoint } from './run/crash-point.ts'
import { idleSecondsOf, isOwnWake, restingOf } from './wake-idle.ts'

/**
 * Assign and fold: claims the next wake, then looks at the world once, at one instant, and records what it saw. A rerun
 * gets the first run's record back, whatever the world has become since.
 * @returns null when nothing wakes the being and nothing will by itself
 * @throws {StaleGenerationError} when a younger life has begun
 */
export async function openMoment(deps: BeatDeps, input: OpenInput): Promise<OpenedMoment | Resting | null> {
  const { db, memory } = deps
  const wake = await claimWake(db, input.being, input.moment, input.generation)
  if (wake === null) return restingOf(deps, input.being)
  crashPoint('open:after-claim')
  const viewer = { reality: deps.reality.id, being: input.being }
  const { seen, asked } = await readAtOneInstant(db, viewer, expectedReads(memory, wake), (snapshot) =>
    lookForMoment(deps, input, wake, snapshot),
  )
  memory.opened.set(input.being, asked)
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
  // Only what is stored may be acted on, and after a rerun that is not what was just seen.
  const loaded = first ? { ...seen, content: wake.content } : await loadMoment(deps, input.moment)
  if (first) memory.moments.set(input.moment, loaded)
  // Without a face nothing was seen of the being itself, which may wake by itself all the same.
  const resting = loaded.face === null ? await restingOf(deps, input.being) : null
  return forWorkflow(loaded, input.program, wake, resting)
}

/** Beings look where they looked before, and often at whoever woke them. */
function expectedReads(memory: Memory, { being, caller }: InboxEntry): ReadSet {
  const expected = memory.opened.get(being) ?? new ReadSet()
  if (caller !== null) expected.keys.add(beingKey(caller.name))
  return expected
}

/** What history may hold of an open moment. */
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
    decided: record.wake.kind === 'act',
    heads: record.heads,
    basis: record.basis,
    ...(idleSeconds === null ? {} : { idle: { seconds: idleSeconds, afresh: !isOwnWake(wake) } }),
  }
}
