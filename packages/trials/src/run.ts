import { ModelTransientError } from '@treeos/activities'
import { type Decision, type Json, type MomentId, quote, TreeosError } from '@treeos/core'
import { contentHeard } from '@treeos/reality'
import { isErased, type PastScene, PastStates, readScene, type SupposedDeps } from '@treeos/replay/supposed'
import type { Db, StoredOutcome } from '@treeos/store'
import type { Registry } from '@treeos/world'
import type { KeptAnswers } from './kept-answers.ts'
import { type Limits, type Models, StoppedError, type StopReason, TrialModels, worstOf } from './models.ts'
import {
  type AskedAgain,
  askCandidate,
  differencesOf,
  isSameDecision,
  modelOfCandidate,
  readEnd,
  requestOf,
  supposedBy,
} from './moment.ts'
import { type LoadModule, readScorers, type Scorer, type TrialScore, toScore } from './score.ts'
import { randomOf, selectMoments } from './select.ts'
import { type Candidate, RECORDED, type Trial } from './shape.ts'
import { summarize, type TrialSummary } from './summary.ts'
import type { TrialLine } from './trial-line.ts'

/** What a trial will come to at most. Calls of scorers are counted, and their cost is not. */
export interface TrialEstimate {
  readonly moments: number
  readonly candidates: number
  readonly calls: number
  readonly callsOfScorers: number
  /** null when a price is not known */
  readonly costMax: number | null
}

interface TrialOf {
  readonly trial: Trial
  /** those that the operator named: contents of the record go to no other */
  readonly models: Models
}

/** How a trial runs, and who hears of it. */
export interface TrialRun extends Limits {
  readonly answers?: KeptAnswers | null
  /** loads the code of scorers; left out, a trial that names some is refused */
  readonly load?: LoadModule | undefined
  /** moments that are asked again at once; default 4 */
  readonly concurrency?: number | undefined
  /** each line, in the order of the moments and of the candidates */
  readonly onLine?: (line: TrialLine) => void
}

interface TrialRequest extends TrialOf, TrialRun {
  readonly onEstimate?: (estimate: TrialEstimate) => void
}

/** A trial whose moments are chosen. No model was asked yet. */
export interface PreparedTrial {
  readonly estimate: TrialEstimate
  /**
   * @throws {TreeosError} INVALID_INPUT for a limit of cost without the price of a model, and for a scorer
   *   that cannot be loaded
   */
  run(how: TrialRun): Promise<TrialSummary>
}

const CONCURRENCY = 4

type World = { readonly db: Db; readonly registry: Registry }

/** As {@link prepareTrial}, and then runs it. */
export async function runTrial(world: World, request: TrialRequest): Promise<TrialSummary> {
  const { estimate, run } = await prepareTrial(world, request)
  request.onEstimate?.(estimate)
  return run(request)
}

/**
 * Chooses the moments of a trial, and says what it costs at most. When it runs, each moment is lived again in
 * the world as it was, up to the prompt, a model decides, and both gates judge what it called. Nothing is
 * appended, sent or done, and Temporal is not asked.
 * @throws {TreeosError} MOMENT_NOT_FOUND when no moment fits the query, LLM_NOT_CONFIGURED when a moment
 *   needs a model and none is configured
 */
export async function prepareTrial(
  { db, registry }: World,
  { trial, models }: TrialOf,
): Promise<PreparedTrial> {
  const deps = { db, registry, past: new PastStates(db), models }
  const outcomes = await selectMoments(db, trial.moments, trial.seed)
  const estimate = await estimateOf(deps, trial, outcomes)
  return { estimate, run: (how) => runOver(deps, trial, outcomes, how) }
}

const loadNothing: LoadModule = (path) => {
  throw new TreeosError(
    'INVALID_INPUT',
    `${quote(path)}: this trial may load no code, so its scorers are tasks`,
  )
}

async function runOver(
  deps: SupposedDeps & { readonly models: Models },
  trial: Trial,
  outcomes: readonly StoredOutcome[],
  {
    answers = null,
    load = loadNothing,
    concurrency = CONCURRENCY,
    onLine = () => undefined,
    ...how
  }: TrialRun,
): Promise<TrialSummary> {
  const started = performance.now()
  const asking = new TrialModels(how, answers)
  const scorers = await readScorers(trial, { models: deps.models, asking, load })
  const order = new InOrder(onLine)
  let stopped: StopReason | null = null
  let erased = 0
  const askMoment = async (outcome: StoredOutcome, at: number) => {
    try {
      const scene = await readScene(deps, outcome)
      order.put(at, await trialLines({ ...deps, asking }, trial, scorers, scene, at))
    } catch (error) {
      order.put(at, [])
      if (error instanceof StoppedError) stopped ??= error.why
      else if (isErased(error)) erased += 1
      else throw error
    }
  }
  await inParallel(outcomes, concurrency, () => stopped === null, askMoment)
  const seconds = Math.round(performance.now() - started) / 1000
  return summarize(trial, order.all, { asking, stopped, erased, moments: outcomes.length, seconds })
}

/** Gives lines on in the order of their moments, and keeps them. */
class InOrder {
  readonly all: TrialLine[] = []
  readonly #waiting = new Map<number, readonly TrialLine[]>()
  readonly #onLine: (line: TrialLine) => void
  #next = 0

