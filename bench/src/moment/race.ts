import { setTimeout as sleep } from 'node:timers/promises'

const CONTENT =
  'Today I walked along the river to the old mill. The miller told me that the wheel has not stood still since the spring, ' +
  'and that nobody remembers who built it. Please keep this for me: '

/** A turn that takes longer than this fails the benchmark. */
const TURN_MS_MAX = 60_000

export interface Heat {
  readonly turns: number
  readonly ms: number
  readonly latencies: readonly number[]
}

/** What a race needs of a lane. */
export interface Racing {
  readonly name: string
  readonly process: { readonly failure: Promise<never> }
  begin(being: string, n: number, content: string): Promise<void>
}

/**
 * Drives the turns of one lane. Each being gets its next turn as soon as the record of the last one is
 * committed.
 */
export class Race {
  readonly #lane: Racing
  readonly #numbers = new Map<string, number>()
  readonly #open = new Map<string, () => void>()

  constructor(lane: Racing) {
    this.#lane = lane
  }

  /** Call it for each committed record; a rerun calls it twice. */
  done(being: string, n: number): void {
    const key = `${being}/${n}`
    this.#open.get(key)?.()
    this.#open.delete(key)
  }

  /** @param depth concurrent turns of one being */
  async run(
    beings: readonly string[],
    until: { ms?: number; turns?: number; depth?: number },
  ): Promise<Heat> {
    const began = performance.now()
    const latencies: number[] = []
    const isOver = (turns: number) =>
      until.ms !== undefined ? performance.now() - began >= until.ms : turns >= (until.turns ?? 1)
    await Promise.all(
      beings
        .flatMap((being) => Array<string>(until.depth ?? 1).fill(being))
        .map(async (being) => {
          for (let turns = 0; !isOver(turns); turns++) latencies.push(await this.#turn(being))
        }),
    )
    return { turns: latencies.length, ms: performance.now() - began, latencies }
  }

  async #turn(being: string): Promise<number> {
    const n = (this.#numbers.get(being) ?? 0) + 1
    this.#numbers.set(being, n)
    const began = performance.now()
    const done = new Promise<void>((resolve) => {
      this.#open.set(`${being}/${n}`, resolve)
    })
    const lost = new AbortController()
    await this.#lane.begin(being, n, `${CONTENT}${n}.`)
    await Promise.race([
      done,
      this.#lane.process.failure,
      sleep(TURN_MS_MAX, undefined, { signal: lost.signal }).then(() => {
        throw new Error(`${this.#lane.name}: turn ${n} of ${being} is not over after ${TURN_MS_MAX} ms`)
      }),
    ]).finally(() => lost.abort())
    return performance.now() - began
  }
}
