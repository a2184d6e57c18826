import { z } from '@hono/zod-openapi'
import {
  converse,
  momentsPage,
  see,
  setThreadOverlay,
  spokenThread,
  threadOverlays,
  threadsOf,
} from '@treeos/client'
import { listing } from './list.ts'
import {
  answers,
  beingName,
  body,
  id,
  newApi,
  numberIn,
  operation,
  paging,
  text,
  typed,
} from './operation.ts'
import { Conversation, ListedMoment, Spoken, Thread } from './shapes.ts'

const OVERLAY_MAX = 64 * 1024
const ofThread = z.object({ id })

const all = z.enum(['true', 'false']).default('true').openapi({ description: 'finished ones too' })
const listed = listing(
  {
    path: '/threads',
    items: Thread,
    operationId: 'threads',
    summary: 'Threads that I have a part in, the one with the latest wake first',
    description: 'A thread that moves meanwhile goes to the front. A page may hold fewer than `limit`.',
    tags: ['threads'],
    'x-work': 'heavy', // it reads all of the inbox
  },
  {
    query: paging.extend({
      all,
      with: beingName
        .optional()
        .openapi({ description: 'only those in which this being and I were woken or spoke' }),
      alone: z
        .enum(['true', 'false'])
        .default('false')
        .openapi({ description: 'only those in which nobody else takes part; beside `with`' }),
    }),
  },
)

const reading = operation({
  method: 'get',
  path: '/threads/{id}',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'thread',
  summary: 'What was said in a thread',
  tags: ['threads'],
  request: { params: ofThread },
  responses: answers(Conversation, 'the newest lines, oldest first; `hidden` counts the others'),
})

const lived = listing(
  {
    path: '/threads/{id}/moments',
    items: ListedMoment,
    operationId: 'threadMoments',
    summary: 'Finished moments that a thread woke, of those whose past is open to me, newest first',
    tags: ['threads'],
  },
  { params: ofThread, query: paging },
)

const speaking = operation({
  method: 'get',
  path: '/spoken/{id}',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'spoken',
  summary: 'A thread by its id as one reads it, with what it cost, or the threads of a channel by its name',
  tags: ['threads'],
  request: { params: ofThread },
  responses: answers(Spoken, 'the newest lines, oldest first; `hidden` counts the others'),
})

const overlaid = operation({
  method: 'get',
  path: '/threads/{id}/overlay',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'threadOverlays',
  summary: 'That the overlay of a thread changed, without any text',
  tags: ['overlays'],
  request: { params: ofThread },
  responses: answers(z.array(typed('OverlayChange')), 'changes, oldest first'),
})

const overlaying = operation({
  method: 'post',
  path: '/threads/{id}/overlay',
  'x-caller': 'signed-in',
  'x-work': 'act',
  operationId: 'setThreadOverlay',
  summary: 'Set the overlay of a thread, or take it away',
  tags: ['overlays'],
  request: {
    params: ofThread,
    body: body(z.strictObject({ content: text(OVERLAY_MAX).nullable() })),
  },
  responses: answers(typed('SaltedOverlayChange'), 'the change'),
})

export const threadRoutes = () =>
  newApi()
    .openapi(listed, async (c) => {
      const { at, being } = c.get('visit')
      const { cursor, limit: last, all, with: other, alone } = c.req.valid('query')
      const which = {
        last,
        all: all === 'true',
        before: numberIn(cursor),
        with: other,
        alone: other !== undefined && alone === 'true',
      }
      const found = await threadsOf(at, being, which)
      return c.json({ items: found.threads, next: found.next === null ? null : String(found.next) }, 200)
    })
    .openapi(reading, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await converse(at, being, c.req.valid('param').id), 200)
    })
    .openapi(lived, async (c) => {
      const { at, being } = c.get('visit')
      const thread = c.req.valid('param').id
      const { cursor: after, limit } = c.req.valid('query')
      await see(at, being, `thread:${thread}`)
      return c.json(await momentsPage(at, being, { after, limit, thread }), 200)
    })
    .openapi(speaking, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await spokenThread(at, being, c.req.valid('param').id), 200)
    })
    .openapi(overlaid, async (c) => {
      const { at, being } = c.get('visit')
      const thread = c.req.valid('param').id
      await see(at, being, `thread:${thread}`)
      return c.json(await threadOverlays(at, thread), 200)
    })
    .openapi(overlaying, async (c) => {
      const { at, being: as } = c.get('visit')
      const { content } = c.req.valid('json')
      const overlay = content === null ? null : { content }
      return c.json(await setThreadOverlay(at, { as, thread: c.req.valid('param').id, overlay }), 200)
    })
