import { ApplicationFailure } from '@temporalio/common'
import { type Attested, FINAL_ERRORS } from '@treeos/protocol'
import { digestOf } from '@treeos/store'
import type { Observer } from './observer.ts'

/**
 * Puts the class and code of an error into history, without its message. Messages of Postgres and of providers quote rows
 * and prompts, and history keeps failures for ever. The message goes to the observer.
 */
export function guarded<I, O>(
  name: string,
  observe: Observer,
  run: (input: I) => Promise<O>,
): (input: I) => Promise<O> {
  return async (input) => {
    const started = performance.now()
    try {
      return await run(input)
    } catch (error) {
      if (error instanceof ApplicationFailure) throw error
      observe.error(name, error)
      const type = error instanceof Error ? error.name : 'Error'
      const code = (error as { code?: unknown }).code
      const known = typeof code === 'string' && /^[A-Z0-9_]{2,32}$/.test(code) ? ` ${code}` : ''
      const isFinal = FINAL_ERRORS.includes(type)
      throw ApplicationFailure.create({
        type,
        message: isFinal && error instanceof Error ? error.message : `${name} failed:${known || ` ${type}`}`,
        nonRetryable: isFinal,
      })
    } finally {
      observe.beat(name, (performance.now() - started) / 1000)
    }
  }
}

/** Adds the digest of the arguments to a local activity's result. Replay compares it, since history omits the arguments. */
export function attested<I, O>(run: (input: I) => Promise<O>): (input: I) => Promise<Attested<O>> {
  return async (input) => ({ args: digestOf(input), value: await run(input) })
}
