import { isQueuedRead, READ_PREFIX, readPath } from '@treeos/core'
import { at, isArray, isObject, type Json, same } from '../canonical.ts'
import { type Moment, wakeIn } from '../moment.ts'

/** Reads that are queued in a bundle. Facts and moments are taken in their order. */
export class QueuedReads {
  /** operations that the operator declared as reads */
  readonly #declared = new Set<string>()
  #isAnyErased = false
  /** the calls that each moment leaves to be made of its answer, by the moment */
  readonly #queues = new Map<string, readonly Json[]>()

  takeFact(reel: string, header: Json, payload: Json): void {
    if (reel !== 'space:/' || at(header, 'kind') !== 'quality:set') return
    if (payload === null) this.#isAnyErased = true
    const path = at(payload, 'path') ?? null
    const [namespace, server] = isArray(path) ? path : []
    const tools = at(payload, 'value') ?? null
    if (namespace !== 'tools' || !isObject(tools)) return
    for (const [tool, told] of Object.entries(tools))
      if (readPath(told as never, ['read']) === true) this.#declared.add(`${server}:${tool}`)
  }

  /**
   * Takes a moment.
   * @param isRootWhole whether the bundle holds all facts of the space `/`
   * @returns what is wrong, in words, with the call that it makes without a mind; null where nothing is
   */
  take(
    { record, open, decision }: Pick<Moment, 'record' | 'open' | 'decision'>,
    isRootWhole: boolean,
  ): string | null {
    const wake = wakeIn(open)
    const moment = String(record.moment)
    if (!isQueuedRead(wake)) {
      const reads = at(decision, 'reads') ?? []
      if (decision !== null && isArray(reads)) this.#queues.set(moment, reads)
      return null
    }
    const queue = this.#queues.get(wake.id.slice(READ_PREFIX.length))
    const call = at(decision, 'call') ?? null
    if (queue !== undefined) this.#queues.set(moment, queue.slice(1))
    if (queue !== undefined && queue.length === 0) return 'it reads on, and the answer had no further call'
    if (decision === null) return null // erased
    if (queue !== undefined && !same(call, queue[0] ?? null))
      return 'it makes another call than the next one of the answer'
    const isKnown = isRootWhole && !this.#isAnyErased
    return !isKnown || this.#declared.has(String(at(call, 'operation')))
      ? null
      : 'it calls without a mind what nobody declared as a read'
  }
}
