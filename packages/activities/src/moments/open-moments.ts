import type { MomentId, OverlayRecord, PinnedStack } from '@treeos/core'
import {
  type ComposedMoment,
  composeLoaded,
  contentHeard,
  findMoment,
  type LoadedMoment,
} from '@treeos/reality'
import {
  type Db,
  type DecisionWrite,
  digestOf,
  findDecision,
  findOpen,
  findOverlaySources,
  type KeptReading,
  type OpenWrite,
  recordDecision,
  recordOpen,
  type StoredDecision,
} from '@treeos/store'
import type { Registry } from '@treeos/world'
import { LRUCache } from 'lru-cache'
import { type OpeningReservation, releaseReservation } from '../model/ask-within-budgets.ts'

interface KeptMoment {
  readonly loaded: LoadedMoment
  /** somebody watches its being, so its model is asked to stream */
  isStreamed: boolean
  /** what may be recorded of the overlay of its call; null without one */
  overlay: OverlayRecord | null
}

/** Opened by this process. Nothing of it is in Postgres before its outcome, unless its end takes longer. */
export interface HeldMoment extends KeptMoment {
  readonly state: 'held'
  readonly open: OpenWrite
  /** the world as it was when the moment opened */
  readonly reading: KeptReading
  /** since when its wake waits, ms since 1970 UTC */
  readonly wakeAt: number
  /** what was reserved for its model call; null where nothing was */
  readonly reservation: OpeningReservation | null
  /** what its mind decided; null until it has */
  decision: DecisionWrite | null
  /** the append is to say that the run looks for its next wake itself */
  listens: boolean
}

/** Its open record is in Postgres. */
export interface StoredMoment extends KeptMoment {
  readonly state: 'stored'
  /** null until it is known that there is one */
  decision: StoredDecision | null
}

/** Another open record or another decision of the moment is stored: another process went on with it. */
export class ReopenedError extends Error {
  override readonly name = 'ReopenedError'
}

/**
 * More than a worker has under way. A held moment that is dropped is opened again, a stored one is read
 * again.
 */
const MOMENTS_MAX = 2000

/**
 * The moments that this process has under way, and the only owner of their open records. A moment is `held`
 * when this process has opened it and Postgres has nothing of it, and `stored` once its open record is in
 * Postgres. It is dropped when the moment has ended.
 *
 * Temporal may run a moment again, here or elsewhere, while an earlier run goes on. So whoever ends a moment
 * names the digest of the open record, and Postgres takes one open record and one decision for each moment.
 */
export class OpenMoments {
  readonly #moments = new LRUCache<MomentId, HeldMoment | StoredMoment>({ max: MOMENTS_MAX })

  find(moment: MomentId): HeldMoment | StoredMoment | undefined {
    return this.#moments.get(moment)
  }

  held(moment: MomentId): HeldMoment | undefined {
    const found = this.#moments.get(moment)
    return found?.state === 'held' ? found : undefined
  }

  hold(opened: Omit<HeldMoment, 'state' | 'decision' | 'listens' | 'overlay'>): HeldMoment {
    const held: HeldMoment = {
      ...opened,
      state: 'held',
      decision: null,
      listens: false,
      overlay: null,
    }
    this.#moments.set(held.open.moment, held)
    return held
  }

  /** Takes a moment whose open record is stored. */
  keep(loaded: LoadedMoment, more: Partial<Omit<StoredMoment, 'state' | 'loaded'>> = {}): void {
    const { isStreamed = false, overlay = null, decision = null } = more
    this.#moments.set(loaded.record.moment, { state: 'stored', loaded, isStreamed, overlay, decision })
  }

  /** The moment ended, or another process went on with it. */
  drop(ended: HeldMoment | MomentId): void {
    if (typeof ended === 'string') this.#moments.delete(ended)
    else if (this.#moments.get(ended.open.moment) === ended) this.#moments.delete(ended.open.moment)
  }

  /**
   * Stores the open record of a held moment, and its decision where there is one. Then it is like one that
   * was never held.
   * @throws {ReopenedError} when others are stored
   */
  async store(db: Db, held: HeldMoment): Promise<void> {
    const { moment } = held.open
    if (!(await recordOpen(db, held.open))) {
      const stored = await findOpen(db, moment)
      if (stored === null || digestOf(stored.record) !== held.open.record.digest) throw this.#reopened(held)
    }
    const decision = held.decision === null ? null : await recordDecision(db, moment, held.decision)
    if (decision !== null && decision.digest !== held.decision?.digest) throw this.#reopened(held)
    await releaseReservation(db, moment, held.reservation)
    this.keep(held.loaded, { ...held, decision })
  }

  #reopened(held: HeldMoment): ReopenedError {
    this.drop(held)
    return new ReopenedError(`another process went on with ${held.open.moment}`)
  }

  /**
   * A moment that is stored.
   * @throws {Error} when it was never opened, or content that its record names is missing
   */
  async load(db: Db, moment: MomentId): Promise<LoadedMoment> {
    const known = this.#moments.get(moment)
    if (known?.state === 'stored') return known.loaded
    const stored = await findMoment(db, moment)
    if (stored === null) throw new Error(`moment ${moment} was never opened`)
    const { wake, ...open } = stored
    if (wake === null) throw new Error(`the inbox row that woke ${moment} is missing`)
    const overlays = open.record.cognition.kind === 'llm' ? await findOverlaySources(db, wake.id) : undefined
    const content = contentHeard(open.noted, open.face, wake.content)
    const loaded = { ...open, content, ...(overlays === undefined ? {} : { overlays }) }
    this.keep(loaded, known)
    return loaded
  }

  /**
   * The decision of a moment that is stored, or null while there is none. The first decision of a moment
   * never changes.
   */
  async decision(db: Db, moment: MomentId): Promise<StoredDecision | null> {
    const known = this.#moments.get(moment)
    if (known?.state === 'stored' && known.decision !== null) return known.decision
    const stored = await findDecision(db, moment)
    if (stored !== null) this.decided(moment, stored)
    return stored
  }

  /** The decision of a moment is stored. */
  decided(moment: MomentId, decision: StoredDecision): void {
    const known = this.#moments.get(moment)
    if (known?.state === 'stored') known.decision = decision
  }
}

interface ComposedStack {
  readonly stack: PinnedStack
  readonly composed: Promise<ComposedMoment>
}

const made = new WeakMap<LoadedMoment, ComposedStack>()

/**
 * Composes the stack of a moment as `composeLoaded` does. On the short way the mind and the stamp get one
 * stack, and it is composed once for both.
 */
export function composeOnce(
  { db, registry }: { readonly db: Db; readonly registry: Registry },
  loaded: LoadedMoment,
  stack: PinnedStack,
): Promise<ComposedMoment> {
  const known = made.get(loaded)
  if (known?.stack === stack) return known.composed
  const composed = composeLoaded(db, registry, loaded, stack)
  made.set(loaded, { stack, composed })
  composed.catch(() => made.delete(loaded)) // Postgres may be away
  return composed
}
