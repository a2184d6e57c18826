/**
 * Moments that an earlier run ended, as a workflow is told of them: from their records. It evaluates their
 * flow before anything new is lived.
 */
import { type BeingName, type Digest, momentId, parseMomentId } from '@treeos/core'
import { type EndedMoment, type EvaluatedMoment, MOMENTS_OF_TASK_MAX } from '@treeos/protocol'
import { readProgram } from '@treeos/reality'
import { digestOf, findEntry, findOpen, findOutcome, listOutcomes, StaleGenerationError } from '@treeos/store'
import type { BeatDeps } from '../deps.ts'
import { evaluationIn, stampedBefore } from '../stamp/stored-stamp.ts'
import { LIVED_BYTES_MAX, type MomentAllowance, openedBytes } from './allowance.ts'
import { type NextMoment, openedOf, toldOf } from './open.ts'

/**
 * The moments of a generation that have ended, from this one on: an earlier run of the activity lived them,
 * and its worker died, or its result never came.
 * @throws {StaleGenerationError} when a newer generation has closed one of them
 */
export async function retellEnded(
  deps: BeatDeps,
  first: NextMoment,
  allowance: MomentAllowance,
): Promise<EndedMoment[]> {
  const told: EndedMoment[] = []
  const { being, generation } = first
  let mayGoOn = true
  for (let at = first; mayGoOn; at = following(at, told)) {
    const outcome = await findOutcome(deps.db, at.moment)
    if (outcome === null) break
    if (outcome.reason === 'superseded')
      throw new StaleGenerationError(
        `generation ${generation} of ${being} has ended: ${at.moment} was closed`,
      )
    const loaded = await deps.memory.moments.load(deps.db, at.moment)
    const wake = await findEntry(deps.db, loaded.record.wake.id)
    if (wake === null) throw new Error(`the inbox row that woke ${at.moment} is missing`)
    const { opened } = await openedOf(deps, at, loaded, { wake, open: digestOf(loaded.record) })
    deps.memory.moments.drop(at.moment)
    if (!allowance.takes(opened)) break
    told.push({ opened, ...evaluationIn(outcome.record), ended: stampedBefore(outcome) })
    mayGoOn = allowance.end()
  }
  return told
}

function following({ being, generation, n, ...rest }: NextMoment, told: readonly EndedMoment[]): NextMoment {
  const program = told.at(-1)?.opened.programDigest ?? rest.program
  return { ...rest, being, generation, n: n + 1, moment: momentId(being, generation, n + 1), program }
}

/** The run that lived them may have held the program of the first one. */
const PROGRAM_BYTES_MAX = 16 * 1024

/**
 * The last moments of a being before the one of this number, the first of its generation, oldest first: as
 * many as one activity may have lived of which no workflow heard. Those of an older life are left out: the
 * one that lived them last was told of them itself. So is what is missing in the store, and replay names it.
 */
export async function retellLast(
  { db, observe }: Pick<BeatDeps, 'db' | 'observe'>,
  being: BeingName,
  n: number,
): Promise<EvaluatedMoment[]> {
  const told: EvaluatedMoment[] = []
  let bytes = 0
  let life: number | null = null
  for (const { moment, record } of (await listOutcomes(db, being, MOMENTS_OF_TASK_MAX, n)).reverse()) {
    if (record.reason === 'superseded') continue // opened by a run that ended, and never evaluated
    const { generation } = parseMomentId(moment)
    life ??= generation
    if (generation !== life) break
    const open = await findOpen(db, moment)
    const program = open === null ? null : await readProgram(db, open.record.program)
    if (open === null || program === null) {
      observe.error(`the open record of ${moment}`, null)
      continue
    }
    const at = { record: open.record, open: digestOf(open.record), program }
    bytes += openedBytes(toldOf(at, told[0]?.opened.programDigest ?? null))
    if (bytes > LIVED_BYTES_MAX + PROGRAM_BYTES_MAX && told.length > 0) break
    told.unshift({ opened: toldOf(at, null), ...evaluationIn(record) })
  }
  return told.map((moment, i) => withoutProgram(moment, told[i - 1]?.opened.programDigest))
}

/** A workflow needs the program of a moment only where it changes. */
function withoutProgram(
  { opened, ...evaluation }: EvaluatedMoment,
  known: Digest | undefined,
): EvaluatedMoment {
  if (opened.programDigest !== known) return { opened, ...evaluation }
  const { program: _, ...rest } = opened
  return { opened: rest, ...evaluation }
}
