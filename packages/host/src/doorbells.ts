import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { WorkflowNotFoundError } from '@temporalio/common'
import { RecurringWork, ringBeing } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import { beingWorkflowId } from '@treeos/protocol'
import {
  listBusy,
  listDifferingStacks,
  listWithWakes,
  pageUnclaimed,
  type Reality,
  releaseDelayed,
  type StoreDb,
} from '@treeos/store'
import type { Kysely } from 'kysely'
import { CrowdPace } from './crowd-pace.ts'
import { expireApprovals } from './expired-approvals.ts'
import { releaseLapsed } from './lapsed-leases.ts'
import { RingSchedule } from './ring-schedule.ts'

/** Most concurrent calls to Temporal. */
const RINGING_MAX = 16
const SWEEP_EVERY_MS = 5000
/** Changes that wait are delivered at most so often by one process. */
const RELEASE_EVERY_MS = 50
/** More beings than this at once are a crowd, which is rung at the pace at which it looks. */
const FEW_BEINGS = 16
const LOOK_AFTER_CROWD_MS = 50
/** Beings in one page of a sweep. The next page follows when few of these wait for their rings. */
const PAGE_BEINGS = 500
/**
 * After this time an unclaimed wake has lost its doorbell, or its being is busy. The sweep rings the being
 * again.
 */
const UNRUNG_SECONDS = 5
/**
 * After this time the moment of a claimed wake still runs, or its workflow was terminated. The sweep asks
 * Temporal.
 */
const BUSY_SECONDS = 10
/**
 * Every second sweep asks Temporal about this many busy beings; the next such sweep goes on after the last of
 * them.
 */
const CHECK_EVERY_SWEEPS = 2
const CHECK_BEINGS_MAX = 500

export interface DoorbellOptions {
  readonly client: Client
  readonly db: Kysely<StoreDb>
  readonly reality: Reality
  readonly taskQueue: string
  readonly onError: (where: string, error: unknown) => void
  /** default 5000 */
  readonly sweepEveryMs?: number
}

/**
 * Rings beings after the commit that filled their inbox, also those that listen in another process. Several
 * rings for one being become one, and the sweep repeats a failed ring. The inbox is in Postgres, so a lost
 * ring costs latency only.
 */
export class Doorbells {
  readonly #options: DoorbellOptions
  readonly #waiting = new Set<BeingName>()
  readonly #crowd = new Set<BeingName>()
  readonly #pace = new CrowdPace()
  #isLookingAfterCrowd = false
  readonly #schedule = new RingSchedule()
  /** of wakes that are claimed without an open moment: mostly one is about to be opened */
  readonly #claims = new RingSchedule()
  #ringing = 0
  #failed = 0
  /**
   * beings that stand still: worker and workflow disagree about a stack, and no person has accepted the
   * difference
   */
  #halted: ReadonlySet<BeingName> = new Set()
  /** those of them that this process has rung: its code fails by them again */
  readonly #tried = new Set<BeingName>()
  /** last busy being that was checked; the next check continues after it */
  #checkAfter: BeingName = ''
  #releaseAtMs = Number.POSITIVE_INFINITY
  #releaseTimer: NodeJS.Timeout | undefined
  #releasing: Promise<void> = Promise.resolve()
  readonly #sweeps: RecurringWork
  #sweepsDone = 0

