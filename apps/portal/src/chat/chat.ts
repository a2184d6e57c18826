import { z } from '@hono/zod-openapi'
import {
  contentText,
  findKeyed,
  findThreadOf,
  refusalOf,
  type SummonResult,
  speakable,
  summon,
} from '@treeos/client'
import { TreeosError } from '@treeos/core'
import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import { answers, anyObject, body, idempotency, newApi, operation } from '../api/operation.ts'
import { toldByApi } from '../edge/remedies.ts'
import type { Env, Portal, Visit } from '../portal.ts'
import { chatError, chunkOf, completionOf } from './answer.ts'
import { Repeats } from './repeats.ts'
import { type Chat, chatRequest, readChat } from './request.ts'

const WAIT_SECONDS = 300
/** A proxy ends a stream on which nothing comes. */
const BEAT_MS = 10_000
/** How the clients of OpenAI say that they send a request again. */
const AGAIN = 'x-stainless-retry-count'

const Model = z.object({
  id: z.string().openapi({ example: '@solomon' }),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
})

const listing = operation({
  method: 'get',
  path: '/models',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'models',
  summary: 'The beings that I may speak to, as models',
  tags: ['chat'],
  responses: answers(z.object({ object: z.literal('list'), data: z.array(Model) }), 'beings'),
})

const completing = operation({
  method: 'post',
  path: '/chat/completions',
  'x-caller': 'signed-in',
  'x-work': 'wait',
  operationId: 'chatCompletion',
  summary: 'Speak to a being, and get its answer',
  tags: ['chat'],
  request: { headers: idempotency, body: body(chatRequest) },
  responses: {
    200: {
      description: 'what the being answered, whole or as a stream',
      content: {
        'application/json': { schema: anyObject<ReturnType<typeof completionOf>>('a completion') },
        'text/event-stream': { schema: z.string() },
      },
    },
  },
})

const modelOf = (stance: string) => ({ id: stance, object: 'model' as const, created: 0, owned_by: 'treeos' })

/**
 * Beings for chat clients that speak to the API of OpenAI: a being is a model, and a conversation is a
 * thread.
 */
export const chatRoutes = ({ onError }: Pick<Portal, 'onError'>) => {
  const repeats = new Repeats()
  return newApi()
    .openapi(listing, async (c) => {
      const { at, being } = c.get('visit')
      const data = (await speakable(at, being)).map(({ stance }) => modelOf(stance))
      return c.json({ object: 'list' as const, data }, 200)
    })
    .openapi(completing, async (c) => {
      const visit = c.get('visit')
      const request = c.req.valid('json')
      const chat = readChat(request)
      const isAgain = Number(c.req.header(AGAIN) ?? 0) > 0
      const key = c.req.valid('header')['idempotency-key'] ?? repeats.keyOf(visit.being, request, isAgain)
      const signal = c.get('signal')
      await c.get('turn').toWait()
      const model = request.model
      if (request.stream === true)
        return streamAnswer(c, model, (onSent) => say(visit, chat, { key, signal }, onSent), onError)
      const said = await say(visit, chat, { key, signal })
      return c.json(completionOf(model, said, said.thread), 200)
    })
}

type ChatAnswer = SummonResult & { readonly thread: string }

/**
 * The thread that a conversation goes on in: that of the request which is sent again, else the one in which
 * all of it was said.
 */
async function threadFor({ at, as, target: being, before }: Talk, key: string): Promise<string | undefined> {
  const earlier = (await findKeyed(at, { as, key }))?.call
  if (earlier?.verb === 'summon') return earlier.thread ?? undefined
  if (before === null) return undefined
  return (await findThreadOf(at, { as, being, said: before })) ?? undefined
}

interface Talk extends Pick<Chat, 'before'>, Pick<Visit, 'at'> {
  readonly as: string
  readonly target: string
}

/** @throws {TreeosError} what `summon` throws; NO_ANSWER for an end without a reply */
async function say(
  { at: here, being: as }: Visit,
  { being: target, content, before, thread: named }: Chat,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
  onSent?: (correlation: string) => void,
): Promise<ChatAnswer> {
  const at = { ...here, isProgram: true as const }
  const thread = named ?? (await threadFor({ at, as, target, before }, key))
  const sent = {
    target,
    content,
    thread,
    as,
    waitSeconds: WAIT_SECONDS,
    requireReply: true,
    key,
    signal,
  }
  const said = await summon(at, { ...sent, ...(onSent === undefined ? {} : { onSent }) })
  return { ...said, thread: thread ?? said.correlation }
}

/**
 * Streams an answer. What a model writes before its decision is recorded is not an answer yet, so the whole
 * of it comes at the end, and comments show until then that the being is at work.
 */
function streamAnswer(
  c: Context<Env>,
  model: string,
  say: (onSent: (correlation: string) => void) => Promise<ChatAnswer>,
  onError: Portal['onError'],
): Response {
  c.header('x-accel-buffering', 'no')
  const endTurn = c.get('turn').keep()
  return streamSSE(c, async (stream) => {
    const write = (data: object) => stream.writeSSE({ data: JSON.stringify(data) })
    const beating = setInterval(() => void stream.write(': waits\n\n').catch(() => undefined), BEAT_MS)
    try {
      const said = await say((correlation) => {
        write(chunkOf(model, correlation, { role: 'assistant', content: '' })).catch(() => undefined)
      })
      const words = contentText(said.reply?.content ?? '')
      await write(chunkOf(model, said.correlation, { content: words }))
      await write(chunkOf(model, said.correlation, null))
    } catch (error) {
      if (!(error instanceof TreeosError)) onError('chat', error)
      await write(chatError(toldByApi(refusalOf(error))))
    } finally {
      clearInterval(beating)
      endTurn()
    }
    await stream.writeSSE({ data: '[DONE]' })
  })
}
