import { z } from '@hono/zod-openapi'
import {
  addresses,
  chart,
  health,
  inspectSpace,
  namespaces,
  ownUse,
  readSignals,
  retrace,
  surroundings,
} from '@treeos/client'
import { parseSpacePath } from '@treeos/core'
import type { Portal } from '../portal.ts'
import { answers, anyJson, newApi, operation, text, typed } from './operation.ts'
import { Budget, Namespace } from './shapes.ts'

const OCCUPANTS_MAX = 200
const ENTRIES_MAX = 2000
/** A list that somebody chooses from shows no more. */
const ADDRESSES_MAX = 50
const place = z.object({ path: text(1024).openapi({ example: '/library' }) })

const tree = operation({
  method: 'get',
  path: '/world',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'world',
  summary: 'The spaces that I may see, at most 2000',
  tags: ['world'],
  responses: answers(typed('Surroundings'), 'the spaces'),
})

const space = operation({
  method: 'get',
  path: '/space',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'space',
  summary: 'One space with a page of who is there',
  tags: ['world'],
  request: { query: place.extend({ after: text(80).optional() }) },
  responses: answers(typed('SpaceView'), 'the space'),
})

const map = operation({
  method: 'get',
  path: '/map',
  'x-caller': 'signed-in',
  'x-work': 'heavy',
  operationId: 'map',
  summary: 'Where things and beings are in a space',
  tags: ['world'],
  request: { query: place },
  responses: answers(typed('Chart'), 'the map'),
})

const search = operation({
  method: 'get',
  path: '/addresses',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'addresses',
  summary: 'The first addresses that hold a text',
  tags: ['world'],
  request: {
    query: z.object({ text: text(1024).default(''), of: z.enum(['beings', 'all']).default('all') }),
  },
  responses: answers(z.array(z.string()), 'at most 50'),
})

const signals = operation({
  method: 'get',
  path: '/signals',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'signals',
  summary: 'World signals, and who publishes them',
  tags: ['world'],
  responses: answers(
    z.object({ namespaces: z.array(Namespace), values: anyJson('nested by namespace and key') }),
    'signals',
  ),
})

const use = operation({
  method: 'get',
  path: '/use',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'use',
  summary: 'What I have used, and my limits',
  tags: ['world'],
  responses: answers(Budget, 'limits and use'),
})

const doing = operation({
  method: 'get',
  path: '/health',
  'x-caller': 'first-operator',
  'x-work': 'heavy',
  operationId: 'health',
  summary: 'How the reality does, for the first operator',
  tags: ['world'],
  responses: answers(typed('HealthView'), 'its health'),
})

const measuring = operation({
  method: 'get',
  path: '/metrics',
  'x-caller': 'first-operator',
  'x-work': 'heavy',
  operationId: 'metrics',
  summary: 'The numbers of the reality in OpenMetrics, for the first operator',
  description: 'A scraper reads the same at `/metrics` of the portal, by the token of TREEOS_SCRAPE_TOKEN.',
  tags: ['world'],
  responses: {
    200: { description: 'metrics', content: { 'application/openmetrics-text': { schema: z.string() } } },
  },
})

const record = operation({
  method: 'get',
  path: '/record',
  'x-caller': 'signed-in',
  'x-work': 'heavy',
  operationId: 'record',
  summary: 'The record of the whole reality as far as I may look back, page by page',
  tags: ['world'],
  request: {
    query: z.object({
      after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
      limit: z.coerce.number().int().min(1).max(ENTRIES_MAX).default(ENTRIES_MAX),
    }),
  },
  responses: answers(typed('PastEntries'), 'one page'),
})

/** What is there, and how it does. */
export const worldRoutes = ({ machine }: Pick<Portal, 'machine'>) =>
  newApi()
    .openapi(tree, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await surroundings(at, being), 200)
    })
    .openapi(space, async (c) => {
      const { at, being } = c.get('visit')
      const { path, after } = c.req.valid('query')
      return c.json(await inspectSpace(at, being, parseSpacePath(path), { after, limit: OCCUPANTS_MAX }), 200)
    })
    .openapi(map, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await chart(at, being, parseSpacePath(c.req.valid('query').path)), 200)
    })
    .openapi(search, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await addresses(at, being, { ...c.req.valid('query'), limit: ADDRESSES_MAX }), 200)
    })
    .openapi(signals, async (c) => {
      const { at } = c.get('visit')
      return c.json({ namespaces: await namespaces(at, null), values: await readSignals(at.db, []) }, 200)
    })
    .openapi(use, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await ownUse(at, being), 200)
    })
    .openapi(doing, async (c) => c.json(await health(c.get('visit').at), 200))
    .openapi(measuring, async (c) => {
      const { contentType, text } = await machine.metrics()
      return c.body(text, 200, { 'content-type': contentType }) as never
    })
    .openapi(record, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await retrace(at, being, c.req.valid('query')), 200)
    })
