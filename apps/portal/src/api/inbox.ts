import { z } from '@hono/zod-openapi'
import { closeInbox, inboxPage, reply } from '@treeos/client'
import { answers, body, content, id, idempotency, newApi, operation, page, paging } from './operation.ts'
import { InboxEntry, Summoned } from './shapes.ts'
import { waitSeconds } from './verbs.ts'

const listing = operation({
  method: 'get',
  path: '/inbox',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'inbox',
  summary: 'What waits for an answer, oldest first',
  tags: ['inbox'],
  request: { query: paging },
  responses: answers(page(InboxEntry), 'open entries'),
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
      z.strictObject({ correlation: id, content, expectReply: z.boolean().optional(), waitSeconds }),
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
        entries: z.array(id).max(500).nullable().openapi({ description: 'correlations; null: all notices' }),
      }),
    ),
  },
  responses: answers(z.object({ closed: z.int() }), 'how many were open'),
})

export const inboxRoutes = () =>
  newApi()
    .openapi(listing, async (c) => {
      const { at, being } = c.get('visit')
      const { cursor: after, limit } = c.req.valid('query')
      return c.json(await inboxPage(at, being, { after, limit }), 200)
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
