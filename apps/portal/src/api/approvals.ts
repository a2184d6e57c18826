import { z } from '@hono/zod-openapi'
import { act, approvalsPage } from '@treeos/client'
import { parseCall, stanceOf } from '@treeos/core'
import type { Context } from 'hono'
import type { Env } from '../portal.ts'
import { listing, ownPage } from './list.ts'
import { answers, anyJson, body, id, idempotency, newApi, operation, paging, text } from './operation.ts'
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
    outside: z.literal(true).optional().openapi({ description: 'its moment holds words from outside' }),
  })
  .openapi('Approval')

const listed = listing(
  {
    path: '/approvals',
    items: Approval,
    operationId: 'approvals',
    summary: 'Calls that wait for my yes, oldest first',
    tags: ['approvals'],
  },
  { query: paging },
)

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
    .openapi(listed, async (c) =>
      c.json(await ownPage(c.get('visit'), c.req.valid('query'), approvalsPage), 200),
    )
    .openapi(approving, async (c) => c.json(await answer(c, 'approve', c.req.valid('json')), 200))
    .openapi(denying, async (c) => c.json(await answer(c, 'deny', c.req.valid('json')), 200))

function answer(c: Context<Env>, action: 'approve' | 'deny', args: object) {
  const { at, being } = c.get('visit')
  const call = parseCall({ verb: 'do', target: stanceOf(being), action, args })
  return act(at, being, call, undefined, c.req.header('idempotency-key'))
}
