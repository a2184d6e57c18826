import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Env } from '../portal.ts'

/** A proxy ends a stream on which nothing comes, the hastiest after 15 s. */
const BEAT_MS = 10_000

export interface SentEvent {
  readonly event?: string
  /** a text is sent as it is, any other value as JSON */
  readonly data: unknown
}

/**
 * Answers a request that waits by server-sent events. Comments show until the end that it goes on, and the
 * turn of the request lasts as long. A reader who has gone ends the request by its signal.
 */
export function streamEvents(
  c: Context<Env>,
  answer: (send: (event: SentEvent) => Promise<void>) => Promise<void>,
): Response {
  c.header('x-accel-buffering', 'no')
  const endTurn = c.get('turn').keep()
  return streamSSE(c, async (stream) => {
    const beating = setInterval(() => void stream.write(': waits\n\n').catch(() => undefined), BEAT_MS)
    try {
      await answer(({ event, data }) =>
        stream.writeSSE({ ...(event === undefined ? {} : { event }), data: eventData(data) }),
      )
    } finally {
      clearInterval(beating)
      endTurn()
    }
  })
}

/**
 * The text of an event. Some readers take these characters for the end of a line, as JavaScript and Python
 * once did, and JSON leaves them as they are.
 */
export const eventData = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).replace(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
