import { z } from '@hono/zod-openapi'
import { search } from '@treeos/client'
import { answers, newApi, operation, text, typed } from './operation.ts'

const TEXT_MAX = 200
const FOUND = 8
const FOUND_MAX = 50

const searching = operation({
  method: 'get',
  path: '/search',
  'x-caller': 'signed-in',
  'x-work': 'search',
  operationId: 'search',
  summary: 'What I may read that holds some words',
  description:
    'Beings, spaces and roles by name. What was said and done: all of the words, in any order, in the newest 10,000 moments of those whose past is open to me. Words shorter than three letters are looked for among names alone.',
  tags: ['world'],
  request: {
    query: z.object({
      text: text(TEXT_MAX).min(1).openapi({ example: 'refund 4711' }),
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(FOUND_MAX)
        .default(FOUND)
        .openapi({ description: 'of each list' }),
    }),
  },
  responses: answers(typed('SearchResult'), 'what holds the words'),
})

export const searchRoutes = () =>
  newApi().openapi(searching, async (c) => {
    const { at, being } = c.get('visit')
    return c.json(await search(at, being, { ...c.req.valid('query'), signal: c.req.raw.signal }), 200)
  })
