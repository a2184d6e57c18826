import { z } from '@hono/zod-openapi'
import { TreeosError } from '@treeos/core'
import type { Envelope } from '@treeos/proofs'
import { listOutcomes, requireOutcome } from '@treeos/store'
import type { Portal } from '../portal.ts'
import { listing } from './list.ts'
import {
  answers,
  MOMENTS_MAX,
  newApi,
  numberIn,
  ofBeing,
  ofMoment,
  operation,
  paging,
  typed,
} from './operation.ts'

/** Each proves all that its permission follows from. */
const RECEIPTS_MAX = 25

const Receipt = z
  .object({
    n: z.int(),
    moment: z.string(),
    receipt: typed('Envelope').nullable(),
    why: z.string().optional().openapi({ description: 'why there is none' }),
  })
  .openapi('Receipt')

// A receipt quotes rules, roles and facts of others that the permission follows from, whoever may see those.
const CALLER = 'first-operator'

const one = operation({
  method: 'get',
  path: '/beings/{name}/moments/{n}/receipt',
  'x-caller': CALLER,
  'x-work': 'heavy',
  operationId: 'receipt',
  summary: 'A signed receipt of what a moment called, as `treeos verify --receipt` checks it',
  tags: ['receipts'],
  request: { params: ofMoment },
  responses: answers(typed('Envelope'), 'the receipt'),
})

const several = listing(
  {
    path: '/beings/{name}/receipts',
    'x-caller': CALLER,
    'x-work': 'heavy',
    items: Receipt,
    operationId: 'receipts',
    summary: 'Receipts of the finished moments of a being, newest first',
    description: `A page holds at most ${RECEIPTS_MAX}. A moment that called nothing has none, and says so.`,
    tags: ['receipts'],
  },
  { params: ofBeing, query: paging },
)

/** What proves to others what a being did. */
export const receiptRoutes = ({ machine }: Pick<Portal, 'machine'>) =>
  newApi()
    .openapi(one, async (c) => {
      const { name, n } = c.req.valid('param')
      const { moment } = await requireOutcome(c.get('visit').at.db, name, n)
      const [receipt] = await machine.receipts([moment])
      if (receipt === undefined || receipt instanceof TreeosError)
        throw receipt ?? new Error(`no receipt of ${moment} came`)
      return c.json(receipt, 200)
    })
    .openapi(several, async (c) => {
      const { cursor, limit } = c.req.valid('query')
      const before = numberIn(cursor, MOMENTS_MAX)
      const { db } = c.get('visit').at
      const last = Math.min(limit, RECEIPTS_MAX)
      const lived = (await listOutcomes(db, c.req.valid('param').name, last, before)).reverse()
      const made = await machine.receipts(lived.map(({ moment }) => moment))
      const items = lived.map(({ n, moment }, i) => ({ n, moment, ...shownOf(made[i]) }))
      const oldest = lived.at(-1)?.n ?? 1 // they are counted from 1 without gaps
      return c.json({ items, next: oldest > 1 ? String(oldest) : null }, 200)
    })

const shownOf = (made: Envelope | TreeosError | undefined) =>
  made instanceof TreeosError ? { receipt: null, why: made.message } : { receipt: made ?? null }
