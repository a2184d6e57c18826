import { z } from '@hono/zod-openapi'
import { act, approvalsPage } from '@treeos/client'
import { parseCall, stanceOf } from '@treeos/core'
import {
  answers,
  anyJson,
  body,
  id,
  idempotency,
  newApi,
  operation,
  page,
  paging,
  text,
} from './operation.ts'
import { Act } from './shapes.ts'

const Approval = z
  .object({
    id: z.string().openapi({ description: 'the moment that asked' }),
    from: z.string(),
    call: anyJson('what it wants to do'),
    rule: z.string().openapi({ description: 'the address of the rule that asks' }),
    expiresAt: z.string(),
    roles: z.array(z.string()).readonly(),
    for: z.string().optional(),
    driver: z.string().optional(),
  })
  .openapi('Approval')

const listing = operation({
  method: 'get',
  path: '/approvals',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'approvals',
  summary: 'Calls that wait for my yes, oldest first',
  tags: ['approvals'],
  request: { query: paging },
  responses: answers(page(Approval), 'what waits'),
})

const approving = operation({
  method: 'post',
  path: '/approvals/approve',
  'x-caller': 'signed-in',
  'x-work': 'act',
  operationId: 'approve',
  summary: 'Say yes to a call that waits',
  tags: ['approvals'],
  request: {
    headers: idempotency,
    body: body(
      z.strictObject({
        id,
        args: z
          .record(z.string(), z.unknown())
          .optional()
          .openapi({ description: 'in place of the arguments that were asked about' }),
      }),
    ),
  },
  responses: answers(Act, 'what came of it'),
})

const denying = operation({
  method: 'post',
  path: '/approvals/deny',
  'x-caller': 'signed-in',
  'x-work': 'act',
  operationId: 'deny',
  summary: 'Say no to a call that waits',
  tags: ['approvals'],
  request: {
    headers: idempotency,
    body: body(z.strictObject({ id, why: text(1000).optional() })),
  },
  responses: answers(Act, 'what came of it'),
})

/** Calls that rules ask a person about. */
export const approvalRoutes = () =>
  newApi()
    .openapi(listing, async (c) => {
      const { at, being } = c.get('visit')
      const { cursor: after, limit } = c.req.valid('query')
      return c.json(await approvalsPage(at, being, { after, limit }), 200)
    })
    .openapi(approving, async (c) => {
      const { at, being } = c.get('visit')
      const key = c.req.valid('header')['idempotency-key']
      return c.json(
        await act(at, being, answerOf(being, 'approve', c.req.valid('json')), undefined, key),
        200,
      )
    })
    .openapi(denying, async (c) => {
      const { at, being } = c.get('visit')
      const key = c.req.valid('header')['idempotency-key']
      return c.json(await act(at, being, answerOf(being, 'deny', c.req.valid('json')), undefined, key), 200)
    })

const answerOf = (being: string, action: 'approve' | 'deny', args: object) =>
  parseCall({ verb: 'do', target: stanceOf(being), action, args })
