import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isJsonObject, type Json, TreeosError } from '@treeos/core'
import type { KeptAnswers, TrialEstimate, TrialLine, TrialSummary } from '@treeos/trials'
import type { Cli, InstanceOptions } from '../cli.ts'
import { withRegistry } from '../instance/with-instance.ts'
import { callPortal } from '../login/call-portal.ts'
import { shownTrialEstimate, shownTrialLine, shownTrialSummary } from '../show/trial.ts'
import { messageOf, UsageError, unavailable } from '../text/failure.ts'
import { parseNumber, readText } from '../text/input.ts'
import type { Output } from '../text/output.ts'

interface TrialOptions extends InstanceOptions {
  readonly keep?: string
  readonly onlyKept?: true
  readonly maxCalls?: number
  readonly maxCost?: number
  readonly concurrency?: number
}

const CALLS_MAX = 10_000_000
const COST_MAX = 1_000_000
const CONCURRENCY_MAX = 64

/** `treeos trial`: past moments asked again. */
export function addTrial(cli: Cli): void {
  cli.describeGroup('trial', 'ask models past moments again, under another role, flow or model')
  cli
    .onInstance(
      'run <file>',
      'ask a model past moments again, after a change that a file says\nThe answers are judged. Nothing is written into the record.',
      'trial',
    )
    .option('--keep <file>', 'keep answers of models in this file, and ask for none that it holds')
    .option('--only-kept', 'with --keep: call no model; an answer that is not kept is an error')
    .option(
      '--max-calls <n>',
      'end after so many calls of models',
      parseNumber('--max-calls', { min: 0, max: CALLS_MAX, whole: true }),
    )
    .option(
      '--max-cost <money>',
      'make no call that could bring the cost above this',
      parseNumber('--max-cost', { min: 0, max: COST_MAX, whole: false }),
    )
    .option(
      '--concurrency <n>',
      'moments that are asked again at once (default 4)',
      parseNumber('--concurrency', { min: 1, max: CONCURRENCY_MAX, whole: true }),
    )
    .action(
      cli.run(async (out, file: string, options: TrialOptions) => {
        if (options.onlyKept === true && options.keep === undefined)
          throw new UsageError('--only-kept takes the file of kept answers: --keep FILE')
        const summary = await runOf(out, file, options)
        if (out.json) out.jsonLine({ summary })
        else out.value(summary, shownTrialSummary)
        return summary.ok ? 0 : 1
      }),
    )
}

async function runOf(out: Output, file: string, options: TrialOptions): Promise<TrialSummary> {
  const [{ checkTrial, KeptAnswers, runTrial }, { readYaml }, { modelsOf }] = await Promise.all([
    import('@treeos/trials'),
    import('@treeos/world-file'),
    import('../instance/models.ts'),
  ])
  const name = file === '-' ? 'standard input' : file
  const folder = file === '-' ? process.cwd() : dirname(resolve(file))
  const asTold = (value: unknown) => ({ value: value as Json })
  const text = await readText(file)
  const whole = await withFiles(readYaml(text, name, asTold), folder, async (path) =>
    readYaml(await readText(path), path, asTold),
  )
  const trial = readYaml(text, name, () => checkTrial(whole)) // once more, so that an error names the line
  const { keep, onlyKept, ...limits } = options
  if (options.login !== undefined) return runByApi(out, options, whole)
  const answers: KeptAnswers | null = keep === undefined ? null : KeptAnswers.open(keep, onlyKept === true)
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.once('SIGINT', stop)
  try {
    return await withRegistry(options, async ({ db, registry }) =>
      runTrial(
        { db, registry },
        {
          ...{ trial, answers, models: await modelsOf(options), signal: stopping.signal },
          ...{ maxCalls: limits.maxCalls, maxCost: limits.maxCost, concurrency: limits.concurrency },
          load: (path) => loadModule(resolve(folder, path)),
          onEstimate: (estimate: TrialEstimate) => out.progress(shownTrialEstimate(estimate)),
          onLine: (line: TrialLine) => (out.json ? out.jsonLine(line) : out.progress(shownTrialLine(line))),
        },
      ),
    )
  } finally {
    process.off('SIGINT', stop)
    answers?.close()
  }
}

/** By the API the portal makes the calls: it bounds them itself, and knows no files of this machine. */
async function runByApi(
  out: Output,
  { login, keep, maxCalls, concurrency, maxCost }: TrialOptions,
  trial: Json,
): Promise<TrialSummary> {
  if (login === undefined) throw new Error('nobody is logged in')
  for (const [option, value] of Object.entries({
    '--keep': keep,
    '--max-calls': maxCalls,
    '--concurrency': concurrency,
  }))
    if (value !== undefined)
      throw new UsageError(
        `${option} is of a trial that runs here: the portal at ${login.url} bounds its own`,
      )
  const leaving = new AbortController()
  const stop = () => leaving.abort()
  process.once('SIGINT', stop)
  try {
    return await callPortal(login, async (treeos) => {
      const asked = { trial: trial as object, ...(maxCost === undefined ? {} : { maxCost }) }
      for await (const { event, told } of treeos.runTrial({ ...asked, signal: leaving.signal })) {
        if (event === 'summary') return told as TrialSummary
        if (event === 'estimate') out.progress(shownTrialEstimate(told as TrialEstimate))
        else if (out.json) out.jsonLine(told)
        else out.progress(shownTrialLine(told as TrialLine))
      }
      throw unavailable(`the portal at ${login.url} ended the trial without a summary`)
    })
  } finally {
    process.off('SIGINT', stop)
  }
}

async function loadModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>
  } catch (error) {
    throw new TreeosError('INVALID_INPUT', `${path} cannot be loaded: ${messageOf(error)}`)
  }
}

/** Roles and flows of candidates may stand in files of their own, named from the folder of the trial. */
async function withFiles(trial: Json, folder: string, read: (path: string) => Promise<Json>): Promise<Json> {
  if (!isJsonObject(trial) || !isJsonObject(trial.candidates)) return trial
  const wholeOf = async (part: Json | undefined) =>
    typeof part === 'string' ? read(resolve(folder, part)) : (part ?? null)
  const candidates = await Promise.all(
    Object.entries(trial.candidates).map(async ([name, candidate]) => {
      if (!isJsonObject(candidate)) return [name, candidate] as const
      const { roles, flow, ...rest } = candidate
      return [
        name,
        {
          ...rest,
          ...(roles === undefined
            ? {}
            : { roles: Array.isArray(roles) ? await Promise.all(roles.map(wholeOf)) : roles }),
          ...(flow === undefined ? {} : { flow: await wholeOf(flow) }),
        },
      ] as const
    }),
  )
  return { ...trial, candidates: Object.fromEntries(candidates) }
}
