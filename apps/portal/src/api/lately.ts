import { z } from '@hono/zod-openapi'
import { lately, spending } from '@treeos/client'
import { answers, newApi, operation, typed } from './operation.ts'

const MINUTE = 60
const DAY = 24 * 60 * MINUTE
const secondsUpTo = (max: number, byDefault: number) =>
  z.object({ seconds: z.coerce.number().int().min(MINUTE).max(max).default(byDefault) })

const livening = operation({
  method: 'get',
  path: '/lately',
  'x-caller': 'signed-in',
  'x-work': 'heavy',
  operationId: 'lately',
  summary: 'Who spoke to whom in the last minutes, and what waits for whom',
  description: 'Of those whose past is open to me.',
  tags: ['world'],
  request: { query: secondsUpTo(DAY, 15 * MINUTE) },
  responses: answers(typed('RecentActivity'), 'the last minutes'),
})

const costing = operation({
  method: 'get',
  path: '/spending',
  'x-caller': 'signed-in',
  'x-work': 'heavy',
  operationId: 'spending',
  summary: 'What moments cost, took and came to, by being, role and model',
  description: 'Of those whose past is open to me, at most the newest 10,000 moments.',
  tags: ['world'],
  request: { query: secondsUpTo(31 * DAY, DAY) },
  responses: answers(typed('SpendingReport'), 'cost and health over time'),
})

export const latelyRoutes = () =>
  newApi()
    .openapi(livening, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await lately(at, being, c.req.valid('query')), 200)
    })
    .openapi(costing, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await spending(at, being, c.req.valid('query')), 200)
    })
