import { TreeosError } from '@treeos/core'

export interface TurnBounds {
  /** what is worked on at once */
  readonly atOnce: number
  /** of these, for one group */
  readonly atOncePerGroup: number
  /** what waits for its turn; beyond it the newest one of the group with most waiting is refused */
  readonly waiting: number
  readonly waitingPerGroup: number
}

/** For whom something is done. Groups take turns, and within a group its keys. */
export interface Asker {
  readonly group: string
  readonly key: string
}

interface WaitingRequest extends Asker {
  begin(): void
  refuse(error: unknown): void
}

/**
 * Lets so much be done at once, in turns: whoever asks for much waits for itself, and not others for it. No
 * kept queue takes turns between groups: `p-queue` and `rate-limiter-flexible` are first in, first out.
 */
export class Turns {
  readonly #bounds: TurnBounds
  readonly #refusal: string
  readonly #working = new Map<string, number>()
  #all = 0
  #waiting: WaitingRequest[] = []
  /** when a group and a key of it began last: the smallest number is next */
  readonly #served = new Map<string, number>()
  #clock = 0

  /** @param refusal what whoever is refused is told */
  constructor(bounds: TurnBounds, refusal: string) {
    this.#bounds = bounds
    this.#refusal = refusal
  }

  /** Does it when its turn comes. @throws {TreeosError} RATE_LIMITED; what `work` throws */
  async run<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
    const end = await this.take(asker)
    try {
      return await work()
    } finally {
      end()
    }
  }

  /** Waits for a turn. @returns ends it @throws {TreeosError} RATE_LIMITED */
  async take(asker: Asker): Promise<() => void> {
    if (this.#mayBegin(asker.group)) this.#begin(asker)
    else
      await new Promise<void>((resolve, reject) =>
        this.#enqueue({ ...asker, begin: resolve, refuse: reject }),
      )
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#end(asker)
    }
  }

  #mayBegin(group: string): boolean {
    const { atOnce, atOncePerGroup } = this.#bounds
    return this.#all < atOnce && (this.#working.get(group) ?? 0) < atOncePerGroup
  }

  #begin({ group, key }: Asker): void {
    this.#all++
    this.#working.set(group, (this.#working.get(group) ?? 0) + 1)
    this.#served.set(group, ++this.#clock)
    this.#served.set(`${group} ${key}`, this.#clock)
  }

  #enqueue(asker: WaitingRequest): void {
    const { waiting, waitingPerGroup } = this.#bounds
    this.#waiting.push(asker)
    const counts = new Map<string, number>()
    for (const { group } of this.#waiting) counts.set(group, (counts.get(group) ?? 0) + 1)
    if ((counts.get(asker.group) ?? 0) > waitingPerGroup) this.#refuseOneOf(asker.group)
    else if (this.#waiting.length > waiting) {
      const [[fullest] = [asker.group]] = [...counts].sort(([, a], [, b]) => b - a)
      this.#refuseOneOf(fullest)
    }
  }

  /** The newest one of the key that has most waiting. */
  #refuseOneOf(group: string): void {
    const counts = new Map<string, number>()
    for (const one of this.#waiting)
      if (one.group === group) counts.set(one.key, (counts.get(one.key) ?? 0) + 1)
    const most = Math.max(...counts.values())
    const at = this.#waiting.findLastIndex((one) => one.group === group && counts.get(one.key) === most)
    const [refused] = this.#waiting.splice(at, 1)
    refused?.refuse(new TreeosError('RATE_LIMITED', this.#refusal))
  }

  #end({ group }: Asker): void {
    this.#all--
    const left = (this.#working.get(group) ?? 1) - 1
    if (left === 0) this.#working.delete(group)
    else this.#working.set(group, left)
    this.#beginNext()
    if (this.#all === 0 && this.#waiting.length === 0) this.#served.clear()
  }

  #beginNext(): void {
    const since = (name: string) => this.#served.get(name) ?? 0
    const next = this.#waiting
      .filter(({ group }) => this.#mayBegin(group))
      .sort(
        (a, b) =>
          since(a.group) - since(b.group) || since(`${a.group} ${a.key}`) - since(`${b.group} ${b.key}`),
      )[0]
    if (next === undefined) return
    this.#waiting = this.#waiting.filter((one) => one !== next)
    this.#begin(next)
    next.begin()
  }
}
