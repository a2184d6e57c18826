/** Beings for chat clients: the `openai` library speaks to a being as if it were a model. */
import { issueToken, moments, threadsOf } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { doAs, setRole } from '../support/life.ts'
import { PortalWorld, send } from '../support/portal.ts'

let at: PortalWorld
let ada: OpenAI
let bob: OpenAI
beforeAll(async () => {
  at = await PortalWorld.start()
  ada = await clientOf('ada')
  bob = await clientOf('bob')
})
afterAll(() => at?.close())

async function clientOf(being: BeingName): Promise<OpenAI> {
  const { secret } = await issueToken({ ...at.world, person: being }, { being, as: being })
  return new OpenAI({ apiKey: secret, baseURL: `${at.origin}/v1`, maxRetries: 0 })
}

const user = (content: string) => ({ role: 'user', content }) as const
const assistant = (content: string) => ({ role: 'assistant', content }) as const

it('the beings that one may speak to are models', async () => {
  const idsOf = async (client: OpenAI) => (await client.models.list()).data.map(({ id }) => id)
  expect(await idsOf(ada)).toEqual(expect.arrayContaining(['@echo', '@kid']))
  expect(await idsOf(bob)).toEqual(['@operator']) // its list names one
})

it('a customer is shown whom its list names, though it may see nobody', async () => {
  const customer = { name: 'customer', canSummon: ['@kid', '@gone'], prompt: 'You buy lamps.' }
  await setRole(at.world, customer)
  await at.world.birth({ name: 'dora', cognition: 'human', role: 'customer' })
  const dora = await clientOf('dora')
  expect((await dora.models.list()).data.map(({ id }) => id)).toEqual(['@kid'])
  const told = await dora.chat.completions.create({ model: '@kid', messages: [user('hello')] })
  expect(told.choices[0]?.message.content).toBe('hello')
})

