import { z } from '@hono/zod-openapi'
import { holds, periodReport, personData } from '@treeos/client'
import { TreeosError } from '@treeos/core'
import type { Portal } from '../portal.ts'
import { listing } from './list.ts'
import { answers, newApi, numberIn, ofBeing, operation, paging, typed } from './operation.ts'

// What these answer quotes all beings, whoever may see them.
const CALLER = 'first-operator'

const held = operation({
  method: 'get',
  path: '/holds',
  'x-caller': CALLER,
  'x-work': 'heavy',
  operationId: 'holds',
  summary: 'Legal holds in force, oldest first',
  description:
    '`do` sets and lifts one: `set-hold` and `lift-hold`, by the operator in a session of its own.',
  tags: ['audit'],
  responses: answers(z.array(typed('HoldView')).readonly(), 'the holds'),
})

const personal = listing(
  {
    path: '/people/{name}/data',
    'x-caller': CALLER,
    'x-work': 'heavy',
    items: typed('PersonDataItem'),
    operationId: 'personData',
    summary: 'All that is kept of a person, over all beings, oldest first',
    tags: ['audit'],
  },
  {
    params: ofBeing,
    query: paging.extend({
      contents: z.enum(['true', 'false']).default('false').openapi({ description: 'with what each says' }),
    }),
  },
)

const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))

const reported = operation({
  method: 'get',
  path: '/report',
  'x-caller': CALLER,
  'x-work': 'heavy',
  operationId: 'report',
  summary:
    'What auditors ask of a period: acts, authority, approvals, refusals, erasures, models, checkpoints',
  tags: ['audit'],
  request: {
    query: z.object({
      since: instant.openapi({ type: 'string', format: 'date-time' }),
      until: instant.openapi({ type: 'string', format: 'date-time' }),
    }),
  },
  responses: answers(typed('CheckpointedReport'), 'the report'),
})

/** What is asked of the record by law. */
export const auditRoutes = ({ machine }: Pick<Portal, 'machine'>) =>
  newApi()
    .openapi(held, async (c) => c.json(await holds(c.get('visit').at.db), 200))
    .openapi(personal, async (c) => {
      const { cursor, limit, contents } = c.req.valid('query')
      const { next, ...page } = await personData(c.get('visit').at.db, {
        person: c.req.valid('param').name,
        skip: numberIn(cursor) ?? 0,
        limit,
        contents: contents === 'true',
      })
      return c.json({ ...page, next: next === null ? null : String(next) }, 200)
    })
    .openapi(reported, async (c) => {
      const within = c.req.valid('query')
      if (within.since >= within.until) throw new TreeosError('INVALID_INPUT', 'since: is not before until')
      const report = await periodReport(c.get('visit').at, within)
      const [newest, cosigned] = [await machine.checkpoint(), await machine.cosigned()]
      const checkpoints = [...(newest === null ? [] : [newest]), ...(cosigned === null ? [] : [cosigned])]
      return c.json({ ...report, checkpoints: checkpoints.map(({ size, note }) => ({ size, note })) }, 200)
    })
