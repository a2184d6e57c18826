import { z } from '@hono/zod-openapi'
import { inhabit } from '@treeos/client'
import { parseStance, stanceOf } from '@treeos/core'
import { streamSSE } from 'hono/streaming'
import { mayStay } from '../authorize/visit.ts'
import { eventData } from '../edge/event-stream.ts'
import type { StreamDeps } from '../routes/happenings.ts'
import { body, newApi, operation, text } from './operation.ts'

/** How often the token is asked for again, and the stream shows that it lives. */
const CHECK_MS = 5_000

const inhabiting = operation({
  method: 'post',
  path: '/inhabit',
  'x-caller': 'signed-in',
  'x-work': 'stream',
  operationId: 'inhabit',
  summary: 'Drive a being of mine for as long as the stream lasts',
  description:
    'Server-sent events: `inhabited`, and `released` with `why`, `released` or `lost`. The end of the connection gives the being back. ' +
    'Meanwhile requests with the header `Treeos-As: @NAME` act as it. A comment each 5 s shows that the stream lives.',
  tags: ['beings'],
  request: {
    body: body(
      z.strictObject({
        being: text(200).min(1).openapi({ description: 'its stance', example: '@solomon' }),
        own: z.boolean().optional().openapi({ description: 'with its own reach alone, without mine' }),
      }),
    ),
  },
  responses: { 200: { description: 'events', content: { 'text/event-stream': { schema: z.string() } } } },
})

/** A being that a program drives. A page does it by its tabs. */
export const inhabitingRoutes = ({ portal, streams, tabs }: StreamDeps) =>
  newApi().openapi(inhabiting, async (c) => {
    const visit = c.get('visit')
    const { being: stance, own = false } = c.req.valid('json')
    const being = parseStance(stance)
    const { signal, close } = streams.open(visit)
    const held = await inhabit(visit.at, { being, as: visit.being, own }).catch((error: unknown) => {
      close()
      throw error
    })
    c.header('x-accel-buffering', 'no')
    return streamSSE(c, async (stream) => {
      const { epoch, over, release } = held
      const ended = new Promise<'ended'>((resolve) => {
        signal.addEventListener('abort', () => resolve('ended'), { once: true })
        stream.onAbort(() => resolve('ended'))
      })
      const beating = setInterval(() => {
        // Apart from the check: Postgres may be away, and a reader that does not read holds the write up.
        void stream.write(': lives\n\n').catch(() => undefined)
        const check = async () => {
          if (!(await mayStay(portal, tabs, visit))) close()
        }
        // Postgres is away: the next check may find it
        check().catch((error: unknown) => portal.onError('inhabit', error))
      }, CHECK_MS)
      const send = (event: string, told: object) =>
        stream.writeSSE({ event, data: eventData({ being: stanceOf(being), ...told }) })
      try {
        await send('inhabited', { driver: stanceOf(visit.being), epoch })
        const why = await Promise.race([over, ended])
        if (why !== 'ended') await send('released', { why })
      } finally {
        clearInterval(beating)
        close()
        // A lease that could not be released is renewed no more, so it runs out.
        await release().catch((error: unknown) => portal.onError('release', error))
      }
    })
  })
