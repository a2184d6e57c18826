import { digestOf, type StoredOutcome } from '@treeos/chain'
import {
  asJson,
  type BeingName,
  canonicalJson,
  type Json,
  type JsonObject,
  parseMomentId,
} from '@treeos/core'
import { type Program, pinStack } from '@treeos/roles'
import { evaluateProgram } from '@treeos/world'
import { Comparison, type Mismatch } from './comparison.ts'
import type { HistoryReplayer, ReplayedCommand } from './replayer.ts'
import {
  type AttestedMoment,
  attestedMoments,
  type RecordedCommand,
  type Run,
  recordedCommands,
  textOf,
} from './temporal-history.ts'

/**
 * Replays a being's runs in Temporal and compares the payload of every command. Evaluates each moment's recorded context
 * again, and compares the stack with the chain's record. Compares the digests of prompts and surfaces too, which history
 * holds. Moments that ended in a history and have no outcome in the chain are named.
 * @param outcomes what the chain has of the being; null compares only the commands
 * @param readAgain reads the outcomes once more: a being may have lived on before its histories were fetched
 */
export async function replayFromTemporal(
  replayer: HistoryReplayer,
  being: BeingName,
  runs: readonly Run[],
  outcomes: readonly StoredOutcome[] | null,
  readAgain: () => Promise<readonly StoredOutcome[]> = async () => outcomes ?? [],
): Promise<Mismatch[]> {
  const mismatches: Mismatch[] = []
  const attested = new Map<string, AttestedMoment & { program: Program }>()
  for (const run of runs) {
    const replayed = new Comparison(being, 0, 'temporal')
    await replayRun(replayer, run, replayed)
    mismatches.push(...replayed.mismatches)
    for (const moment of withPrograms(run)) attested.set(moment.opened.moment, moment)
  }
  if (outcomes === null) return mismatches
  for (const outcome of outcomes) {
    const compare = new Comparison(being, outcome.n, 'temporal')
    const moment = attested.get(outcome.moment)
    if (moment !== undefined) compareMoment(moment, outcome, compare)
    else if (!mayBeMissing(outcome, outcomes, runs)) compare.differ('history', outcome.moment, null)
    mismatches.push(...compare.mismatches)
  }
  const recorded = new Set(outcomes.map(({ moment }) => moment))
  const ended = [...attested.values()].filter(({ stamped }) => stamped !== null)
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
      const compare = new Comparison(being, n, 'temporal')
      compare.differ('record', null, { moment: opened.moment, record: stamped?.record ?? null })
      return compare.mismatches
    })
    .sort((a, b) => a.n - b.n)
}

/**
 * The last moment before a workflow was terminated may have been stamped without being recorded in history. A younger life shows that
 * it was, or the last run when there is none.
 */
function mayBeMissing(
  outcome: StoredOutcome,
  all: readonly StoredOutcome[],
  runs: readonly Pick<Run, 'history'>[],
): boolean {
  const next = all[outcome.n]
  if (next === undefined) return endsTerminated(runs)
  return parseMomentId(next.moment).generation > parseMomentId(outcome.moment).generation
}

/** Whether the run that began last was terminated. */
function endsTerminated(runs: readonly Pick<Run, 'history'>[]): boolean {
  const began = ({ history }: Pick<Run, 'history'>) => {
    const { seconds, nanos } = history.events?.[0]?.eventTime ?? {}
    return Number(seconds ?? 0) * 1000 + (nanos ?? 0) / 1e6
  }
  const last = [...runs].sort((a, b) => began(a) - began(b)).at(-1)
  return last?.history.events?.at(-1)?.workflowExecutionTerminatedEventAttributes != null
}

/** Each moment of a run with its program. History holds a program only where it changes. */
function withPrograms(run: Run): (AttestedMoment & { program: Program })[] {
  let program: Program | null = null
  return attestedMoments(run.history).map((moment) => {
    program = (moment.opened.program as Program | null) ?? program
    if (program === null)
      throw new Error(`run ${run.runId} does not hold the program of ${moment.opened.moment}`)
    return { ...moment, program }
  })
}

function compareMoment(
  { opened, thinkInput, stamped, program }: AttestedMoment & { program: Program },
  { record, hash }: StoredOutcome,
  compare: Comparison,
): void {
  compare.same('programDigest', opened.programDigest, digestOf(program))
  if (record.reason === 'superseded' || stamped === null) return
  const result = evaluateProgram(program, opened)
  const stack = result.skip === undefined ? pinStack(program, result) : null
  compare.same('stack', record.stack, stack)
  if (thinkInput !== null) compare.same('stack', record.stack, thinkInput.stack)
  if (opened.held !== undefined) compare.same('open', record.open, opened.held)
  compare.same('stackDigest', record.stackDigest, stamped.stack)
  compare.same('surfaceDigest', record.surfaceDigest, stamped.surface)
  compare.same('promptDigest', record.promptDigest, stamped.prompt)
  compare.same('outcome', record.outcome, stamped.kind)
  compare.same('reason', record.reason, stamped.reason)
  compare.same('act', record.act, stamped.act)
  compare.same('facts', record.facts, stamped.heads)
  compare.same('record', hash, stamped.record)
}

async function replayRun(replayer: HistoryReplayer, run: Run, compare: Comparison): Promise<void> {
  const { seen, error } = await replayer.replay(run)
  if (error !== null) compare.differ('determinism', run.runId, error)
  let next = 0
  for (const [i, command] of recordedCommands(run.history).entries()) {
    const recorded = canonicalJson(command)
    // A timer that was cancelled within the task that started it was never sent.
    while (seen[next]?.isCancelled === true && commandJson(seen[next]) !== recorded) next += 1
    const replayed = seen[next++]
    if (commandJson(replayed) === recorded || isOlderContinue(run, command, replayed)) continue
    compare.differ(`command ${i}`, asJson(command), JSON.parse(commandJson(replayed)) as Json)
    return // differences after the first one follow from it
  }
}

/**
 * The input of the next run names the version of the code that ended this one. Older code wrote its own, never less than that of its run.
 */
function isOlderContinue(
  run: Run,
  recorded: RecordedCommand,
  replayed: ReplayedCommand | undefined,
): boolean {
  if (recorded.kind !== 'continue' || replayed?.kind !== 'continue') return false
  const [was, is] = [inputOf(recorded), inputOf(replayed)]
  const { version: began = 1 } = inputOfRun(run)
  if (was.version === undefined || is.version === undefined) return false
  if (Number(was.version) < Number(began) || Number(was.version) > Number(is.version)) return false
  return canonicalJson(was) === canonicalJson({ ...is, version: was.version })
}

const inputOf = ({ carries: [text = '{}'] }: RecordedCommand): JsonObject => JSON.parse(text) as JsonObject
const inputOfRun = ({ history }: Run): JsonObject =>
  JSON.parse(
    textOf(history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data) || '{}',
  ) as JsonObject

const commandJson = (seen: ReplayedCommand | undefined): string =>
  seen === undefined ? 'null' : canonicalJson({ kind: seen.kind, name: seen.name, carries: seen.carries })