  constructor(onLine: (line: TrialLine) => void) {
    this.#onLine = onLine
  }

  put(at: number, lines: readonly TrialLine[]): void {
    this.#waiting.set(at, lines)
    for (let next = this.#waiting.get(this.#next); next !== undefined; next = this.#waiting.get(this.#next)) {
      this.#waiting.delete(this.#next)
      this.#next += 1
      for (const line of next) {
        this.all.push(line)
        this.#onLine(line)
      }
    }
  }
}

async function inParallel<T>(
  all: readonly T[],
  most: number,
  goesOn: () => boolean,
  run: (one: T, at: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const work = async () => {
    while (goesOn() && next < all.length) {
      const at = next++
      await run(all[at] as T, at)
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, work))
}

type AskingDeps = SupposedDeps & { readonly models: Models; readonly asking: TrialModels }

/** A moment asked again of each candidate, and then scored, since scorers may compare candidates. */
async function trialLines(
  deps: AskingDeps,
  trial: Trial,
  scorers: readonly Scorer[],
  scene: PastScene,
  at: number,
): Promise<TrialLine[]> {
  const was = await readEnd(deps, scene)
  const asked = new Map<string, AskedAgain>()
  for (const [name, candidate] of Object.entries(trial.candidates))
    asked.set(name, await askedOf(deps, scene, candidate as Candidate))
  const { moment, being, n, record } = scene.outcome
  const question = contentHeard(scene.open, scene.was.seen.face, scene.content)
  const shared = { moment, being, n, openedAt: new Date(record.openedAt).toISOString(), question }
  const lines: TrialLine[] = []
  for (const [candidate, { prompt: _, isKept: kept, cost, tokens, seconds, ...would }] of asked) {
    const now = asked.get(candidate) as AskedAgain
    const differs = differencesOf({ ...was, prompt: record.promptDigest }, now)
    lines.push({
      ...{ ...shared, candidate, was, would, differs, same: isSameDecision(differs) },
      ...(record.overlay === undefined ? {} : { hadOverlay: true as const }),
      ...{ cost, tokens, seconds, kept },
      scores: await scoresOf(
        scorers,
        trial.seed,
        { moment, question, recorded: was.decision },
        asked,
        candidate,
        at,
      ),
    })
  }
  return lines
}

/** A model that gives no answer is a failure of its moment, as in a life. */
async function askedOf(deps: AskingDeps, scene: PastScene, candidate: Candidate): Promise<AskedAgain> {
  try {
    return await askCandidate(deps, scene, candidate)
  } catch (error) {
    if (!(error instanceof ModelTransientError)) throw error
    return {
      ...{
        roles: [],
        model: null,
        decision: null,
        verdict: 'failed',
        code: error.code,
        message: error.message,
      },
      ...{ cost: null, tokens: null, seconds: null, isKept: false, prompt: null },
    }
  }
}

async function scoresOf(
  scorers: readonly Scorer[],
  seed: number,
  {
    moment,
    question,
    recorded,
  }: { readonly moment: MomentId; readonly question: Json; readonly recorded: Decision | null },
  asked: ReadonlyMap<string, AskedAgain>,
  candidate: string,
  at: number,
): Promise<Record<string, TrialScore>> {
  const own = toScore(moment, question, recorded, asked.get(candidate) ?? null)
  const scores: Record<string, TrialScore> = {}
  for (const [i, scorer] of scorers.entries()) {
    if (scorer.against === candidate) continue // nothing is better than itself
    const other =
      scorer.against === null
        ? null
        : toScore(
            moment,
            question,
            recorded,
            scorer.against === RECORDED ? null : (asked.get(scorer.against) ?? null),
          )
    const isSwapped = randomOf(seed * 1_000_003 + at * 101 + i)() < 0.5
    scores[scorer.name] = await scorer.score(own, other, isSwapped)
  }
  return scores
}

/** Enough to know what prompts cost; the others are taken to be alike. */
const ESTIMATED_MAX = 50
const MICROS = 1_000_000

async function estimateOf(
  deps: SupposedDeps & { readonly models: Models },
  trial: Trial,
  outcomes: readonly StoredOutcome[],
): Promise<TrialEstimate> {
  const candidates = Object.values(trial.candidates)
  const step = Math.max(1, Math.ceil(outcomes.length / ESTIMATED_MAX))
  const looked = outcomes.filter((_, i) => i % step === 0)
  let micros: number | null = 0
  for (const outcome of looked) {
    const scene = await readScene(deps, outcome).catch((error: unknown) => {
      if (isErased(error)) return null
      throw error
    })
    if (scene === null) continue
    for (const candidate of candidates) {
      const would = await supposedBy(deps, scene, candidate as Candidate)
      const sent = requestOf(scene, would)
      const model = modelOfCandidate(deps.models, candidate as Candidate, would)
      const worst = sent === null ? 0 : worstOf(model, sent)
      micros = micros === null || worst === null ? null : micros + worst
    }
  }
  const judges = Object.values(trial.scorers).filter(({ model }) => model !== undefined)
  return {
    moments: outcomes.length,
    candidates: candidates.length,
    calls: outcomes.length * candidates.length,
    callsOfScorers: outcomes.length * candidates.length * judges.length,
    costMax: micros === null ? null : Math.round((micros * outcomes.length) / looked.length) / MICROS,
  }
}
