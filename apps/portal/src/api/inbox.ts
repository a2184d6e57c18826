import { z } from '@hono/zod-openapi'
import { closeInbox, INBOX_KINDS, inboxCounts, inboxPage, reply } from '@treeos/client'
import { listing, ownPage } from './list.ts'
import { answers, body, content, id, idempotency, newApi, operation, paging } from './operation.ts'
import { InboxCounts, InboxEntry, Summoned } from './shapes.ts'
import { outside, requireReply, waitSeconds } from './verbs.ts'

const listed = listing(
  {
    path: '/inbox',
    items: InboxEntry,
    operationId: 'inbox',
    summary: 'What waits for an answer or to be read, oldest first unless asked otherwise',
    tags: ['inbox'],
  },
  {
    query: paging.extend({
      kind: z.enum(INBOX_KINDS).optional().openapi({
        description: 'only entries that ask this; `question`, `approval` and `budget` need a decision',
      }),
      order: z.enum(['oldest', 'newest']).default('oldest').openapi({ description: 'which comes first' }),
    }),
  },
)

const counting = operation({
  method: 'get',
  path: '/inbox/counts',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'inboxCounts',
  summary: 'How many entries wait, by what they ask',
  tags: ['inbox'],
  responses: answers(InboxCounts, 'it is another whenever the list is'),
})

const replying = operation({
  method: 'post',
  path: '/inbox/reply',
  'x-caller': 'signed-in',
  'x-work': 'wait',
  operationId: 'reply',
  summary: 'Answer an entry',
  tags: ['inbox'],
  request: {
    headers: idempotency,
    body: body(
      z.strictObject({
        correlation: id,
        content,
        expectReply: z.boolean().optional(),
        requireReply,
        outside,
        waitSeconds,
      }),
    ),
  },
  responses: answers(Summoned, 'the answer, and with `waitSeconds` what came of it'),
})

const closing = operation({
  method: 'post',
  path: '/inbox/close',
  'x-caller': 'signed-in',
  'x-work': 'change',
  operationId: 'closeInbox',
  summary: 'Close entries without an answer',
  tags: ['inbox'],
  request: {
    body: body(
      z.strictObject({
        how: z.enum(['read', 'dismissed']),
        entries: z.array(id).max(500).nullable().openapi({
          description: 'correlations; null: all notices, but not of beings that are parked still',
        }),
      }),
    ),
  },
  responses: answers(z.object({ closed: z.int() }), 'how many were open'),
})

export const inboxRoutes = () =>
  newApi()
    .openapi(listed, async (c) => {
      const { order, kind, ...page } = c.req.valid('query')
      const isNewestFirst = order === 'newest'
      const read: typeof inboxPage = (at, being, which) =>
        inboxPage(at, being, { ...which, kind, isNewestFirst })
      return c.json(await ownPage(c.get('visit'), page, read), 200)
    })
    .openapi(counting, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await inboxCounts(at, being), 200)
    })
    .openapi(replying, async (c) => {
      const { at, being: as } = c.get('visit')
      const { waitSeconds = null, ...said } = c.req.valid('json')
      const key = c.req.valid('header')['idempotency-key']
      if (waitSeconds !== null) await c.get('turn').toWait()
      return c.json(await reply(at, { ...said, as, waitSeconds, key, signal: c.get('signal') }), 200)
    })
    .openapi(closing, async (c) => {
      const { at, being: as } = c.get('visit')
      return c.json(await closeInbox(at, { as, ...c.req.valid('json') }), 200)
    })
