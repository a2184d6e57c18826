import {
  type Client,
  isGrpcServiceError,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import { RecurringWork } from '@treeos/client'
import { asJson, isSameJson, type Json } from '@treeos/core'
import { BEING, REALITY, SCHEDULE_WORKFLOW, type ScheduleRef, scheduleId } from '@treeos/protocol'
import { listSchedulingBeings, readerOf } from '@treeos/reality'
import type { Reality, StoreDb } from '@treeos/store'
import { schedulesOf } from '@treeos/world'
import type { Kysely } from 'kysely'
import { catchupMs, keyOfSpec, keyOfWanted, specOf, type WantedSchedule } from './schedule-spec.ts'

const SWEEP_EVERY_MS = 30_000

export interface SchedulesOptions {
  readonly client: Client
  readonly db: Kysely<StoreDb>
  readonly reality: Reality
  readonly taskQueue: string
  readonly onError: (where: string, error: unknown) => void
}

/**
 * Keeps Temporal's Schedules equal to the schedules in the rows of beings. Compares all at start, then when
 * they are due every 30 s, and updates one at once when an act changed it. Several workers may do so at once, since each step is
 * idempotent.
 */
export class Schedules {
  readonly #options: SchedulesOptions
  readonly #sweeps: RecurringWork
  #refreshing: Promise<void> = Promise.resolve()
  #hasLooked = false

  constructor(options: SchedulesOptions) {
    this.#options = options
    this.#sweeps = new RecurringWork(
      SWEEP_EVERY_MS,
      () => this.sweep(),
      (error) => options.onError('schedules', error),
    )
  }

  start(): void {
    this.#sweeps.start()
  }

  /** Updates changed schedules in Temporal, one after the other. Returns at once. */
  refresh(changed: readonly ScheduleRef[]): void {
    for (const schedule of changed) {
      this.#refreshing = this.#refreshing
        .then(() => this.#refreshOne(schedule))
        .catch((error) => this.#options.onError('schedule', error))
    }
  }

  /** Compares and corrects all schedules. @returns how many of Temporal's Schedules differed */
  async sweep(): Promise<number> {
    const { client, reality } = this.#options
    const found = new Map<string, string>()
    // Lists Temporal before the rows. A Schedule was in a row before it was in Temporal, so one without a row
    // was removed.
    for await (const { scheduleId: id, spec } of client.schedule.list({
      query: `${REALITY.name} = "${reality.name}"`,
    })) {
      found.set(id, keyOfSpec(spec))
    }
    let corrected = 0
    const looks = !this.#hasLooked
    for (const wanted of await this.#listWanted()) {
      const id = scheduleId(reality.name, wanted.being, wanted.name)
      const isDue = found.get(id) === keyOfWanted(wanted, reality.timeZone)
      if (!isDue || (looks && !(await this.#startsAsWanted(wanted)))) {
        await this.#put(wanted)
        corrected += 1
      }
      found.delete(id)
    }
    for (const id of found.keys()) {
      await this.#drop(id)
      corrected += 1
    }
    this.#hasLooked = true
    return corrected
  }

  /**
   * Whether a Schedule starts what it should. A list does not say so, so this asks for each, once a worker: the
   * task queue of a reality and the keys of its codec change with workers.
   */
  async #startsAsWanted(wanted: WantedSchedule): Promise<boolean> {
    const { action, policies, scheduleId: id } = this.#optionsOf(wanted)
    try {
      const { action: found, policies: kept } = await this.#options.client.schedule.getHandle(id).describe()
      return (
        found.taskQueue === action.taskQueue &&
        found.workflowType === action.workflowType &&
        found.workflowId === action.workflowId &&
        kept.catchupWindow === policies.catchupWindow &&
        isSameJson(found.args as Json, asJson(action.args))
      )
    } catch (error) {
      if (isGrpcServiceError(error)) throw error
      return false // it is gone, or its input was encoded by a key that is gone
    }
  }

  async #listWanted(): Promise<WantedSchedule[]> {
    const rows = await listSchedulingBeings(this.#options.db)
    return rows.flatMap((row) => schedulesOf(row).map((schedule) => ({ being: row.name, ...schedule })))
  }

  /** Makes one Schedule equal to the being's row. */
  async #refreshOne({ being, name }: ScheduleRef): Promise<void> {
    const { reality } = this.#options
    const me = await readerOf(this.#options).being(being)
    const schedule = me === null ? undefined : schedulesOf(me).find((known) => known.name === name)
    if (schedule === undefined) await this.#drop(scheduleId(reality.name, being, name))
    else await this.#put({ being, ...schedule })
  }

  async #put(wanted: WantedSchedule): Promise<void> {
    const { client } = this.#options
    const options = this.#optionsOf(wanted)
    try {
      await client.schedule.create(options)
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error
      const { spec, action, policies } = options
      const handle = client.schedule.getHandle(options.scheduleId)
      try {
        await handle.update(({ state }) => ({ spec, action, policies, state }))
      } catch (failure) {
        if (isGrpcServiceError(failure) || failure instanceof ScheduleNotFoundError) throw failure
        await this.#replace(options) // an update reads it first, and the key of its input may be gone
      }
    }
  }

  /** Makes a Schedule anew, paused if it was. */
  async #replace(options: ScheduleOptions): Promise<void> {
    const { client } = this.#options
    const { namespace } = client.options
    const { scheduleId: id } = options
    const { schedule } = await client.workflowService.describeSchedule({ namespace, scheduleId: id })
    const { paused, notes } = schedule?.state ?? {}
    await this.#drop(id)
    await client.schedule.create({
      ...options,
      state: { paused: paused === true, ...(notes ? { note: notes } : {}) },
    })
  }

  async #drop(id: string): Promise<void> {
    try {
      await this.#options.client.schedule.getHandle(id).delete()
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error
    }
  }

  #optionsOf(wanted: WantedSchedule) {
    const { reality, taskQueue } = this.#options
    const { being, name } = wanted
    const id = scheduleId(reality.name, being, name)
    const input: ScheduleRef = { being, name }
    return {
      scheduleId: id,
      spec: specOf(wanted, reality.timeZone),
      action: {
        type: 'startWorkflow',
        workflowType: SCHEDULE_WORKFLOW,
        workflowId: id,
        taskQueue: taskQueue,
        args: [input],
        staticSummary: `${name} of @${being}`,
      },
      policies: {
        overlap: ScheduleOverlapPolicy.SKIP,
        catchupWindow: catchupMs(wanted),
      },
      typedSearchAttributes: [
        { key: REALITY, value: reality.name },
        { key: BEING, value: being },
      ],
    } satisfies ScheduleOptions
  }

  /** Stops the sweep, and waits for updates under way. */
  async close(): Promise<void> {
    await this.#sweeps.close()
    await this.#refreshing
  }
}
