import type {
  CustomSlotSupplier,
  LocalActivitySlotInfo,
  SlotMarkUsedContext,
  SlotPermit,
  SlotReleaseContext,
  WorkerTuner,
  WorkflowSlotInfo,
} from '@temporalio/worker'

/**
 * Most workflow tasks at once that have no local activity under way. All of these need the one thread that runs
 * workflows. The server gives a task out again after 10 s, unless an activity asks for more time, and then its
 * work is done twice. So a task that would have to wait for the thread stays at the server, where it costs
 * nothing and keeps its place. Slots that polls hold count as well, about 20.
 */
const AT_THREAD_MAX = 60
/** As the SDK has it. */
const ACTIVITIES_MAX = 100

/** Slots of one kind, given out in the order in which they were asked for. */
class Slots<Info extends WorkflowSlotInfo | LocalActivitySlotInfo> implements CustomSlotSupplier<Info> {
  readonly type = 'custom'
  /** at once */
  readonly numSlots: number
  readonly #isRoom: () => boolean
  readonly #onChange: () => void
  readonly #asked = new Set<() => void>()
  #issued = 0
  #used = 0

  constructor(numSlots: number, onChange: () => void, isRoom: () => boolean = () => true) {
    this.numSlots = numSlots
    this.#onChange = onChange
    this.#isRoom = isRoom
  }

  /** slots in use, including those that open polls hold */
  get issued(): number {
    return this.#issued
  }

  /** tasks or activities under way */
  get used(): number {
    return this.#used
  }

  tryReserveSlot(): SlotPermit | null {
    if (this.#asked.size > 0 || !this.#mayIssue) return null
    this.#issued += 1
    return {}
  }

  async reserveSlot(_: unknown, signal: AbortSignal): Promise<SlotPermit> {
    signal.throwIfAborted()
    const now = this.tryReserveSlot()
    if (now !== null) return now
    return new Promise((resolve, reject) => {
      const issue = () => {
        signal.removeEventListener('abort', giveUp)
        this.#issued += 1
        resolve({})
      }
      const giveUp = () => {
        this.#asked.delete(issue)
        reject(signal.reason)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#asked.add(issue)
    })
  }

  markSlotUsed(_: SlotMarkUsedContext<Info>): void {
    this.#used += 1
    this.#onChange()
  }

  releaseSlot({ slotInfo }: SlotReleaseContext<Info>): void {
    this.#issued -= 1
    if (slotInfo !== undefined) this.#used -= 1
    this.#onChange()
  }

  get #mayIssue(): boolean {
    return this.#issued < this.numSlots && this.#isRoom()
  }

  /** Gives slots to those who wait for one, as far as may be. */
  issue(): void {
    for (const issue of this.#asked) {
      if (!this.#mayIssue) return
      this.#asked.delete(issue)
      issue()
    }
  }
}

/**
 * Bounds the workflow tasks of a worker by what its processors can do, and lets as many as are named wait for
 * the minds of their beings, which costs next to nothing.
 * @param most workflow tasks at once
 */
export function taskSlots(most: number) {
  const onChange = () => {
    tasks.issue()
    activities.issue()
  }
  const activities = new Slots<LocalActivitySlotInfo>(most, onChange)
  const isRoom = () => tasks.issued - activities.used < AT_THREAD_MAX
  const tasks = new Slots<WorkflowSlotInfo>(most, onChange, isRoom)
  return { tasks, activities }
}

/** The tuner of a worker with such slots. */
export function tunerOf(most: number): WorkerTuner {
  const { tasks, activities } = taskSlots(most)
  return {
    workflowTaskSlotSupplier: tasks,
    localActivityTaskSlotSupplier: activities,
    activityTaskSlotSupplier: { type: 'fixed-size', numSlots: ACTIVITIES_MAX },
    nexusTaskSlotSupplier: { type: 'fixed-size', numSlots: ACTIVITIES_MAX },
  }
}
