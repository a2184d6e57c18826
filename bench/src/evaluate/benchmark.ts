import { compileFlow, evaluateFlow } from '@treeos/roles'
import { installContestants, loadContestants } from '../contestants.ts'
import { describeMachine, versionsOf } from '../machine.ts'
import { median, round } from '../statistics.ts'
import { guarded, unguarded } from './closures.ts'
import { type Answer, type Evaluate, type Moment, makeWorkload, type Workload } from './workload.ts'

const LIBRARY_NAMES = ['json-logic-js', 'json-rules-engine', 'sift', 'mingo', 'jsonata'] as const
type Library = (typeof LIBRARY_NAMES)[number]
/** What `bench/contestants/libraries.ts` makes of a flow. */
export type Libraries = Readonly<Record<Library, (flow: Workload['flow']) => Evaluate>>
const isLibrary = (name: Contestant): name is Library => LIBRARY_NAMES.some((library) => library === name)

export type Contestant = 'treeos' | 'closures' | 'unguarded' | Library
/** Our evaluator and its main rival. */
export const CONTESTANTS: readonly Contestant[] = ['treeos', 'closures', 'unguarded', ...LIBRARY_NAMES]

/** The goals of the evaluator at every size. */
const FASTER_THAN_LIBRARIES_MIN = 8
const TIMES_OF_CLOSURES_MAX = 1.3

const CLAUSES = [10, 100] as const
const SIZES = {
  /** a short run, to check that everything works */
  small: { rounds: 1, heatMs: 20, warmUpMs: 20 },
  full: { rounds: 6, heatMs: 120, warmUpMs: 500 },
} as const

export interface EvaluateOptions {
  readonly size: 'small' | 'full'
  readonly contestants: readonly Contestant[]
  readonly rounds: number | undefined
  readonly onProgress: (line: string) => void
}

/**
 * Measures one evaluation by our compiled flows, by rule libraries and by hand-written closures, in one run.
 */
export async function benchEvaluate(options: EvaluateOptions) {
  const wanted = options.contestants.filter(isLibrary)
  const libraries = wanted.length === 0 ? null : await loadLibraries(options.onProgress)
  const machine = describeMachine()
  const rounds = options.rounds ?? SIZES[options.size].rounds
  const { heatMs, warmUpMs } = SIZES[options.size]
  const sizes: Record<string, Awaited<ReturnType<typeof race>>> = {}
  for (const clauses of CLAUSES) {
    sizes[`${clauses} clauses`] = await race(makeWorkload(clauses), {
      ...options,
      libraries,
      rounds,
      heatMs,
      warmUpMs,
    })
  }
  return {
    benchmark: 'evaluate',
    at: new Date().toISOString(),
    machine: { ...machine, loadAtEnd: describeMachine().load },
    versions: versionsOf(wanted),
    parameters: { ...options, rounds, heatMs, warmUpMs, unit: UNIT },
    sizes,
  }
}

const UNIT =
  'ns of CPU time of the one thread for one evaluation: context, cognition and roles in, primary and stacked roles out; ' +
  'medians over heats in the order ABC CBA; everything is made ready before'

async function loadLibraries(onProgress: EvaluateOptions['onProgress']): Promise<Libraries> {
  await installContestants(onProgress)
  return (await loadContestants<{ libraries: Libraries }>('libraries.ts')).libraries
}

interface Racing extends EvaluateOptions {
  /** null when none is wanted */
  readonly libraries: Libraries | null
  readonly rounds: number
  readonly heatMs: number
  readonly warmUpMs: number
}

async function race(
  workload: Workload,
  { contestants, libraries, rounds, heatMs, warmUpMs, onProgress }: Racing,
) {
  const { flow, moments } = workload
  const lanes = contestants.map((name) => ({
    name,
    evaluate: makeReady(name, workload, libraries),
    heats: [] as number[],
  }))
  const answers = await requireSameAnswers(lanes, moments)
  onProgress(`${flow.length} clauses: all ${contestants.length} agree on ${moments.length} contexts`)
  const passes = new Map<Contestant, number>()
  for (const { name, evaluate } of lanes) passes.set(name, await warmUp(evaluate, moments, warmUpMs, heatMs))
  for (const lane of Array.from({ length: rounds }, () => [...lanes, ...lanes.toReversed()]).flat()) {
    lane.heats.push(await nsOf(lane.evaluate, moments, passes.get(lane.name)!))
  }
  const ns = new Map(lanes.map(({ name, heats }) => [name, median(heats)]))
  for (const [name, each] of ns) onProgress(`  ${name}: ${round(each)} ns`)
  return {
    clauses: flow.length,
    stacked: flow.filter(({ stack }) => stack).length,
    paths: compileFlow(flow).paths.length,
    contexts: moments.length,
    answers: shareOf(answers, moments),
    ...verdict(ns),
    contestants: Object.fromEntries(
      lanes.map(({ name, heats }) => [
        name,
        { ns: round(median(heats)), heats: heats.map((each) => round(each)) },
      ]),
    ),
  }
}

