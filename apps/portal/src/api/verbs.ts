import { z } from '@hono/zod-openapi'
import {
  act,
  describeSelf,
  erasing as erasingCall,
  listOperations,
  reach,
  refusalOf,
  type SummonRequest,
  see,
  summon,
  withSuggestion,
} from '@treeos/client'
import {
  isJsonObject,
  type Json,
  type JsonObject,
  parseCall,
  parseStance,
  TreeosError,
  withOwnNames,
} from '@treeos/core'
import type { Context } from 'hono'
import { streamEvents } from '../edge/event-stream.ts'
import { toldByApi } from '../edge/remedies.ts'
import type { Env, Portal } from '../portal.ts'
import { answers, body, content, id, idempotency, newApi, operation, text, typed } from './operation.ts'
import { problemOf } from './problem.ts'
import { Act, Descriptor, Operation, priority, Self, Summoned } from './shapes.ts'

const WAIT_SECONDS_MAX = 300
const OVERLAY_MAX = 64 * 1024
const address = text(1024).min(1)

export const outside = z.boolean().optional().openapi({
  description:
    'true where these are words of others: of a page, a message, an agent. What a program says always is',
})

export const waitSeconds = z
  .number()
  .min(0)
  .max(WAIT_SECONDS_MAX)
  .optional()
  .openapi({ description: 'how long to wait for the answer; left out, it comes to the inbox' })

const seeing = operation({
  method: 'get',
  path: '/see',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'see',
  summary: 'Read an address as the being',
  tags: ['verbs'],
  request: { query: z.object({ address }) },
  responses: answers(Descriptor, 'what is there, as far as the being may see it'),
})

/**
 * What a schema of a call takes, with its fields under any of their names. The description of the API tells
 * one.
 */
const named = <const S extends z.ZodType>(verb: 'do' | 'be', schema: S) =>
  z.preprocess((said) => (isJsonObject(said as Json) ? withOwnNames(verb, said as JsonObject) : said), schema)

const doing = operation({
  method: 'post',
  path: '/do',
  'x-caller': 'signed-in',
  'x-work': 'act',
  operationId: 'do',
  summary: 'Call an operation on a target',
  tags: ['verbs'],
  request: {
    headers: idempotency,
    body: body(
      named(
        'do',
        z.strictObject({
          target: address.optional().openapi({ description: 'left out: yourself, or where you are' }),
          operation: text(200).min(1),
          args: z.record(z.string(), z.unknown()).optional(),
          outside,
        }),
      ),
    ),
  },
  responses: answers(Act, 'what came of it'),
})

const being = operation({
  method: 'post',
  path: '/be',
  'x-caller': 'signed-in',
  'x-work': 'act',
  operationId: 'be',
  summary: 'Call an operation of identity, such as birth',
  tags: ['verbs'],
  request: {
    headers: idempotency,
    body: body(
      named(
        'be',
        z.strictObject({
          operation: text(200).min(1),
          args: z.record(z.string(), z.unknown()).optional(),
          outside,
        }),
      ),
    ),
  },
  responses: answers(Act, 'what came of it'),
})

export const requireReply = z
  .boolean()
  .optional()
  .openapi({ description: 'with `waitSeconds`: an end without an answer is the refusal NO_ANSWER' })

const Summons = z.strictObject({
  target: text(200).min(1).optional().openapi({ example: '@solomon' }),
  content,
  thread: id.optional().openapi({ description: 'the id of a thread that it continues' }),
  channel: text(256).min(1).optional(),
  priority: priority.optional(),
  role: text(80).min(1).optional(),
  expectReply: z.boolean().optional(),
  requireReply,
  overlay: text(OVERLAY_MAX).optional(),
  outside,
  waitSeconds,
})

const summoning = operation({
  method: 'post',
  path: '/summon',
  'x-caller': 'signed-in',
  'x-work': 'wait',
  operationId: 'summon',
  summary: 'Speak to a being, and wait for its answer',
  description: 'Answers as soon as the summon is sent, or with `waitSeconds` when the being has answered..',
  tags: ['verbs'],
  request: { headers: idempotency, body: body(Summons) },
  responses: answers(Summoned, 'the summon, and with `waitSeconds` what came of it'),
})

const streaming = operation({
  method: 'post',
  path: '/summon/stream',
  'x-caller': 'signed-in',
  'x-work': 'wait',
  operationId: 'summonStream',
  summary: 'Speak to a being, and hear its answer as it is written',
  description:
    'Server-sent events: `sent` with the correlation, `words` with the `text` that its model writes, then `answer` as `summon` gives it, or `problem`. ' +
    'The answer counts: a model that answers by a tool writes no words, and after a refusal the answer may be another one. ' +
    'A comment each 10 s shows that the stream lives.',
  tags: ['verbs'],
  request: { headers: idempotency, body: body(Summons) },
  responses: { 200: { description: 'events', content: { 'text/event-stream': { schema: z.string() } } } },
})

