import type { BeingName } from '@treeos/core'
import { codesOf, type ExtensionVersions, type OpenReality, readVersions } from '@treeos/reality'
import type { Registry } from '@treeos/world'
import { LRUCache } from 'lru-cache'

type WatchedReality = OpenReality & { readonly registry: Registry }

/** A being is asked for again after so many ms, the first time; then after twice as many, up to a bound. */
const WAIT_MS = 150
/** Where a living worker has the code: it takes the run as soon as it gets it. */
const WAIT_MS_MAX = 2000
/** Where none has it: each look costs a task. */
const LONELY_WAIT_MS_MAX = 30_000
/** Versions are read again, and moved, at most so often because of moments that wait. */
const SETTLE_EVERY_MS = 500

/** What a worker knows of the code that is current. Postgres holds it; it is read when the registry moved. */
export class CodeWatch {
  #known: ExtensionVersions | null = null
  /** extensions whose current code is not that of this worker */
  #others: ReadonlySet<string> = new Set()
  #lastUsed = 0
  #settled = Number.NEGATIVE_INFINITY
  readonly #tries = new LRUCache<BeingName, number>({ max: 5000 })

  /** As it was read last; null before. */
  get known(): ExtensionVersions | null {
    return this.#known
  }

  /**
   * The extensions of which this worker has other code than the current one, for who read the registry up to
   * a fact. It asks Postgres only where the registry has moved since it last did.
   */
  async others(at: WatchedReality, seq: number): Promise<ReadonlySet<string>> {
    const known = this.#known !== null && seq <= this.#known.seq ? this.#known : await this.read(at)
    if (seq >= this.#lastUsed) return this.#others
    // roles that were read before another version became current are not its roles
    const later = [...known.current].filter(([, { seq: used }]) => used > seq).map(([name]) => name)
    return new Set([...this.#others, ...later])
  }

  async read(at: WatchedReality): Promise<ExtensionVersions> {
    const known = await readVersions(at)
    const own = codesOf(at.registry)
    this.#known = known
    this.#lastUsed = Math.max(0, ...[...known.current.values()].map(({ seq }) => seq))
    this.#others = new Set(
      [...known.current]
        .filter(([name, { digest }]) => own.get(name)?.digest !== digest)
        .map(([name]) => name),
    )
    return known
  }

  /** Whether it is time to look whether the current code is to be moved. */
  maySettle(): boolean {
    const now = performance.now()
    if (now - this.#settled < SETTLE_EVERY_MS) return false
    this.#settled = now
    return true
  }

  /**
   * How long a being waits that this worker hands on, in ms, longer each time in a row; with jitter.
   * @param isLonely no living worker has the code
   */
  waitMs(being: BeingName, isLonely: boolean): number {
    const tries = this.#tries.get(being) ?? 0
    this.#tries.set(being, tries + 1)
    const ms = Math.min(WAIT_MS * 2 ** Math.min(tries, 10), isLonely ? LONELY_WAIT_MS_MAX : WAIT_MS_MAX)
    return Math.round(ms * (0.5 + Math.random()))
  }

  /** This worker lives a moment of the being. */
  lives(being: BeingName): void {
    if (this.#tries.size > 0) this.#tries.delete(being)
  }
}
