import { actPace, pace } from '@treeos/client'
import { fileBoundsIn, TreeosError } from '@treeos/core'
import { type Asker, Turns } from '../edge/turns.ts'
import { WORK, type Work } from './work.ts'

/**
 * How fast each address may ask without a session. Signing in is counted apart from reading, and links apart
 * from guesses.
 */
const STRANGERS = {
  open: { points: 10, burst: 50 },
  'sign-in': { points: 10, burst: 100 },
  link: { points: 50, burst: 200 },
  hook: { points: 10, burst: 100 },
  /** a request for what needs a session, without one that holds */
  unknown: { points: 10, burst: 50 },
} as const

/** How fast a person may ask, over all its sessions. */
const PERSON = { points: 60, burst: 240 } as const
/** How fast a person may change how it signs in, and whom it invites. */
const ACCOUNT = { points: 1, seconds: 2, burst: 60 } as const

const WAITING_PER_PERSON = 32
const HEAVY_AT_ONCE = 4
const TRIALS_AT_ONCE = 4
/** Each takes minutes: who begins many is told so. */
const TRIALS_WAITING_PER_PERSON = 1
const SEARCHES_AT_ONCE = 3
/** Each is whole in memory. */
const FILES_AT_ONCE = 8
const AT_ONCE = 96
/** They mostly wait, and ask Postgres a few times a second: they take no turn of others. */
const WAITS_AT_ONCE = 64
const WAITING = 512

/** The room that a request takes. */
export interface Turn {
  end(): void
  /** From now on it mostly waits, and takes the room of those that do. @throws {TreeosError} RATE_LIMITED */
  toWait(): Promise<void>
  /** It goes on after the answer has begun, as a stream does. @returns ends it */
  keep(): () => void
  /** resolves when it is over */
  readonly over: Promise<void>
}

const NO_TURN: Turn = {
  end: () => undefined,
  toWait: async () => undefined,
  keep: () => () => undefined,
  over: Promise.resolve(),
}

/**
 * What bounds how much strangers and people may ask for. Each portal has its own counts.
 * @param actsPerMinute of a person
 * @param fileBytesMax of a file that is given
 */
export function bounds(actsPerMinute?: number, fileBytesMax = fileBoundsIn({}).fileBytesMax) {
  const strangers = {
    open: pace(STRANGERS.open),
    'sign-in': pace(STRANGERS['sign-in']),
    link: pace(STRANGERS.link),
    hook: pace(STRANGERS.hook),
    unknown: pace(STRANGERS.unknown),
  }
  const turns = (atOncePerGroup: number, atOnce: number, waitingPerGroup = WAITING_PER_PERSON) =>
    new Turns(
      { atOnce, atOncePerGroup, waiting: WAITING, waitingPerGroup },
      `${atOncePerGroup} such requests of yours are under way and ${waitingPerGroup} wait: let some of them end`,
    )
  const classes: Partial<Record<Work, Turns>> = {
    heavy: turns(WORK.heavy.atOnce ?? HEAVY_AT_ONCE, HEAVY_AT_ONCE),
    trial: turns(WORK.trial.atOnce ?? TRIALS_AT_ONCE, TRIALS_AT_ONCE, TRIALS_WAITING_PER_PERSON),
    search: turns(WORK.search.atOnce ?? SEARCHES_AT_ONCE, SEARCHES_AT_ONCE),
    file: turns(WORK.file.atOnce ?? FILES_AT_ONCE, FILES_AT_ONCE),
  }
  const bytesMax = (work: Work) => (work === 'file' ? fileBytesMax : WORK[work].bodyBytesMax)
  const waits = turns(WORK.wait.atOnce ?? WAITS_AT_ONCE, WAITS_AT_ONCE)
  const others = turns(WORK.read.atOnce ?? AT_ONCE, AT_ONCE)
  return {
    strangers,
    person: pace(PERSON),
    account: pace(ACCOUNT),
    acts: actPace(actsPerMinute),
    /** @throws {TreeosError} PAYLOAD_TOO_LARGE for a body that is larger, or says so */
    requireSize(work: Work, length: string | number | undefined): void {
      if (Number(length ?? 0) <= bytesMax(work)) return
      throw new TreeosError('PAYLOAD_TOO_LARGE', `the request is larger than ${bytesMax(work)} bytes`)
    },
    /** Waits until the person has room for it. @throws {TreeosError} RATE_LIMITED */
    async take(work: Work, asker: Asker): Promise<Turn> {
      if (WORK[work].atOnce === null) return NO_TURN
      let end = await (classes[work] ?? others).take(asker)
      let [isOver, isKept] = [false, false]
      const { promise, resolve } = Promise.withResolvers<void>()
      const finish = () => {
        isOver = true
        end()
        resolve()
      }
      return {
        over: promise,
        end() {
          if (!isKept) finish()
        },
        keep() {
          isKept = true
          return finish
        },
        async toWait() {
          end()
          end = () => undefined
          const ends = await waits.take(asker)
          if (isOver) ends()
          else end = ends
        },
      }
    },
  }
}

export type Bounds = ReturnType<typeof bounds>
