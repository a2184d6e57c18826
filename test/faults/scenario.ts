/** A fault run: an attack on a reality, the sizes it runs in, and the control that must fail. */
import type { CrashPoint } from '@treeos/activities'
import { Experiment, type ExperimentOptions } from './driver.ts'
import type { Ground, Say, Special } from './ground.ts'
import { StalledError } from './open-questions.ts'
import type { Sabotage } from './sabotage.ts'

export type Figures = Record<string, number | string | readonly number[]>

export interface Scenario<Size = unknown> {
  readonly name: string
  /** what must hold, in one sentence */
  readonly about: string
  readonly sizes: { readonly test: Size; readonly full: Size; readonly control: Size }
  readonly experiment?: Partial<ExperimentOptions>
  /** points at which workers die in an attack of this size, each at least once */
  kills?(size: Size): readonly CrashPoint[]
  /** what it needs of its services; left out, nothing special */
  readonly special?: Special
  /** it takes long, so `pnpm faults` runs it only when it is named */
  readonly onlyNamed?: true
  /** attacks, adds to `broken` whatever must not happen, and returns figures to show */
  attack(experiment: Experiment, size: Size, broken: string[]): Promise<Figures>
  readonly control: {
    readonly without: Sabotage | readonly Sabotage[] | 'sabotaged attack'
    /** the experiment is set up in this way too */
    readonly experiment?: Partial<ExperimentOptions>
    /** the same attack unless given */
    attack?(experiment: Experiment, size: Size, broken: string[]): Promise<Figures>
    /** what its failure must say, all of it: a run that fails for another reason proves nothing */
    readonly sign: RegExp | readonly RegExp[]
    readonly stallSeconds?: number
  }
}

export interface Ran {
  readonly seed: number
  readonly seconds: number
  readonly figures: Figures
  /** empty when all holds */
  readonly broken: readonly string[]
  /** ended because nothing moved any more; false when only some questions got no answer */
  readonly stalled: boolean
}

export interface RunOptions {
  readonly ground: Ground
  readonly say: Say
  readonly seed: number
  readonly size: 'test' | 'full' | 'control'
  /** how long a scenario goes on whose size has minutes, in place of those */
  readonly minutes?: number | undefined
}

/** Each must be matched by something that a control's run finds broken. */
export const signsOf = ({
  control,
}: {
  readonly control: { readonly sign: RegExp | readonly RegExp[] }
}): readonly RegExp[] => [control.sign].flat()

/** How a control differs from the run, for people. */
export function sabotageOf({
  control,
}: {
  readonly control: { readonly without: string | readonly string[] }
}): string {
  const what = [control.without].flat().join(' and ')
  return what === 'sabotaged attack' ? 'with its attack sabotaged' : `without ${what}`
}

/** A full run shares the machine for hours. A worker may then take half a minute to start. */
const FULL_STALL_SECONDS = 120

/** @throws {Error} when the harness itself fails. What the product does wrong is in `broken`. */
export async function run<Size>(scenario: Scenario<Size>, options: RunOptions): Promise<Ran> {
  const { ground, say, seed, size } = options
  const startedAt = Date.now()
  const isControl = size === 'control'
  const { without, stallSeconds } = scenario.control
  const experiment = await Experiment.start({
    ground,
    say,
    seed,
    name: scenario.name,
    ...scenario.experiment,
    ...(size === 'full' ? { stallSeconds: FULL_STALL_SECONDS } : {}),
    ...(isControl ? scenario.control.experiment : {}),
    ...(isControl && without !== 'sabotaged attack' ? { without } : {}),
    ...(isControl && stallSeconds !== undefined ? { stallSeconds } : {}),
  })
  const broken: string[] = []
  let stalled = false
  let figures: Figures = {}
  try {
    const attack = (isControl ? scenario.control.attack : undefined) ?? scenario.attack
    figures = await attack.call(scenario, experiment, sizeOf(scenario, options), broken)
    const verdict = await experiment.verdict({ from: isControl ? 'chain' : 'both' })
    broken.push(...verdict.broken)
    const { moments, facts, modelCallsMax, lettersAgain } = verdict
    figures = {
      ...figures,
      asked: experiment.asked.length,
      moments,
      facts,
      modelCallsMax,
      lettersAgain,
      lostRings: experiment.lostRings,
    }
  } catch (error) {
    if (!(error instanceof StalledError)) throw error
    stalled = !error.isLost
    broken.push(error.message)
  } finally {
    await experiment.close()
  }
  return { seed, seconds: Math.round((Date.now() - startedAt) / 100) / 10, figures, broken, stalled }
}

function sizeOf<Size>({ sizes }: Scenario<Size>, { size, minutes }: RunOptions): Size {
  const wanted = sizes[size]
  return minutes === undefined ? wanted : { ...wanted, minutes }
}
