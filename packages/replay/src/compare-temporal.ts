import {
  asJson,
  type BeingName,
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MomentId,
  parseMomentId,
} from '@treeos/core'
import type { Program } from '@treeos/roles'
import { digestOf, type StoredOutcome } from '@treeos/store'
import { assignStack } from '@treeos/world'
import { Comparison, type Mismatch } from './comparison.ts'
import { type MalformedHistory, malformedAt } from './history-form.ts'
import type { HistoryReplayer, ReplayedCommand } from './replayer.ts'
import {
  type AttestedMoment,
  attestedMoments,
  momentsOfCommands,
  momentsOfEvents,
  payloadText,
  type RecordedCommand,
  recordedCommands,
  type WorkflowRun,
} from './temporal-history.ts'
import { leftByOpenTasks, ofDeletedRuns } from './unattested-moments.ts'

/**
 * Replays a being's runs in Temporal and compares the payload of every command. Evaluates each moment's
 * recorded context again, and compares the stack with the chain's record, and the hashes of open record and
 * record, which history holds. Moments that ended in a history and have no outcome in the chain are named.
 * @param outcomes what the chain has of the being; null compares only the commands
 * @param more.readAgain reads the outcomes once more: a being may have lived on before its histories were
 *   fetched
 * @param more.deletedBefore ms since 1970 UTC: Temporal may have deleted runs that closed earlier
 * @param more.onDeleted gets each moment that no history attests any more because Temporal deleted its run
 * @param more.onUnattested gets each moment that no history attests because a task of its run has not ended
 */
export async function replayFromTemporal(
  replayer: HistoryReplayer,
  being: BeingName,
  runs: readonly WorkflowRun[],
  outcomes: readonly StoredOutcome[] | null,
  more: {
    readonly readAgain?: () => Promise<readonly StoredOutcome[]>
    readonly onUnattested?: (moment: MomentId) => void
    readonly deletedBefore?: number
    readonly onDeleted?: (moment: MomentId) => void
  } = {},
): Promise<Mismatch[]> {
  const {
    readAgain = async () => outcomes ?? [],
    onUnattested = () => undefined,
    deletedBefore = 0,
    onDeleted = () => undefined,
  } = more
  const mismatches: Mismatch[] = []
  for (const run of runs) mismatches.push(...(await replayRun(replayer, being, run)))
  const attested = runs.flatMap(withPrograms)
  if (outcomes === null) return mismatches
  const attestedAs = Map.groupBy(attested, ({ opened }) => opened.moment)
  const isAttested = ({ moment, record: { reason } }: StoredOutcome) =>
    (attestedAs.get(moment) ?? []).some(({ stamped }) => stamped !== null || reason === 'superseded')
  const unattested = new Set(leftByOpenTasks(outcomes, isAttested, runs))
  const deleted = new Set(ofDeletedRuns(outcomes, isAttested, runs, deletedBefore))
  for (const outcome of outcomes) {
    const compare = new Comparison(being, outcome.n, 'temporal')
    const moments = attestedAs.get(outcome.moment) ?? []
    for (const moment of moments) compareReadable(moment, outcome, compare)
    if (unattested.has(outcome)) onUnattested(outcome.moment)
    else if (deleted.has(outcome)) onDeleted(outcome.moment)
    else if (!isAttested(outcome)) compare.differ('history', outcome.moment, null)
    mismatches.push(...compare.mismatches)
  }
  const recorded = new Set(outcomes.map(({ moment }) => moment))
  const ended = attested.filter(({ stamped }) => stamped !== null)
  const unknown = ended.filter(({ opened }) => !recorded.has(opened.moment))
  if (unknown.length > 0) mismatches.push(...missingIn(await readAgain(), being, unknown))
  return mismatches
}

/** The moments that ended in a history, and that the chain does not have, in their order. */
function missingIn(
  outcomes: readonly StoredOutcome[],
  being: BeingName,
  ended: readonly AttestedMoment[],
): Mismatch[] {
  const recorded = new Set(outcomes.map(({ moment }) => moment))
  return ended
    .filter(({ opened }) => !recorded.has(opened.moment))
    .flatMap(({ opened, stamped }) => {
      const { n } = parseMomentId(opened.moment)
      const compare = new Comparison(being, Number.isInteger(n) ? n : 0, 'temporal')
      compare.differ('record', null, { moment: opened.moment, record: stamped?.record ?? null })
      return compare.mismatches
    })
    .sort((a, b) => a.n - b.n)
}

/** Each moment of a run with its program. History holds a program only where it changes. */
function withPrograms({ history }: WorkflowRun): (AttestedMoment & { program: Program | null })[] {
  let program: Program | null = null
  return attestedMoments(history).map((moment) => {
    program = moment.opened.program ?? program
    return { ...moment, program }
  })
}

