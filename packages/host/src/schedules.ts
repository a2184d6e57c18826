import { createHash } from 'node:crypto'
import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import type { ChainDb, Reality } from '@treeos/chain'
import { Recurring } from '@treeos/client'
import { BEING, REALITY, SCHEDULE_WORKFLOW, type ScheduleRef, scheduleId } from '@treeos/protocol'
import { listSchedulingBeings, readerOf } from '@treeos/reality'
import { schedulesOf } from '@treeos/world'
import type { Kysely } from 'kysely'

const SWEEP_EVERY_MS = 30_000
/** Temporal takes no shorter one. */
const CATCHUP_MS_MIN = 10_000

export interface SchedulesOptions {
  readonly client: Client
  readonly db: Kysely<ChainDb>
  readonly reality: Reality
  readonly taskQueue: string
  readonly onError: (where: string, error: unknown) => void
}

/** A schedule of one being, as Temporal has to know it. */
interface Wanted extends ScheduleRef {
  readonly everySeconds: number
}

/**
 * Makes Temporal's Schedules equal to what beings' rows say: at start, every 30 s, and at once where an act changed one.
 * Several workers may do so at once: each step may be taken twice.
 */
export class Schedules {
  readonly #options: SchedulesOptions
  readonly #sweeps: Recurring
  #refreshing: Promise<void> = Promise.resolve()

  constructor(options: SchedulesOptions) {
    this.#options = options
    this.#sweeps = new Recurring(
      SWEEP_EVERY_MS,
      () => this.sweep(),
      (error) => options.onError('schedules', error),
    )
  }

  start(): void {
    this.#sweeps.start()
  }

  /** Looks at the schedules that were changed, one after the other. Returns at once. */
  refresh(changed: readonly ScheduleRef[]): void {
    for (const schedule of changed) {
      this.#refreshing = this.#refreshing
        .then(() => this.#refreshOne(schedule))
        .catch((error) => this.#options.onError('schedule', error))
    }
  }

  /** @returns how many of Temporal's Schedules were not what they should be */
  async sweep(): Promise<number> {
    const { client, reality } = this.#options
    const found = new Map<string, string>()
    // Temporal first: what it has was in a row before, so what no row read after that has was ended.
    for await (const { scheduleId: id, spec } of client.schedule.list({
      query: `${REALITY.name} = "${reality.name}"`,
    })) {
      const { every = 0, offset = 0 } = spec?.intervals?.[0] ?? {}
      found.set(id, intervalKey(every, offset))
    }
    let corrected = 0
    for (const wanted of await this.#listWanted()) {
      const id = scheduleId(reality.name, wanted.being, wanted.name)
      const { every, offset } = intervalOf(wanted)
      if (found.get(id) !== intervalKey(every, offset)) {
        await this.#put(wanted)
        corrected += 1
      }
      found.delete(id)
    }
    for (const id of found.keys()) {
      await this.#drop(id)
      corrected += 1
    }
    return corrected
  }

  async #listWanted(): Promise<Wanted[]> {
    const rows = await listSchedulingBeings(this.#options.db)
    return rows.flatMap((row) => schedulesOf(row).map((schedule) => ({ being: row.name, ...schedule })))
  }

  /** Makes one schedule what the being's row says of it. */
  async #refreshOne({ being, name }: ScheduleRef): Promise<void> {
    const { reality } = this.#options
    const me = await readerOf(this.#options).being(being)
    const schedule = me === null ? undefined : schedulesOf(me).find((known) => known.name === name)
    if (schedule === undefined) await this.#drop(scheduleId(reality.name, being, name))
    else await this.#put({ being, name, everySeconds: schedule.everySeconds })
  }

  async #put(wanted: Wanted): Promise<void> {
    const { client } = this.#options
    const options = this.#optionsOf(wanted)
    try {
      await client.schedule.create(options)
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error
      const { spec, action, policies } = options
      const handle = client.schedule.getHandle(options.scheduleId)
      await handle.update(({ state }) => ({ spec, action, policies, state }))
    }
  }

  async #drop(id: string): Promise<void> {
    try {
      await this.#options.client.schedule.getHandle(id).delete()
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error
    }
  }

  #optionsOf(wanted: Wanted) {
    const { reality, taskQueue } = this.#options
    const { being, name } = wanted
    const id = scheduleId(reality.name, being, name)
    const input: ScheduleRef = { being, name }
    const interval = intervalOf(wanted)
    return {
      scheduleId: id,
      spec: { intervals: [interval] },
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
        // Of the ticks that Temporal missed, exactly the last is not older than one interval; where several are not too
        // old for Temporal's least window, the first of them starts and the others are skipped.
        catchupWindow: Math.max(interval.every, CATCHUP_MS_MIN),
      },
      typedSearchAttributes: [
        { key: REALITY, value: reality.name },
        { key: BEING, value: being },
      ],
    } satisfies ScheduleOptions
  }

  /** Stops the sweep and finishes what was told. */
  async close(): Promise<void> {
    await this.#sweeps.close()
    await this.#refreshing
  }
}

/** Temporal counts intervals from 1970: each schedule has a phase of its own, so that not all are due at once. */
function intervalOf({ being, name, everySeconds }: Wanted): { every: number; offset: number } {
  const hash = createHash('sha256').update(`${being}/${name}`).digest().readUInt32BE(0)
  return { every: everySeconds * 1000, offset: (hash % everySeconds) * 1000 }
}

const intervalKey = (every: number, offset: number) => `${every}+${offset}`
