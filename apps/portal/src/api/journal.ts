import { z } from '@hono/zod-openapi'
import { authorizePast } from '@treeos/client'
import { type StreamDeps, streamHappenings } from '../routes/happenings.ts'
import { beingName, newApi, operation, text } from './operation.ts'

const following = operation({
  method: 'get',
  path: '/journal',
  'x-caller': 'signed-in',
  'x-work': 'stream',
  operationId: 'journal',
  summary: 'What happens, as it happens',
  description:
    'Server-sent events: `begin` with the place where it begins, then `moment` and `fact`, each once, of those whose past I may look into. ' +
    'A client that comes back sends the last id that it saw as `Last-Event-ID` or `after`, and misses nothing. ' +
    'A comment each 5 s shows that the stream lives. It ends when the token or session ends.',
  tags: ['journal'],
  request: {
    query: z.object({
      after: text(40).min(1).optional(),
      being: beingName.optional().openapi({ description: 'only of this being' }),
    }),
    headers: z.object({ 'last-event-id': text(40).optional() }),
  },
  responses: { 200: { description: 'events', content: { 'text/event-stream': { schema: z.string() } } } },
})

export const journalRoutes = (around: StreamDeps) =>
  newApi().openapi(following, async (c) => {
    const { after, being } = c.req.valid('query')
    const { at, being: me } = c.get('visit')
    if (being !== undefined) await authorizePast(at, me, being)
    return streamHappenings(c, around, { after: c.req.valid('header')['last-event-id'] ?? after, being })
  })
