import { inspect } from 'node:util'
import { benchFanout, refuseFanout } from './fanout/benchmark.ts'
import { benchMoment } from './moment/benchmark.ts'
import { LANES, type LaneName } from './moment/lanes.ts'

export interface Flags {
  readonly size: string
  readonly profile: boolean
  readonly only?: string | undefined
  readonly beings?: string | undefined
  readonly seconds?: string | undefined
  readonly rounds?: string | undefined
  readonly depth: string
  readonly other?: string | undefined
}

export interface Benchmark {
  readonly name: string
  readonly what: string
  /** @returns what is wrong with the flags; null when nothing is */
  refuse(flags: Flags): string | null
  run(flags: Flags, onProgress: (line: string) => void): Promise<unknown>
  /** for people */
  show(result: unknown): string
}

const NUMBERS = ['beings', 'seconds', 'rounds', 'depth'] as const
const wholeNumber = (text: string | undefined) => (text === undefined ? undefined : Number(text))

const contestantsFor = ({ other }: Flags) =>
  LANES.filter((name) => other !== undefined || !name.endsWith('-other'))
const wantedOf = (flags: Flags) => flags.only?.split(',') ?? contestantsFor(flags)

export const benchmarks: readonly Benchmark[] = [
  {
    name: 'moment',
    what: 'moments a second and latency of a being, LLM and scripted, beside bare Temporal, LangGraph.js and DBOS',
    refuse(flags) {
      if (!['small', 'full'].includes(flags.size)) return `--size is small or full, not ${flags.size}`
      const number = NUMBERS.find((name) => flags[name] !== undefined && !/^[1-9]\d*$/.test(flags[name]))
      if (number !== undefined) return `--${number} is a whole number from 1, not ${flags[number]}`
      const known = contestantsFor(flags)
      const unknown = wantedOf(flags).find((name) => !known.some((lane) => lane === name))
      return unknown === undefined ? null : `there is no contestant ${unknown}, only ${known.join(', ')}`
    },
    run: (flags, onProgress) =>
      benchMoment({
        size: flags.size as 'small' | 'full',
        profile: flags.profile,
        lanes: wantedOf(flags) as LaneName[],
        other: flags.other,
        beings: wholeNumber(flags.beings),
        seconds: wholeNumber(flags.seconds),
        rounds: wholeNumber(flags.rounds),
        depth: wholeNumber(flags.depth) ?? 1,
        onProgress,
      }),
    show: (result) => inspect(result, { depth: 8, breakLength: 120, maxArrayLength: 200 }),
  },
  {
    name: 'fanout',
    what: 'from one signal to the opened moments of all beings that read it, with a worker killed halfway',
    refuse: refuseFanout,
    run: ({ size, beings }, onProgress) =>
      benchFanout({ size: size as 'small' | 'full', beings: wholeNumber(beings), onProgress }),
    show: (result) => inspect(result, { depth: 8, breakLength: 120 }),
  },
]