function makeReady(name: Contestant, workload: Workload, libraries: Libraries | null): Evaluate {
  if (name === 'closures') return guarded(workload)
  if (name === 'unguarded') return unguarded(workload)
  if (isLibrary(name)) {
    if (libraries === null) throw new Error(`${name} is not loaded`)
    return libraries[name](workload.flow)
  }
  const flow = compileFlow(workload.flow)
  return (moment) => evaluateFlow(flow, moment)
}

/** @throws {Error} when the results of two contestants differ, since then their times cannot be compared */
async function requireSameAnswers(
  lanes: readonly { readonly name: Contestant; readonly evaluate: Evaluate }[],
  moments: readonly Moment[],
): Promise<Answer[]> {
  const [first, ...others] = lanes
  if (first === undefined) throw new Error('there are no contestants')
  const wanted: Answer[] = []
  for (const moment of moments) wanted.push(await first.evaluate(moment))
  for (const { name, evaluate } of others) {
    for (const [i, moment] of moments.entries()) {
      const [theirs, ours] = [await evaluate(moment), wanted[i]].map((answer) =>
        JSON.stringify([answer?.primary, answer?.stacked]),
      )
      if (theirs !== ours) {
        throw new Error(
          `${name} says ${theirs}, ${first.name} says ${ours} of context ${i}: ${JSON.stringify(moment.context)}`,
        )
      }
    }
  }
  return wanted
}

/** @returns the number of passes for which a heat takes about the wanted time */
async function warmUp(
  evaluate: Evaluate,
  moments: readonly Moment[],
  warmUpMs: number,
  heatMs: number,
): Promise<number> {
  let passes = 1
  for (const began = cpuMs(); cpuMs() - began < warmUpMs; passes *= 2) await nsOf(evaluate, moments, passes)
  const ns = await nsOf(evaluate, moments, Math.max(1, passes / 4))
  return Math.max(1, Math.round((heatMs * 1e6) / (ns * moments.length)))
}

/** Runs synchronous contestants without a promise. */
async function nsOf(evaluate: Evaluate, moments: readonly Moment[], passes: number): Promise<number> {
  const run = evaluate(moments[0]!) instanceof Promise ? passLater : pass
  const began = cpuMs()
  for (let done = 0; done < passes; done++) {
    const roles = run(evaluate, moments)
    if (typeof roles !== 'number') await roles
  }
  return ((cpuMs() - began) * 1e6) / (passes * moments.length)
}

/** @returns a value derived from every answer, so that the compiler cannot remove unused answers */
function pass(evaluate: Evaluate, moments: readonly Moment[]): number {
  let roles = 0
  for (const moment of moments) roles += (evaluate(moment) as Answer).stacked.length
  return roles
}

async function passLater(evaluate: Evaluate, moments: readonly Moment[]): Promise<number> {
  let roles = 0
  for (const moment of moments) roles += (await evaluate(moment)).stacked.length
  return roles
}

/** CPU time of this thread instead of wall time, so that other processes do not affect a heat. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** How often each kind of answer occurs in the workload, to show that none is rare. */
function shareOf(answers: readonly Answer[], moments: readonly Moment[]) {
  const count = (is: (answer: Answer, moment: Moment) => boolean) =>
    answers.filter((answer, i) => is(answer, moments[i]!)).length / answers.length
  return {
    fromClause: count(({ primary }, { defaultRole }) => primary !== defaultRole),
    fromDefault: count(({ primary }, { defaultRole }) => primary === defaultRole),
    withStacked: count(({ stacked }) => stacked.length > 0),
  }
}

function verdict(ns: ReadonlyMap<Contestant, number>) {
  const ours = ns.get('treeos')
  if (ours === undefined) return {}
  const times = (name: Contestant) => round((ns.get(name) ?? Number.NaN) / ours)
  const libraries = LIBRARY_NAMES.filter((name) => ns.has(name))
  const fastest = libraries.toSorted((a, b) => ns.get(a)! - ns.get(b)!)[0]
  const closures = ns.get('closures')
  return {
    ratios: {
      /** more is better for us */
      libraryOverTreeos: Object.fromEntries(libraries.map((name) => [name, times(name)])),
      /** less is better for us */
      treeosOver: Object.fromEntries(
        (['closures', 'unguarded'] as const)
          .filter((name) => ns.has(name))
          .map((name) => [name, round(ours / ns.get(name)!)]),
      ),
    },
    targets: {
      ...(fastest !== undefined && {
        fastestLibrary: {
          name: fastest,
          times: times(fastest),
          wanted: `at least ${FASTER_THAN_LIBRARIES_MIN}`,
          isMet: ns.get(fastest)! / ours >= FASTER_THAN_LIBRARIES_MIN,
        },
      }),
      ...(closures !== undefined && {
        closures: {
          times: round(ours / closures),
          wanted: `at most ${TIMES_OF_CLOSURES_MAX}`,
          isMet: ours / closures <= TIMES_OF_CLOSURES_MAX,
        },
      }),
    },
  }
}
