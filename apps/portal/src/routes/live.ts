import { follow, type Happening, isFactOpen, type OpenPasts, pastsOpenTo } from '@treeos/client'
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Tabs } from '../inhabit/tabs.ts'
import type { Env, Portal } from '../portal.ts'
import { mayStay } from '../visits.ts'
import type { Streams } from './streams.ts'

/** How often a session, and the lease of a tab, is asked for again, and a silent stream shows that it lives. */
const CHECK_MS = 5_000

/** What happens, as it happens: server-sent events of the journal, those that the person may look into. */
export const liveRoutes = (portal: Portal, streams: Streams, tabs: Tabs) =>
  new Hono<Env>().get('/live', async (c) => {
    const { listener, onError } = portal
    const visit = c.get('visit')
    const { signal, close } = streams.open(visit.session)
    const after = c.req.header('last-event-id')
    const { from, happenings } = await follow(
      { db: visit.at.db, listener },
      { after, signal, onTrouble: (error) => onError('live', error) },
    ).catch((error: unknown) => {
      close()
      throw error
    })
    c.header('x-accel-buffering', 'no')
    return streamSSE(c, async (stream) => {
      stream.onAbort(close)
      const beating = setInterval(() => {
        const check = async () => {
          if (!(await mayStay(portal, tabs, visit))) close()
          else await stream.write(': lives\n\n')
        }
        check().catch((error: unknown) => onError('live', error)) // Postgres is away: the next check may find it
      }, CHECK_MS)
      try {
        await stream.writeSSE({ event: 'begin', id: from, data: '{}' })
        const isOpen = pastsOpenTo(visit.at, visit.being)
        for await (const happening of happenings)
          if (await concerns(happening, isOpen))
            await stream.writeSSE({
              event: happening.type,
              id: happening.id,
              data: JSON.stringify(happening),
            })
      } finally {
        clearInterval(beating)
        close()
      }
    })
  })

/** A moment belongs to its being. */
const concerns = (happening: Happening, isOpen: OpenPasts): Promise<boolean> =>
  happening.type === 'moment' ? isOpen(happening.being) : isFactOpen(isOpen, happening)
