import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'

const MIB = 2 ** 20
/** Estimates of what a being in the cache takes of the workflow thread's heap, and of memory in all. */
const BEING_HEAP_BYTES = 100 * 1024
const BEING_BYTES = 420 * 1024
/** What a worker takes without beings. */
const WORKER_HEAP_BYTES = 200 * MIB
const WORKER_BYTES = 500 * MIB
/** Postgres and Temporal may be on the same machine. */
const SHARE = 0.5
/** So that the beings that have a task at the same time are in the cache. */
const BEINGS_MIN = 200
/**
 * With more, what the SDK pays at each step for all that it holds is more than a replay:
 * bench/journal/2026-11.md, "Growth".
 */
const BEINGS_MAX = 12_000

/**
 * How many beings a worker may hold in memory. A being that is not held is replayed when it is woken, which
 * costs several times what its moment costs.
 * @param memory bytes of the machine, or of its share where a container bounds it
 * @param heap most bytes of the heap of a thread
 */
export function beingsInCache(
  memory: number = memoryOfMachine(),
  heap: number = getHeapStatistics().heap_size_limit,
): number {
  const inHeap = (heap - WORKER_HEAP_BYTES) / BEING_HEAP_BYTES
  const inMemory = (memory * SHARE - WORKER_BYTES) / BEING_BYTES
  return Math.max(BEINGS_MIN, Math.floor(Math.min(inHeap, inMemory, BEINGS_MAX)))
}

/** `constrainedMemory` is 0, or larger than any machine, where nothing bounds the process. */
function memoryOfMachine(): number {
  const bound = process.constrainedMemory()
  return bound > 0 ? Math.min(bound, totalmem()) : totalmem()
}
