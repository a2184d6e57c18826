import { recordRefusalOf } from '@treeos/store'

/**
 * Postgres does not take what an activity writes, and would not take it again. What else a being does goes on
 * in its next run.
 */
export class RecordRefusedError extends Error {
  override readonly name = 'RecordRefusedError' // crosses the wire as the failure's type: do not rename
}

/**
 * Ends an activity whose attempts are not counted, where Postgres refuses what it writes: without this it
 * would be tried for ever.
 */
export function endingWhenRefused<I, O>(
  name: string,
  run: (input: I) => Promise<O>,
): (input: I) => Promise<O> {
  return async (input) => {
    try {
      return await run(input)
    } catch (error) {
      const refusal = recordRefusalOf(error)
      if (refusal === null) throw error
      throw new RecordRefusedError(`the record refuses what ${name} writes: ${refusal.what}`, {
        cause: error,
      })
    }
  }
}