it('a being answers, whole or as a stream', async () => {
  const asked = {
    model: '@kid',
    messages: [{ role: 'system', content: 'Be brief.' } as const, user('hello')],
  }
  const whole = await ada.chat.completions.create(asked)
  expect(whole).toMatchObject({
    object: 'chat.completion',
    model: '@kid',
    choices: [{ message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  })
  const streamed = await ada.chat.completions.create({ ...asked, stream: true })
  let words = ''
  const ends: unknown[] = []
  for await (const { choices } of streamed) {
    words += choices[0]?.delta.content ?? ''
    if (choices[0]?.finish_reason != null) ends.push(choices[0].finish_reason)
  }
  expect([words, ends]).toEqual(['hello', ['stop']])
})

it('a conversation that is sent again whole goes on in its thread; others do not', async () => {
  const asAda = { ...at.world, person: 'ada' }
  // Each act is a thread of its person alone, until it speaks to somebody.
  const threads = async () =>
    (await threadsOf(asAda, 'ada', { last: 100, all: true })).threads.filter(
      ({ participants }) => participants.length > 1,
    ).length
  const ask = async (...messages: (ReturnType<typeof user> | ReturnType<typeof assistant>)[]) => {
    const told = await ada.chat.completions.create({ model: '@kid', messages })
    return (told as unknown as { treeos: { thread: string } }).treeos.thread
  }
  const first = await ask(user('one'))
  const other = await ask(user('one'))
  const before = await threads()
  expect(other).not.toBe(first)
  const second = await ask(user('one'), assistant('one'), user('two'))
  expect([first, other]).toContain(second)
  expect(await ask(user('one'), assistant('one'), user('two'), assistant('two'), user('three'))).toBe(second)
  expect(await threads()).toBe(before)
  // What was never said here begins a thread.
  expect(await ask(user('one'), assistant('uno'), user('two'))).not.toBe(second)
})

it('a conversation goes on in its thread though its client left out, trimmed or added something', async () => {
  const ask = async (...messages: OpenAI.ChatCompletionMessageParam[]) => {
    const told = await ada.chat.completions.create({ model: '@kid', messages })
    return (told as unknown as { treeos: { thread: string } }).treeos.thread
  }
  const first = await ask(user('red lamp\n'))
  const whole = [user('red lamp'), assistant('red lamp')]
  expect(await ask(...whole, user('blue lamp'))).toBe(first)
  const cut = [user('blue lamp'), assistant(' blue lamp')]
  expect(await ask(...cut, user('green lamp'), { role: 'system', content: 'Be brief.' })).toBe(first)
  const picture: OpenAI.ChatCompletionContentPart = {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${'A'.repeat(2 ** 20)}` },
  }
  const seen: OpenAI.ChatCompletionMessageParam = {
    role: 'user',
    content: [{ type: 'text', text: 'green lamp' }, picture],
  }
  expect(await ask(seen, assistant('green lamp'), user('white lamp'))).toBe(first)
  await expect(ask(seen)).rejects.toMatchObject({ status: 400, code: 'INVALID_INPUT' })
})

it('what a client asks for its own use wakes a being only if it wants that', async () => {
  const title = {
    model: '@kid',
    messages: [
      user('### Task:\nGenerate a concise title.\n<chat_history>\nUSER: My lamp is broken\n</chat_history>'),
    ],
  }
  const lived = async () => (await moments(at.world.db, 'kid')).length
  const before = await lived()
  const told = await ada.chat.completions.create(title)
  expect(told.choices[0]?.message.content).toBe('{"title":"My lamp is broken"}')
  expect(await lived()).toBe(before)
  await doAs(at.world, 'set-being', '@kid', { field: 'chat.tasks', value: true })
  await ada.chat.completions.create(title)
  expect(await lived()).toBe(before + 1)
  await doAs(at.world, 'set-being', '@kid', { field: 'chat.tasks', value: null })
})

it('one model is asked for by its name, with the usage of a stream, and other APIs are refused by name', async () => {
  expect(await ada.models.retrieve('@kid')).toMatchObject({ id: '@kid', object: 'model' })
  await expect(bob.models.retrieve('@kid')).rejects.toMatchObject({ status: 404, code: 'BEING_NOT_FOUND' })
  const streamed = await ada.chat.completions.create({
    model: '@kid',
    messages: [user('hello')],
    stream: true,
    stream_options: { include_usage: true },
  })
  let last: OpenAI.ChatCompletionChunk | undefined
  for await (const chunk of streamed) last = chunk
  expect(last).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } })
  await expect(ada.responses.create({ model: '@kid', input: 'hello' })).rejects.toMatchObject({
    status: 404,
    code: 'ACTION_NOT_SUPPORTED',
    message: expect.stringContaining('/v1/chat/completions'),
  })
})

it('pages of origins that the operator named may call it, others may not', async () => {
  await at.serveAnew({ origins: ['https://chat.example.org'] })
  const from = (origin: string) =>
    send(at.origin, '/v1/models', {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      },
    })
  const named = await from('https://chat.example.org')
  expect(named.headers).toMatchObject({
    'access-control-allow-origin': 'https://chat.example.org',
    'access-control-allow-headers': 'authorization',
  })
  expect(named.headers['access-control-allow-credentials']).toBeUndefined()
  const other = await from('https://evil.example.org')
  expect(other.headers['access-control-allow-origin']).toBeUndefined()
  // Cookies never count for another origin.
  const cookie = await send(at.origin, '/api/v1/see?address=/', {
    headers: { origin: 'https://chat.example.org' },
  })
  expect(cookie.status).toBe(403)
})

it('a request that its client sends again does not speak twice', async () => {
  const before = (await moments(at.world.db, 'kid')).length
  const again = (count: number) =>
    ada.chat.completions.create(
      { model: '@kid', messages: [user('only once')] },
      { headers: { 'x-stainless-retry-count': String(count) } },
    )
  const [one, two] = [await again(0), await again(1)]
  expect(two.id).toBe(one.id)
  expect((await moments(at.world.db, 'kid')).length).toBe(before + 1)
  // A retry in a conversation that went on: the first try has added its words to the thread.
  const messages = [user('only once'), assistant('only once'), user('and again')]
  const goOn = (count: number) =>
    ada.chat.completions.create(
      { model: '@kid', messages },
      { headers: { 'x-stainless-retry-count': String(count) } },
    )
  const [first, second] = [await goOn(0), await goOn(1)]
  expect(second.id).toBe(first.id)
})

it('refusals come as the errors of the library, with our codes', async () => {
  const ask = (client: OpenAI, model: string, more: object = {}) =>
    client.chat.completions.create({ model, messages: [user('hello')], ...more })
  await expect(ask(bob, '@kid')).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' })
  await expect(ask(ada, '@nobody')).rejects.toMatchObject({ status: 404, code: 'BEING_NOT_FOUND' })
  await expect(ask(ada, 'no being')).rejects.toMatchObject({ status: 400, code: 'ADDRESS_PARSE_ERROR' })
  await expect(ask(ada, '@kid', { n: 2 })).rejects.toMatchObject({ status: 400, code: 'INVALID_INPUT' })
  await expect(
    ask(ada, '@kid', { tools: [{ type: 'function', function: { name: 'f' } }] }),
  ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('tools of its roles') })
  const stranger = new OpenAI({ apiKey: 'wrong', baseURL: `${at.origin}/v1`, maxRetries: 0 })
  await expect(ask(stranger, '@kid')).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
  const streamed = async () => {
    const stream = await bob.chat.completions.create({ model: '@kid', messages: [user('x')], stream: true })
    for await (const { choices } of stream) expect(choices[0]?.delta.content).toBe('')
  }
  await expect(streamed()).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect((await send(at.origin, '/v1/nothing')).status).toBe(401)
  expect(at.errors).toEqual([])
})
