import { inspect } from 'node:util'
import { benchCalls } from './calls/benchmark.ts'
import { benchChain } from './chain/benchmark.ts'
import { benchEvaluate, CONTESTANTS, type Contestant } from './evaluate/benchmark.ts'
import { benchFanout, refuseFanout } from './fanout/benchmark.ts'
import { benchGrowth, HALVES, type Half } from './growth/benchmark.ts'
import { benchGuard } from './guard/benchmark.ts'
import { benchHeld } from './held/benchmark.ts'
import { benchMinds } from './minds/benchmark.ts'
import { WEIGHTS_NAMES } from './minds/llama.ts'
import { SCENES } from './minds/scenes.ts'
import { benchMoment } from './moment/benchmark.ts'
import { LANES, type LaneName } from './moment/lanes.ts'
import { benchPortal } from './portal/benchmark.ts'
import { benchRecovery } from './recovery/benchmark.ts'
import { benchReplay } from './replay/benchmark.ts'
import { benchScale } from './scale/benchmark.ts'
import { benchShards } from './shards/benchmark.ts'

export interface Flags {
  readonly size: string
  readonly profile: boolean
  readonly only?: string | undefined
  readonly beings?: string | undefined
  readonly seconds?: string | undefined
  readonly rounds?: string | undefined
  readonly questions?: string | undefined
  readonly depth: string
  readonly 'think-ms'?: string | undefined
  readonly shards?: string | undefined
  readonly other?: string | undefined
  readonly facts?: string | undefined
  readonly moments?: string | undefined
  readonly url?: string | undefined
  readonly model?: string | undefined
}

export interface Benchmark {
  readonly name: string
  readonly what: string
  /** @returns an error message for wrong flags; null when they are right */
  refuse(flags: Flags): string | null
  run(flags: Flags, onProgress: (line: string) => void): Promise<unknown>
  /** formats the result for people */
  show(result: unknown): string
}

const NUMBERS = ['questions', 'beings', 'seconds', 'rounds', 'depth', 'shards', 'facts', 'moments'] as const
const wholeNumber = (text: string | undefined) => (text === undefined ? undefined : Number(text))

const contestantsFor = ({ other }: Flags) =>
  LANES.filter((name) => other !== undefined || !name.endsWith('-other'))
const wantedOf = <Name extends string>({ only }: Flags, known: readonly Name[]) =>
  (only?.split(',') ?? known) as readonly Name[]

/** Checks the flags that all benchmarks share. @returns an error message, or null */
function refuse(flags: Flags, contestants: readonly string[]): string | null {
  if (!['small', 'full'].includes(flags.size)) return `--size is small or full, not ${flags.size}`
  const number = NUMBERS.find((name) => flags[name] !== undefined && !/^[1-9]\d*$/.test(flags[name]))
  if (number !== undefined) return `--${number} is a whole number from 1, not ${flags[number]}`
  if (!/^\d+$/.test(flags['think-ms'] ?? '0'))
    return `--think-ms is a whole number from 0, not ${flags['think-ms']}`
  const unknown = wantedOf(flags, contestants).find((name) => !contestants.includes(name))
  return unknown === undefined ? null : `there is no contestant ${unknown}, only ${contestants.join(', ')}`
}

function refuseModel({ url, model }: Flags): string | null {
  if (url !== undefined || model === undefined || (WEIGHTS_NAMES as string[]).includes(model)) return null
  return `without --url, --model is one of ${WEIGHTS_NAMES.join(', ')}, not ${model}`
}

const show = (result: unknown) => inspect(result, { depth: 8, breakLength: 120, maxArrayLength: 200 })