  constructor(options: DoorbellOptions) {
    this.#options = options
    this.#sweeps = new RecurringWork(
      options.sweepEveryMs ?? SWEEP_EVERY_MS,
      () => this.#sweepOnce(),
      (error) => options.onError('sweep', error),
    )
  }

  /**
   * Queues rings for these beings. Returns at once. Those of a crowd wait until others of it have looked, and
   * for rings of a few.
   */
  ring(beings: readonly BeingName[]): void {
    const queue = beings.length > FEW_BEINGS ? this.#crowd : this.#waiting
    for (const being of beings) if (!this.#tried.has(being)) queue.add(being)
    this.#ringMore()
  }

  #ringMore(): void {
    while (this.#ringing < RINGING_MAX) {
      const being = this.#next()
      if (being === undefined) break
      void this.#ringOne(being)
    }
    if (this.#mustLook) void this.#lookAfterCrowd()
  }

  #next(): BeingName | undefined {
    const [first] = this.#waiting
    if (first !== undefined) {
      this.#waiting.delete(first)
      this.#crowd.delete(first)
      return first
    }
    if (!this.#pace.hasRoom) return undefined
    const [next] = this.#crowd
    if (next === undefined) return undefined
    this.#crowd.delete(next)
    if (this.#crowd.size === 0) this.#pace.end()
    else this.#pace.rang(next, performance.now())
    return next
  }

  get #mustLook(): boolean {
    return this.#crowd.size > 0 && !this.#pace.hasRoom && !this.#sweeps.isClosed
  }

  /** Asks which of those rung have looked, until there is room for more rings. */
  async #lookAfterCrowd(): Promise<void> {
    if (this.#isLookingAfterCrowd) return
    this.#isLookingAfterCrowd = true
    try {
      while (this.#mustLook) {
        await sleep(LOOK_AFTER_CROWD_MS)
        if (!this.#sweeps.isClosed)
          this.#pace.found(await this.#withWakes(this.#pace.awaited), performance.now())
      }
    } finally {
      this.#isLookingAfterCrowd = false
    }
    this.#ringMore()
  }

  /** Whoever has a wake that no moment has claimed; all of them while Postgres does not answer. */
  #withWakes(beings: readonly BeingName[]): Promise<readonly BeingName[]> {
    return listWithWakes(this.#options.db, beings).catch((error: unknown) => {
      this.#options.onError('doorbell', error)
      return beings
    })
  }

  async #ringOne(being: BeingName): Promise<void> {
    this.#ringing += 1
    try {
      const { client, reality, taskQueue } = this.#options
      await ringBeing(client, { reality: reality.name, taskQueue }, being)
      this.#schedule.take(being)
      if (this.#halted.has(being)) this.#tried.add(being)
    } catch (error) {
      this.#failed += 1
      this.#schedule.forget(being)
      this.#options.onError('doorbell', error)
    } finally {
      this.#ringing -= 1
      this.#ringMore()
    }
  }

  /**
   * Delivers in so many ms what is due then, and goes on while more waits. What comes after the next sweep is
   * left to that.
   */
  releaseAfter(ms: number): void {
    const everyMs = this.#options.sweepEveryMs ?? SWEEP_EVERY_MS
    const atMs = performance.now() + Math.max(ms, RELEASE_EVERY_MS)
    if (this.#sweeps.isClosed || ms > everyMs || atMs >= this.#releaseAtMs) return
    clearTimeout(this.#releaseTimer)
    this.#releaseAtMs = atMs
    this.#releaseTimer = setTimeout(() => {
      this.#releaseAtMs = Number.POSITIVE_INFINITY
      this.#releasing = this.#release(false).catch((error: unknown) =>
        this.#options.onError('release', error),
      )
    }, atMs - performance.now())
  }

  async #release(sweeps: boolean): Promise<void> {
    const { woken, nextMs } = await releaseDelayed(this.#options.db, { sweeps })
    this.ring(woken)
    if (nextMs !== null) this.releaseAfter(nextMs)
  }

  /** Starts the sweep, which rings beings with unclaimed wakes again, with growing waits. */
  sweep(): void {
    this.#sweeps.start()
  }

  async #sweepOnce(): Promise<void> {
    const checksBusy = this.#sweepsDone++ % CHECK_EVERY_SWEEPS === 0
    const { db, reality, onError } = this.#options
    await this.#findHalted()
    await this.#release(true)
    await this.#ringStuck()
    this.ring(await releaseLapsed({ db, reality }, (error) => onError('lapsed lease', error)))
    if (checksBusy) this.ring(await this.#findLeft())
    this.ring(await expireApprovals({ db, reality }, (error) => onError('expired approval', error)))
  }

  /**
   * A run of a halted being fails again until other code runs, or a person accepts the difference. So each
   * process, which may have other code, rings it once.
   */
  async #findHalted(): Promise<void> {
    this.#halted = new Set((await listDifferingStacks(this.#options.db)).map(({ being }) => being))
    for (const being of this.#tried) if (!this.#halted.has(being)) this.#tried.delete(being)
  }

  /**
   * Rings all stuck beings in pages, those that wait longest first. The next page is read when half of one
   * waits for its rings, so a large backlog is worked off at the pace at which it looks, and every being gets
   * its turn. A page that takes longer than the time between two sweeps is the last one: what else a sweep
   * does must not wait for it.
   */
  async #ringStuck(): Promise<void> {
    const failed = this.#failed
    const everyMs = this.#options.sweepEveryMs ?? SWEEP_EVERY_MS
    const endsAtMs = performance.now() + everyMs
    const hasFailed = () => this.#sweeps.isClosed || this.#failed !== failed
    for (let after = 0; !hasFailed(); ) {
      const stuck = await pageUnclaimed(this.#options.db, UNRUNG_SECONDS, PAGE_BEINGS, after)
      this.ring(this.#schedule.due(stuck))
      if (stuck.length < PAGE_BEINGS) break
      after = stuck.at(-1)?.age ?? 0
      while (this.#crowd.size > PAGE_BEINGS / 2 && performance.now() < endsAtMs && !hasFailed())
        await sleep(LOOK_AFTER_CROWD_MS)
      if (performance.now() >= endsAtMs) break
    }
    this.#schedule.endSweep()
  }

  /**
   * Beings whose wake is claimed and that nobody lives: no workflow runs, since it was terminated; or the
   * task that claimed it no longer counted, so no moment is open and the run rests.
   */
  async #findLeft(): Promise<BeingName[]> {
    const { client, db, reality } = this.#options
    const busy = await listBusy(db, BUSY_SECONDS, CHECK_BEINGS_MAX, this.#checkAfter)
    this.#checkAfter = busy.length < CHECK_BEINGS_MAX ? '' : (busy.at(-1)?.being ?? '')
    const left = this.#claims.due(busy.filter(({ isOpen }) => !isOpen))
    this.#claims.endSweep()
    for (const { being } of busy.filter(({ isOpen }) => isOpen)) {
      const handle = client.workflow.getHandle(beingWorkflowId(reality.name, being))
      const status = await handle.describe().then(
        (life) => life.status.name,
        (error: unknown) => {
          if (error instanceof WorkflowNotFoundError) return 'NOT_FOUND'
          throw error
        },
      )
      if (status !== 'RUNNING') left.push(being)
    }
    return left
  }

  /** Stops the sweep. Rings under way may still arrive. */
  async close(): Promise<void> {
    clearTimeout(this.#releaseTimer)
    await this.#sweeps.close()
    await this.#releasing
  }
}
