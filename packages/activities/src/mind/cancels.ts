import type { MomentId } from '@treeos/core'
import { type Db, listCancelled } from '@treeos/store'
import type { Observer } from '../guard/guard.ts'

/**
 * How often a process asks which of its calls were cancelled: one statement for all, and none while no call
 * is that old.
 */
const ASK_MS = 1000

/** Somebody cancelled the call of a mind. The failure is recorded as the decision already. */
export class CancelledCallError extends Error {
  override readonly name = 'CancelledCallError'
}

interface AbortableCall {
  readonly moment: MomentId
  readonly abort: (reason: CancelledCallError) => void
  /** it was under way at the last tick */
  isOld: boolean
}

/**
 * The calls of minds that are under way in this process. Asks Postgres whether they were cancelled, and
 * aborts those that were.
 */
export class CallCanceller {
  readonly #calls = new Set<AbortableCall>()
  #timer: NodeJS.Timeout | undefined

  /** @returns ends it, when the call has ended */
  onCancel(
    { db, observe }: { readonly db: Db; readonly observe: Observer },
    moment: MomentId,
    abort: (reason: CancelledCallError) => void,
  ): () => void {
    const call: AbortableCall = { moment, abort, isOld: false }
    this.#calls.add(call)
    this.#timer ??= setInterval(() => {
      // the next one may succeed
      this.#ask(db).catch((error: unknown) => observe.error('looking for cancelled calls', error))
    }, ASK_MS).unref()
    return () => {
      this.#calls.delete(call)
      if (this.#calls.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  async #ask(db: Db): Promise<void> {
    const old = [...this.#calls].filter(({ isOld }) => isOld)
    for (const call of this.#calls) call.isOld = true
    if (old.length === 0) return
    const cancelled = new Set(await listCancelled(db, [...new Set(old.map(({ moment }) => moment))]))
    for (const { moment, abort } of old)
      if (cancelled.has(moment)) abort(new CancelledCallError(`the call of ${moment} was cancelled`))
  }
}
