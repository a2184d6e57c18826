import { z } from '@hono/zod-openapi'
import { act, proposalWith, proposedPage } from '@treeos/client'
import { asJson, type Json, parseCall, quote, stanceOf, TreeosError } from '@treeos/core'
import { whatIfRules } from '@treeos/replay/what-if-rules'
import type { Context } from 'hono'
import type { Env, Visit } from '../portal.ts'
import { listing, ownPage } from './list.ts'
import { answers, anyJson, body, id, idempotency, newApi, operation, paging, text } from './operation.ts'
import { Act } from './shapes.ts'

const Proposal = z
  .object({
    approved: z.int().openapi({
      description: 'calls like this one that I approved and that were carried out; I denied none',
    }),
    space: z.string(),
    field: z.string().openapi({ description: 'of the rule, in the qualities of the space' }),
    value: anyJson('the rule, as the operation set-space takes it'),
    free: z.array(z.string()).readonly().openapi({ description: 'arguments that it does not bound' }),
  })
  .openapi('Proposal', {
    description: 'a rule that would have let through what I approved, and asks beyond it',
  })

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
    likeThis: Proposal.optional(),
    done: z
      .array(z.object({ id: z.string(), at: z.string() }))
      .readonly()
      .optional()
      .openapi({ description: 'the newest equal calls that I approved and that were carried out' }),
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

const letting = operation({
  method: 'post',
  path: '/approvals/let-through',
  'x-caller': 'signed-in',
  'x-work': 'heavy',
  operationId: 'letThrough',
  summary: 'Which calls that I approved the proposed rule would have let through; nothing is changed',
  tags: ['approvals'],
  request: { body: body(z.strictObject({ id })) },
  responses: answers(
    z.object({
      compared: z.int().openapi({ description: 'how many of them were judged again, the newest ones' }),
      calls: z.array(
        z.object({ moment: z.string(), n: z.int(), openedAt: z.string(), call: anyJson('what it did') }),
      ),
    }),
    'the calls, oldest first',
  ),
})

/** Calls that rules ask a person about. */
export const approvalRoutes = () =>
  newApi()
    .openapi(listed, async (c) =>
      c.json(await ownPage(c.get('visit'), c.req.valid('query'), proposedPage), 200),
    )
    .openapi(approving, async (c) => c.json(await answerApproval(c, 'approve', c.req.valid('json')), 200))
    .openapi(denying, async (c) => c.json(await answerApproval(c, 'deny', c.req.valid('json')), 200))
    .openapi(letting, async (c) => c.json(await letThrough(c.get('visit'), c.req.valid('json').id), 200))

/** Moments that one request judges again. */
const JUDGED_MAX = 100

/** Shows only what the person was asked about: its past need not be open to the person otherwise. */
async function letThrough({ at, being: me }: Visit, waiting: string) {
  const proposal = await proposalWith(at, me, waiting)
  if (proposal === null)
    throw new TreeosError('INVALID_INPUT', `no rule is proposed beside ${quote(waiting)}`)
  const { being, space, field, value, moments } = proposal
  const until = moments.at(-1)?.n ?? 0
  const asked = new Set(moments.filter(({ n }) => n > until - JUDGED_MAX).map((one) => one.id))
  const since = Math.max(1, until - JUDGED_MAX + 1)
  const otherwise = await whatIfRules(at, { being, space, field, value, since, until })
  const calls = otherwise
    .filter(({ moment, was, would }) => asked.has(moment) && was === 'waiting' && would === 'act')
    .map(({ moment, n, openedAt, call }) => ({ moment, n, openedAt, call: asJson(call) as Json }))
  return { compared: asked.size, calls }
}

function answerApproval(c: Context<Env>, operation: 'approve' | 'deny', args: object) {
  const { at, being } = c.get('visit')
  const call = parseCall({ verb: 'do', target: stanceOf(being), operation, args })
  return act(at, being, call, undefined, c.req.header('idempotency-key'))
}