export const benchmarks: readonly Benchmark[] = [
  {
    name: 'moment',
    what: 'moments a second and latency of a being, LLM and scripted, beside bare Temporal, LangGraph.js and DBOS',
    refuse: (flags) => refuse(flags, contestantsFor(flags)),
    run: (flags, onProgress) =>
      benchMoment({
        size: flags.size as 'small' | 'full',
        profile: flags.profile,
        lanes: wantedOf<LaneName>(flags, contestantsFor(flags)),
        other: flags.other,
        beings: wholeNumber(flags.beings),
        seconds: wholeNumber(flags.seconds),
        rounds: wholeNumber(flags.rounds),
        depth: wholeNumber(flags.depth) ?? 1,
        thinkMs: wholeNumber(flags['think-ms']) ?? 0,
        onProgress,
      }),
    show,
  },
  {
    name: 'evaluate',
    what: 'time of one evaluation of a flow, beside five rule libraries and closures written by hand',
    refuse: (flags) => refuse(flags, CONTESTANTS),
    run: (flags, onProgress) =>
      benchEvaluate({
        size: flags.size as 'small' | 'full',
        contestants: wantedOf<Contestant>(flags, CONTESTANTS),
        rounds: wholeNumber(flags.rounds),
        onProgress,
      }),
    show,
  },
  {
    name: 'fanout',
    what: 'from one signal to the opened moments of all beings that read it, with a worker killed halfway',
    refuse: refuseFanout,
    run: ({ size, beings }, onProgress) =>
      benchFanout({ size: size as 'small' | 'full', beings: wholeNumber(beings), onProgress }),
    show: (result) => inspect(result, { depth: 8, breakLength: 120 }),
  },
  {
    name: 'growth',
    what: 'cost of a moment in the first and the last tenth: of one being with many moments, and of many beings',
    refuse: (flags) => refuse(flags, HALVES),
    run: (flags, onProgress) =>
      benchGrowth({
        size: flags.size as 'small' | 'full',
        halves: wantedOf<Half>(flags, HALVES),
        beings: wholeNumber(flags.beings),
        isSplit: flags.profile,
        onProgress,
      }),
    show,
  },
  {
    name: 'held',
    what: "what a wake costs a worker of Temporal's SDK, without TreeOS, by the number of runs that it holds",
    refuse: (flags) => refuse(flags, []),
    run: ({ size, beings, shards }, onProgress) =>
      benchHeld({
        size: size as 'small' | 'full',
        beings: wholeNumber(beings),
        workers: wholeNumber(shards) ?? 1,
        onProgress,
      }),
    show,
  },
  {
    name: 'recovery',
    what: 'from the death of a worker in the middle of moments until a living one has ended them, on the short and the long way',
    refuse: (flags) => refuse(flags, []),
    run: ({ size, rounds }, onProgress) =>
      benchRecovery({ size: size as 'small' | 'full', rounds: wholeNumber(rounds), onProgress }),
    show,
  },
  {
    name: 'scale',
    what: 'moments a second by number of workers, with Temporal as a cluster on Postgres, and what they wait for',
    refuse: (flags) => refuse(flags, []),
    run: (flags, onProgress) =>
      benchScale({
        size: flags.size as 'small' | 'full',
        beings: wholeNumber(flags.beings),
        seconds: wholeNumber(flags.seconds),
        shards: wholeNumber(flags.shards),
        thinkMs: wholeNumber(flags['think-ms']),
        onProgress,
      }),
    show,
  },
  {
    name: 'shards',
    what: 'appends of lived scenes, or of --url, on 1 to 8 databases: how many span them and what that costs; and partitioned tables',
    refuse: (flags) => refuse(flags, []),
    run: ({ size, url, seconds, rounds }, onProgress) =>
      benchShards({
        size: size as 'small' | 'full',
        url,
        seconds: wholeNumber(seconds),
        rounds: wholeNumber(rounds),
        onProgress,
      }),
    show,
  },
  {
    name: 'portal',
    what: 'first paint, time to interactive, frames while scrolling and steps of a replay, with 10,000 beings and 100,000 moments',
    refuse: refuseFanout,
    run: ({ size, beings }, onProgress) =>
      benchPortal({ size: size as 'small' | 'full', beings: wholeNumber(beings), onProgress }),
    show,
  },
  {
    name: 'calls',
    what: 'seconds of a command of the command line, beside the start of Node',
    refuse: (flags) => refuse(flags, []),
    run: ({ size, rounds }, onProgress) =>
      benchCalls({ size: size as 'small' | 'full', rounds: wholeNumber(rounds), onProgress }),
    show,
  },
  {
    name: 'chain',
    what: 'facts a second that are verified, streamed, beside bare sha256 and the reading of the rows; proofs of the log',
    refuse: (flags) => refuse(flags, []),
    run: ({ size, facts, rounds }, onProgress) =>
      benchChain({
        size: size as 'small' | 'full',
        facts: wholeNumber(facts),
        rounds: wholeNumber(rounds),
        onProgress,
      }),
    show,
  },
  {
    name: 'replay',
    what: 'moments a second that are replayed from the chain, beside the verification of the same chain',
    refuse: (flags) => refuse(flags, []),
    run: ({ size, moments, rounds, profile }, onProgress) =>
      benchReplay({
        size: size as 'small' | 'full',
        moments: wholeNumber(moments),
        rounds: wholeNumber(rounds),
        profile,
        onProgress,
      }),
    show,
  },
  {
    name: 'minds',
    what: 'questions that a real small model answers, by scene, and why the others got no answer; --url and --model for one of your own',
    refuse: (flags) =>
      refuse(
        flags,
        SCENES.map(({ name }) => name),
      ) ?? refuseModel(flags),
    run: (flags, onProgress) =>
      benchMinds({
        size: flags.size as 'small' | 'full',
        scenes: wantedOf(
          flags,
          SCENES.map(({ name }) => name),
        ),
        questions: wholeNumber(flags.questions),
        rounds: wholeNumber(flags.rounds),
        url: flags.url,
        model: flags.model,
        onProgress,
      }),
    show,
  },
  {
    name: 'guard',
    what: 'CPU of a moment and of a call with a Temporal that asks for nothing, for a key, and for a certificate',
    refuse: (flags) => refuse(flags, []),
    run: ({ size, rounds }, onProgress) =>
      benchGuard({ size: size as 'small' | 'full', rounds: wholeNumber(rounds), onProgress }),
    show,
  },
]
