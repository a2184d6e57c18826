import { randomUUID } from 'node:crypto'
import { requireBeingName, TreeosError } from '@treeos/core'
import { Hono } from 'hono'
import { z } from 'zod'
import { eventData } from '../edge/event-stream.ts'
import type { Env } from '../portal.ts'
import { type StreamDeps, streamHappenings } from './happenings.ts'
import { input } from './input.ts'
import { StreamedBeings } from './streamed-beings.ts'

/** Beings whose words one stream brings at once. */
const BEINGS_MAX = 20
/**
 * Words that wait for a slow reader. More are left out: they are shown once, and the decision has them all.
 */
const WORDS_WAITING_MAX = 200

/**
 * The stream that the tabs of a page share: what happens, and what the models of beings write that the page
 * asks for, while they write it. Events of words have no id, since nothing of them can be asked for again.
 */
export const liveRoutes = (around: StreamDeps) => {
  const streamed = new Map<string, StreamedBeings>()
  return new Hono<Env>()
    .get('/live', (c) =>
      streamHappenings(c, around, {
        after: c.req.header('last-event-id'),
        onBegin(stream) {
          const name = randomUUID()
          let waiting = 0
          const beings = new StreamedBeings(c.get('visit'), around.portal.listener, (words) => {
            if (waiting >= WORDS_WAITING_MAX) return
            waiting += 1
            const written = stream.writeSSE({ event: 'words', data: eventData(words) })
            written.finally(() => (waiting -= 1)).catch(() => undefined) // the reader has gone
          })
          streamed.set(name, beings)
          const end = () => {
            streamed.delete(name)
            beings.end()
          }
          return { says: { stream: name }, end }
        },
      }),
    )
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