/** What was changed in a history may be of no form that a moment has. */
function compareReadable(
  { program, ...moment }: AttestedMoment & { program: Program | null },
  outcome: StoredOutcome,
  compare: Comparison,
): void {
  try {
    if (program === null) compare.differ('program', moment.opened.programDigest, null)
    else compareMoment({ ...moment, program }, outcome, compare)
  } catch (error) {
    compare.differ('moment', outcome.moment, error instanceof Error ? error.message : String(error))
  }
}

function compareMoment(
  { opened, thinkInput, workerStack, stamped, program }: AttestedMoment & { program: Program },
  { record, hash }: StoredOutcome,
  compare: Comparison,
): void {
  compare.same('programDigest', opened.programDigest, digestOfProgram(program))
  if (record.reason === 'superseded' || stamped === null) return
  const { stack } = assignStack(program, opened)
  compare.same('stack', record.stack, stack)
  if (thinkInput !== null) compare.same('stack', record.stack, thinkInput.stack)
  compare.same('stack', record.stack, workerStack)
  compare.same('open', record.open, opened.open)
  compare.same('outcome', record.outcome, stamped.kind)
  compare.same('reason', record.reason, stamped.reason)
  compare.same('record', hash, stamped.record)
}

const programDigests = new WeakMap<Program, string>()

/** A being keeps one program for many moments. */
function digestOfProgram(program: Program): string {
  const known = programDigests.get(program) ?? digestOf(program)
  programDigests.set(program, known)
  return known
}

/** Replays a run, and names the moment of the first command that differs. */
async function replayRun(replayer: HistoryReplayer, being: BeingName, run: WorkflowRun): Promise<Mismatch[]> {
  const malformed = malformedRun(run)
  if (malformed !== null) {
    const compare = new Comparison(being, malformed.n, 'temporal')
    compare.differ('form', run.runId, malformed.why)
    return [...compare.mismatches]
  }
  const { seen, error } = await replayer.replay(run)
  const commands = recordedCommands(run.history)
  const moments = momentsOfCommands(run.history)
  const differing = firstDifference(run, commands, seen)
  const at = differing?.i ?? commands.length - 1
  const compare = new Comparison(being, moments[at] ?? 0, 'temporal')
  if (error !== null) compare.differ('determinism', run.runId, error)
  if (differing !== null)
    compare.differ(
      `command ${differing.i}`,
      asJson(commands[differing.i]),
      JSON.parse(commandJson(differing.replayed)) as Json,
    )
  return compare.mismatches
}

function malformedRun({ history, undecoded }: WorkflowRun): MalformedHistory | null {
  if (undecoded === undefined) return malformedAt(history)
  const { event, why } = undecoded
  const n = momentsOfEvents(history)[event - 1] ?? 0
  return { n, why: `event ${event} holds a payload that cannot be decoded: ${why}` }
}

/** Differences after the first one follow from it. */
function firstDifference(
  run: WorkflowRun,
  commands: readonly RecordedCommand[],
  seen: readonly ReplayedCommand[],
): { i: number; replayed: ReplayedCommand | undefined } | null {
  let next = 0
  for (const [i, command] of commands.entries()) {
    const recorded = canonicalJson(command)
    // A timer that was cancelled within the task that started it was never sent.
    while (seen[next]?.isCancelled === true && commandJson(seen[next]) !== recorded) next += 1
    const replayed = seen[next++]
    if (commandJson(replayed) === recorded || differInVersion(run, command, replayed)) continue
    return { i, replayed }
  }
  return null
}

/**
 * Whether both commands continue the run as a new one and differ only in the version that they name. Code
 * names its own version there, and may continue runs of older versions. So the recorded command may be that
 * of any version from the run's own to the code's.
 */
function differInVersion(
  run: WorkflowRun,
  recorded: RecordedCommand,
  replayed: ReplayedCommand | undefined,
): boolean {
  if (recorded.kind !== 'continue' || replayed?.kind !== 'continue') return false
  const [was, is] = [jsonIn(recorded.carries[0]), jsonIn(replayed.carries[0])]
  const { version: began } = inputOfRun(run)
  if (!(Number(was.version) >= Number(began) && Number(was.version) <= Number(is.version))) return false
  return canonicalJson(was) === canonicalJson({ ...is, version: was.version })
}

const inputOfRun = ({ history }: WorkflowRun): JsonObject =>
  jsonIn(
    payloadText(history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data),
  )

/** Empty for a text that somebody changed so that it is not JSON. */
function jsonIn(text: string | undefined): JsonObject {
  try {
    const value = JSON.parse(text ?? '{}') as Json
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

const commandJson = (seen: ReplayedCommand | undefined): string =>
  seen === undefined ? 'null' : canonicalJson({ kind: seen.kind, name: seen.name, carries: seen.carries })
