import { randomUUID } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import {
  contentText,
  findKeyed,
  findThreadOf,
  livedMoments,
  pastsOpenTo,
  refusalOf,
  type SummonRequest,
  speakable,
  summon,
  takesChatTasks,
} from '@treeos/client'
import { TreeosError } from '@treeos/core'
import type { Context } from 'hono'
import { answers, anyObject, body, idempotency, newApi, operation, text } from '../api/operation.ts'
import { streamEvents } from '../edge/event-stream.ts'
import { toldByApi } from '../edge/remedies.ts'
import type { Env, Portal, Visit } from '../portal.ts'
import { type ChatAnswer, chatError, chunkOf, completionOf, usageChunkOf } from './answer.ts'
import { answerClientTask } from './client-task.ts'
import { Repeats } from './repeats.ts'
import { type Chat, chatRequest, readChat } from './request.ts'

const WAIT_SECONDS = 300
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

const one = operation({
  method: 'get',
  path: '/models/{model}',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'model',
  summary: 'One of the beings that I may speak to, as a model',
  tags: ['chat'],
  request: { params: z.object({ model: text(200).min(1).openapi({ example: '@solomon' }) }) },
  responses: answers(Model, 'the being'),
})

const completing = operation({
  method: 'post',
  path: '/chat/completions',
  'x-caller': 'signed-in',
  'x-work': 'chat',
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
export const chatRoutes = ({ listener, onError }: Pick<Portal, 'listener' | 'onError'>) => {
  const repeats = new Repeats()
  return newApi()
    .openapi(listing, async (c) => {
      const { at, being } = c.get('visit')
      const data = (await speakable(at, being)).map(({ stance }) => modelOf(stance))
      return c.json({ object: 'list' as const, data }, 200)
    })
    .openapi(one, async (c) => {
      const { at, being } = c.get('visit')
      const { model } = c.req.valid('param')
      const stance = model.startsWith('@') ? model : `@${model}`
      if ((await speakable(at, being)).some((other) => other.stance === stance))
        return c.json(modelOf(stance), 200)
      throw new TreeosError('BEING_NOT_FOUND', `${stance} is none of the beings that you may speak to`)
    })
    .openapi(completing, async (c) => {
      const visit = c.get('visit')
      const request = c.req.valid('json')
      const { model } = request
      const hasUsage = request.stream_options?.include_usage === true
      const chat = readChat(request)
      const task = answerClientTask(request)
      if (task !== null && !(await takesChatTasks(visit.at, chat.being))) {
        const told = { correlation: randomUUID(), words: task, thread: null, moment: null, tokens: 0 }
        if (request.stream !== true) return c.json(completionOf(model, told), 200)
        return streamAnswer(c, { model, hasUsage }, async () => told, onError)
      }
      const isAgain = Number(c.req.header(AGAIN) ?? 0) > 0
      const key = c.req.valid('header')['idempotency-key'] ?? repeats.keyOf(visit.being, request, isAgain)
      const signal = c.get('signal')
      await c.get('turn').toWait()
      if (request.stream === true)
        return streamAnswer(
          c,
          { model, hasUsage },
          (onSent, heard) => say(visit, chat, { key, signal }, { onSent, words: { listener, heard } }),
          onError,
        )
      return c.json(completionOf(model, await say(visit, chat, { key, signal })), 200)
    })
}

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
  { being: target, content, files, before, thread: named }: Chat,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
  streaming?: ChatStreaming,
): Promise<ChatAnswer> {
  const at = { ...here, isProgram: true as const }
  const thread = named ?? (await threadFor({ at, as, target, before }, key))
  const sent = {
    target,
    content,
    files,
    thread,
    as,
    waitSeconds: WAIT_SECONDS,
    requireReply: true,
    key,
    signal,
  }
  const { correlation, reply, moment } = await summon(at, {
    ...sent,
    ...streaming,
  })
  const n = moment?.n ?? null
  const isOpen = n !== null && (await pastsOpenTo(at, as)(target))
  const [lived] = isOpen ? await livedMoments(at.db, target, 1, n + 1) : []
  const words = contentText(reply?.content ?? '')
  return { correlation, words, thread: thread ?? correlation, moment: n, tokens: lived?.cost?.tokens ?? 0 }
}

/** What of an answer was not streamed. */
const restOf = (answer: string, streamed: string): string =>
  answer.trimStart().startsWith(streamed) ? answer.trimStart().slice(streamed.length) : `\n\n${answer}`

type ChatStreaming = Pick<SummonRequest, 'onSent' | 'words'>

/**
 * Streams an answer: the plain words of a model while it writes them, the rest at the end. Comments show
 * until then that the being is at work. What it wrote counts once its decision is recorded: where the answer
 * is another one, that one comes whole after the words.
 */
function streamAnswer(
  c: Context<Env>,
  { model, hasUsage }: { readonly model: string; readonly hasUsage: boolean },
  say: (onSent: (correlation: string) => void, heard: (words: string) => void) => Promise<ChatAnswer>,
  onError: Portal['onError'],
): Response {
  return streamEvents(c, async (send) => {
    const write = (data: object) => send({ data })
    let [sent, streamed] = ['', '']
    const tell = (delta: object) => void write(chunkOf(model, sent, delta)).catch(() => undefined)
    try {
      const said = await say(
        (correlation) => {
          sent = correlation
          tell({ role: 'assistant', content: '' })
        },
        (words) => {
          streamed += words
          tell({ content: words })
        },
      )
      await write(chunkOf(model, said.correlation, { content: restOf(said.words, streamed) }))
      await write(chunkOf(model, said.correlation, null))
      if (hasUsage) await write(usageChunkOf(model, said))
    } catch (error) {
      if (!(error instanceof TreeosError)) onError('chat', error)
      await write(chatError(toldByApi(refusalOf(error))))
    }
    await send({ data: '[DONE]' })
  })
}
