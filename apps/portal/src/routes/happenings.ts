import { follow, pastsOpenTo } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import type { Context } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import { mayStay } from '../authorize/visit.ts'
import { eventData } from '../edge/event-stream.ts'
import type { Tabs } from '../inhabit/tabs.ts'
import type { Env, Portal } from '../portal.ts'
import type { Streams } from './streams.ts'

/**
 * How often a session, a token, and the lease of a tab is asked for again, and a silent stream shows that it
 * lives.
 */
const CHECK_MS = 5_000

export interface StreamDeps {
  readonly portal: Portal
  readonly streams: Streams
  readonly tabs: Tabs
}

export interface StreamFilter {
  /** the id of the last event that was seen; left out, only new ones come */
  readonly after: string | undefined
  readonly being?: BeingName | undefined
  /** called before the first event. @returns what that one says, and what to do at the end */
  readonly onBegin?: (stream: SSEStreamingApi) => { readonly says: object; readonly end: () => void }
}

/**
 * What happens, as it happens: server-sent events of the journal, those that the visitor may look into. It
 * ends when the visitor may not stay. An event that was seen is not sent again, whatever connection was lost
 * meanwhile.
 */
export async function streamHappenings(
  c: Context<Env>,
  { portal, streams, tabs }: StreamDeps,
  { after, being, onBegin }: StreamFilter,
): Promise<Response> {
  const { listener, onError } = portal
  const visit = c.get('visit')
  const { signal, close } = streams.open(visit)
  const { from, happenings } = await follow(
    { db: visit.at.db, listener },
    {
      after,
      being,
      isOpen: pastsOpenTo(visit.at, visit.being),
      signal,
      onTrouble: (error) => onError('live', error),
    },
  ).catch((error: unknown) => {
    close()
    throw error
  })
  c.header('x-accel-buffering', 'no')
  return streamSSE(c, async (stream) => {
    const begun = onBegin?.(stream)
    const beating = setInterval(() => {
      // Apart from the check: Postgres may be away, and a reader that does not read holds the write up.
      void stream.write(': lives\n\n').catch(() => undefined)
      const check = async () => {
        if (!(await mayStay(portal, tabs, visit))) close()
      }
      // Postgres is away: the next check may find it
      check().catch((error: unknown) => onError('live', error))
    }, CHECK_MS)
    stream.onAbort(() => {
      clearInterval(beating)
      close()
    })
    try {
      await stream.writeSSE({ event: 'begin', id: from, data: eventData(begun?.says ?? {}) })
      for await (const happening of happenings)
        await stream.writeSSE({
          event: happening.type,
          id: happening.id,
          data: eventData(happening),
        })
    } finally {
      begun?.end()
      clearInterval(beating)
      close()
    }
  })
}