const erasing = operation({
  method: 'post',
  path: '/erase',
  'x-caller': 'signed-in',
  'x-work': 'act',
  operationId: 'erase',
  summary: 'Erase what a fact says, or what a moment decided',
  tags: ['verbs'],
  request: {
    headers: idempotency,
    body: body(
      z.strictObject({
        what: text(300).min(1).openapi({
          description: 'a fact by its hash or as REEL#SEQ, or a moment by its id',
          example: 'ann/1/3',
        }),
        why: text(2000).min(1),
      }),
    ),
  },
  responses: answers(Act, 'what came of it'),
})

const operations = operation({
  method: 'get',
  path: '/operations',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'operations',
  summary: 'All operations and their arguments; `reach` has those in reach',
  tags: ['verbs'],
  responses: answers(z.array(Operation).readonly(), 'operations of DO and BE'),
})

const myself = operation({
  method: 'get',
  path: '/me',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'me',
  summary: 'Who I am now, and what I may reach',
  tags: ['verbs'],
  responses: answers(Self, 'the being as which requests act'),
})

const reaching = operation({
  method: 'get',
  path: '/reach',
  'x-caller': 'signed-in',
  'x-work': 'heavy',
  operationId: 'reach',
  summary: 'The operations in reach, with their arguments',
  tags: ['verbs'],
  responses: answers(typed('ReachView'), 'operations of DO and BE'),
})

/** What a request says to whom. */
function summonOf(
  c: Context<Env>,
  { target, overlay, waitSeconds, ...said }: z.output<typeof Summons>,
  key: string | undefined,
): SummonRequest {
  const { being: as } = c.get('visit')
  return {
    ...said,
    ...(overlay === undefined ? {} : { overlay: { content: overlay } }),
    target: target === undefined ? as : parseStance(target),
    as,
    waitSeconds: waitSeconds ?? null,
    key,
    signal: c.get('signal'),
  }
}

/** The four verbs, and who acts. */
export const verbRoutes = ({ listener, onError }: Pick<Portal, 'listener' | 'onError'>) =>
  newApi()
    .openapi(seeing, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await see(at, being, c.req.valid('query').address), 200)
    })
    .openapi(doing, async (c) => {
      const { at, being } = c.get('visit')
      const { outside, ...said } = c.req.valid('json')
      const call = parseCall({ verb: 'do', ...said })
      const key = c.req.valid('header')['idempotency-key']
      return c.json(await act(at, being, call, undefined, key, outside), 200)
    })
    .openapi(being, async (c) => {
      const { at, being } = c.get('visit')
      const { outside, ...said } = c.req.valid('json')
      const call = parseCall({ verb: 'be', ...said })
      const key = c.req.valid('header')['idempotency-key']
      return c.json(await act(at, being, call, undefined, key, outside), 200)
    })
    .openapi(summoning, async (c) => {
      const { waitSeconds = null } = c.req.valid('json')
      if (waitSeconds !== null) await c.get('turn').toWait()
      const key = c.req.valid('header')['idempotency-key']
      return c.json(await summon(c.get('visit').at, summonOf(c, c.req.valid('json'), key)), 200)
    })
    .openapi(streaming, async (c) => {
      const { waitSeconds = WAIT_SECONDS_MAX, ...said } = c.req.valid('json')
      const key = c.req.valid('header')['idempotency-key']
      const { at, being } = c.get('visit')
      await c.get('turn').toWait()
      return streamEvents(c, async (send) => {
        const tell = (event: string, data: object) => void send({ event, data }).catch(() => undefined)
        try {
          const summoned = await summon(at, {
            ...summonOf(c, { ...said, waitSeconds }, key),
            onSent: (correlation) => tell('sent', { correlation }),
            words: { listener, heard: (words) => tell('words', { text: words }) },
          })
          await send({ event: 'answer', data: summoned })
        } catch (error) {
          if (!(error instanceof TreeosError)) onError('summon', error)
          const refusal = toldByApi(refusalOf(await withSuggestion(at, being, error)))
          await send({ event: 'problem', data: problemOf(refusal) })
        }
      })
    })
    .openapi(erasing, async (c) => {
      const { at, being } = c.get('visit')
      const { what, why } = c.req.valid('json')
      const key = c.req.valid('header')['idempotency-key']
      return c.json(await act(at, being, await erasingCall(at.db, what, why), undefined, key), 200)
    })
    .openapi(operations, (c) => c.json(listOperations(c.get('visit').at.registry), 200))
    .openapi(myself, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await describeSelf(at, being), 200)
    })
    .openapi(reaching, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await reach(at, being), 200)
    })
