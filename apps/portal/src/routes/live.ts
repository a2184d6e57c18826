import { follow, type Happening, mayLookBack } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Tabs } from '../inhabit/tabs.ts'
import type { Env, Portal, Visit } from '../portal.ts'
import { mayStay } from '../visits.ts'
import type { Streams } from './streams.ts'

/** How often a session, and the lease of a tab, is asked for again, and a silent stream shows that it lives. */
const CHECK_MS = 5_000

/** What happens, as it happens: server-sent events of the journal, those that the person may look into. */
export const liveRoutes = (portal: Portal, streams: Streams, tabs: Tabs) =>
  new Hono<Env>().get('/live', async (c) => {
    const { listener, onError } = portal
    const visit = c.get('visit')
    const { signal, close } = streams.open(visit.cookie)
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
        const isOpen = openPasts(visit)
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

type Ask = (being: BeingName) => Promise<boolean>

/** A being's makers never change, so each answer is kept for as long as the stream lasts. */
function openPasts({ at, being: me }: Visit): Ask {
  const known = new Map<BeingName, Promise<boolean>>()
  return (being) => {
    const asked = known.get(being) ?? mayLookBack(at, me, being)
    known.set(being, asked)
    asked.catch(() => known.delete(being))
    return asked
  }
}

/** A moment belongs to its being. A fact belongs to who acted; one of no being is the operator's to see. */
async function concerns(happening: Happening, isOpen: Ask): Promise<boolean> {
  if (happening.type === 'moment') return isOpen(happening.being)
  const [kind, being] = happening.reel.split(':', 2)
  if (kind === 'being' && being !== undefined && (await isOpen(being))) return true
  return isOpen(happening.actor)
}
