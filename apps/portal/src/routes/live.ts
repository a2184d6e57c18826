import { randomUUID } from 'node:crypto'
import { follow, type Happening, isFactOpen, type OpenPasts, pastsOpenTo } from '@treeos/client'
import { requireBeingName, TreeosError } from '@treeos/core'
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { z } from 'zod'
import { mayStay } from '../authorize/visit.ts'
import type { Tabs } from '../inhabit/tabs.ts'
import type { Env, Portal } from '../portal.ts'
import { input } from './input.ts'
import { StreamedBeings } from './streamed-beings.ts'
import type { Streams } from './streams.ts'

/** How often a session, and the lease of a tab, is asked for again, and a silent stream shows that it lives. */
const CHECK_MS = 5_000
/** Beings whose words one stream brings at once. */
const BEINGS_MAX = 20
/** Words that wait for a slow reader. More are left out: they are shown once, and the decision has them all. */
const WORDS_WAITING_MAX = 200

/**
 * What happens, as it happens: server-sent events of the journal, those that the person may look into. And what the models of beings
 * write that the page asks for, while they write it: those events have no id, since nothing of them can be asked for again.
 */
export const liveRoutes = (portal: Portal, streams: Streams, tabs: Tabs) => {
  const streamed = new Map<string, StreamedBeings>()
  return new Hono<Env>()
    .get('/live', async (c) => {
      const { listener, onError } = portal
      const visit = c.get('visit')
      const { signal, close } = streams.open(visit)
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
        const name = randomUUID()
        let waiting = 0
        const beings = new StreamedBeings(visit, listener, (words) => {
          if (waiting >= WORDS_WAITING_MAX) return
          waiting += 1
          const written = stream.writeSSE({ event: 'words', data: JSON.stringify(words) })
          written.finally(() => (waiting -= 1)).catch(() => undefined) // the reader has gone
        })
        streamed.set(name, beings)
        stream.onAbort(close)
        const beating = setInterval(() => {
          const check = async () => {
            if (!(await mayStay(portal, tabs, visit))) close()
            else await stream.write(': lives\n\n')
          }
          check().catch((error: unknown) => onError('live', error)) // Postgres is away: the next check may find it
        }, CHECK_MS)
        try {
          await stream.writeSSE({ event: 'begin', id: from, data: JSON.stringify({ stream: name }) })
          const isOpen = pastsOpenTo(visit.at, visit.being)
          for await (const happening of happenings)
            if (await concerns(happening, isOpen))
              await stream.writeSSE({
                event: happening.type,
                id: happening.id,
                data: JSON.stringify(happening),
              })
        } finally {
          streamed.delete(name)
          beings.end()
          clearInterval(beating)
          close()
        }
      })
    })
    .post(
      '/live/streamed',
      input(
        'json',
        z.object({ stream: z.uuid(), beings: z.array(z.string().min(1).max(80)).max(BEINGS_MAX) }),
      ),
      async (c) => {
        const { stream, beings } = c.req.valid('json')
        const open = streamed.get(stream)
        if (open?.isOf(c.get('visit')) !== true)
          throw new TreeosError('INVALID_INPUT', 'stream: no such stream of this page is open')
        return c.json({ streamed: await open.set(beings.map(requireBeingName)) })
      },
    )
}

/** A moment belongs to its being. */
const concerns = (happening: Happening, isOpen: OpenPasts): Promise<boolean> =>
  happening.type === 'moment' ? isOpen(happening.being) : isFactOpen(isOpen, happening)
