/** Files at the doors of the portal: the API, chat clients and agents of others. */
import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Role } from '@a2a-js/sdk'
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import { issueToken, readKeptFile, threadsOf } from '@treeos/client'
import { type BeingName, filesNamed, type Json } from '@treeos/core'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { png } from '../support/files.ts'
import { doAs } from '../support/life.ts'
import { PortalWorld } from '../support/portal.ts'

const PICTURE = png()
const DATA_URL = `data:image/png;base64,${PICTURE.toString('base64')}`

let at: PortalWorld
let ada: Fetch
let bob: Fetch
beforeAll(async () => {
  at = await PortalWorld.start()
  await at.serveAnew({ actsPerMinute: 10_000 })
  ada = await fetchAs('ada')
  bob = await fetchAs('bob')
})
afterAll(() => at?.close())

type Fetch = typeof fetch & { readonly secret: string }
async function fetchAs(being: BeingName): Promise<Fetch> {
  const { secret } = await issueToken({ ...at.world, person: being }, { being, as: being })
  const asBeing: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${secret}`)
    return fetch(typeof input === 'string' && input.startsWith('/') ? at.origin + input : input, {
      ...init,
      headers,
    })
  }
  return Object.assign(asBeing, { secret })
}

const give = async (
  by: Fetch,
  name: string,
  bytes: Buffer | string,
  headers: Record<string, string> = {},
) => {
  const response = await by(`/api/v1/files?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    body: Buffer.from(bytes),
    headers: { 'content-type': 'application/octet-stream', ...headers },
  })
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of an answer
  return { status: response.status, json: (await response.json()) as any }
}
const idOf = (thing: string) => thing.slice('matter:'.length)
/** What was said last to a being. */
async function lastSaid(to: BeingName): Promise<Json> {
  const { content } = await at.world.db
    .selectFrom('inbox')
    .select('content')
    .where('being', '=', to)
    .where('kind', '=', 'summon')
    .orderBy('age', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return JSON.parse(content.toString('utf8')) as Json
}

it('a file is given by its bytes, named by words, and read again as a download that runs nothing', async () => {
  const { json } = await give(ada, "l'été (1).svg", '<svg onload="alert(1)"/>', {
    'content-type': 'image/svg+xml',
  })
  expect(json).toMatchObject({ file: { mediaType: 'image/svg+xml', bytes: 24, name: "l'été (1).svg" } })
  const content = { text: 'Look', files: [json.thing] }
  const body = JSON.stringify({ target: '@kid', content, waitSeconds: 30 })
  const headers = { 'content-type': 'application/json' }
  expect(await (await ada('/api/v1/summon', { method: 'POST', body, headers })).json()).toMatchObject({
    reply: { content },
  })
  const read = await ada(`/api/v1/files/${idOf(json.thing)}`)
  expect(await read.text()).toBe('<svg onload="alert(1)"/>')
  expect(Object.fromEntries(read.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': "attachment; filename*=UTF-8''l%27%C3%A9t%C3%A9%20%281%29.svg",
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
})

it('the page gives a file as it is, and no page of another site does', async () => {
  const seat = await at.sit('ada')
  const giveBy = (headers: Record<string, string>, by: Parameters<typeof at.ask>[0] = seat) =>
    at.ask(by, '/api/v1/files?name=note.txt', {
      method: 'POST',
      body: 'from the page',
      headers: { 'content-type': 'text/plain', ...headers },
    })
  expect(await giveBy({})).toMatchObject({ status: 200, json: { file: { name: 'note.txt', bytes: 13 } } })
  const others: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
  ]
  for (const elsewhere of others)
    expect(await giveBy(elsewhere)).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } })
  expect((await giveBy({ cookie: seat.cookie }, null)).status).toBe(403) // as a form would send it
  const words = { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } }
  expect((await at.ask(seat, '/api/v1/summon', words)).status).toBe(403)
})

it('another person reads neither the bytes nor whether they are there', async () => {
  const { json } = await give(ada, 'a.txt', 'tiger-milk')
  const told = async (path: string) => {
    const response = await bob(path)
    return [response.status, ((await response.json()) as { code: string }).code]
  }
  const hidden = await told(`/api/v1/files/${idOf(json.thing)}`)
  expect(hidden).toEqual(await told(`/api/v1/files/file-${'0'.repeat(32)}`))
  expect(hidden).toEqual([404, 'MATTER_NOT_FOUND'])
  expect((await fetch(`${at.origin}/api/v1/files/${idOf(json.thing)}`)).status).toBe(401)
  expect((await give(bob, 'b.txt', 'x')).json).toMatchObject({ code: 'FORBIDDEN' }) // canDo of bob has no keep-file
  expect(await at.world.owner.selectFrom('file').select('id').where('being', '=', 'bob').execute()).toEqual(
    [],
  )
})

it('the same file under the same key is one thing, and one that is too large is none', async () => {
  const key = { 'idempotency-key': 'once' }
  const [first, again] = [await give(ada, 'a.png', PICTURE, key), await give(ada, 'a.png', PICTURE, key)]
  expect(again.json).toEqual(first.json)
  expect((await give(ada, 'a.png', PICTURE)).json.thing).not.toBe(first.json.thing)
  expect(await give(ada, 'b.txt', Buffer.alloc(5 * 1024 * 1024 + 1, 'a'))).toMatchObject({
    status: 413,
    json: { code: 'PAYLOAD_TOO_LARGE' },
  })
  expect((await give(ada, 'b.txt', Buffer.alloc(5 * 1024 * 1024, 'a'))).status).toBe(200)
})

it('a file that is not read to its end keeps the room that it took', async () => {
  const { json } = await give(ada, 'long.txt', Buffer.alloc(5 * 1024 * 1024, 'b'))
  const path = `/api/v1/files/${idOf(json.thing)}`
  const slow = await Promise.all(
    Array.from({ length: 12 }, () => {
      const headers = { authorization: `Bearer ${ada.secret}` }
      const asked = request(at.origin + path, { agent: false, headers }).end()
      return once(asked, 'response').then(() => asked)
    }),
  )
  let isAnswered = false
  const next = ada('/api/v1/token').then(({ status }) => {
    isAnswered = true
    return status
  })
  await sleep(500)
  expect(isAnswered).toBe(false)
  for (const asked of slow) asked.destroy()
  expect(await next).toBe(200)
})

it('a chat client gives pictures and files with its words, and its conversation goes on in the same thread', async () => {
  const client = new OpenAI({ apiKey: ada.secret, baseURL: `${at.origin}/v1`, maxRetries: 0 })
  const file = Buffer.from('a,b').toString('base64')
  const first = {
    role: 'user' as const,
    content: [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image_url' as const, image_url: { url: DATA_URL } },
      { type: 'file' as const, file: { filename: 'x.csv', file_data: `data:text/csv;base64,${file}` } },
    ],
  }
  const told = await client.chat.completions.create({ model: '@kid', messages: [first] })
  expect(told.choices[0]?.message.content).toBe('What is this?')
  const said = await lastSaid('kid')
  const [picture = '', table = ''] = filesNamed(said)
  expect((await readKeptFile(at.world, 'operator', picture)).bytes).toEqual(PICTURE)
  expect((await readKeptFile(at.world, 'operator', table)).file).toMatchObject({
    name: 'x.csv',
    mediaType: 'text/csv',
  })
  const threadOf = (answer: unknown) => (answer as { treeos: { thread: string } }).treeos.thread
  const next = await client.chat.completions.create({
    model: '@kid',
    messages: [first, { role: 'assistant', content: 'What is this?' }, { role: 'user', content: 'And now?' }],
  })
  expect(threadOf(next)).toBe(threadOf(told))
  const refused = (url: string) =>
    client.chat.completions.create({
      model: '@kid',
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    })
  for (const url of ['https://example.org/cat.png', 'file:///etc/passwd', 'data:image/png,abc'])
    await expect(refused(url)).rejects.toMatchObject({ status: 400, code: 'INVALID_INPUT' })
  expect(
    (await threadsOf({ ...at.world, person: 'ada' }, 'ada', { last: 100, all: true })).threads.length,
  ).toBeGreaterThan(0)
})

it('an agent of others gives a file as a part of its message, and none by an address', async () => {
  await doAs(at.world, 'set-being', '@kid', { field: 'a2a.public', value: true })
  await doAs(at.world, 'set-being', '@kid', { field: 'a2a.description', value: 'Says what it hears.' })
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl: ada })],
  })
  const client = await new ClientFactory(options).createFromUrl(at.origin)
  const send = (...parts: object[]) =>
    client.sendMessage({
      tenant: '',
      message: {
        ...{ messageId: `m${Math.random()}`, contextId: '', taskId: '', role: Role.ROLE_USER },
        ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
        parts: parts.map((part) => ({ metadata: undefined, filename: '', mediaType: '', ...part })) as never,
      },
      configuration: undefined,
      metadata: undefined,
    })
  await send(
    { content: { $case: 'text', value: 'This one' } },
    { content: { $case: 'raw', value: PICTURE }, filename: 'cat.png', mediaType: 'image/png' },
  )
  const said = await lastSaid('kid')
  expect(said).toMatchObject({ text: 'This one' })
  const [id = ''] = filesNamed(said)
  expect(await readKeptFile(at.world, 'operator', id)).toMatchObject({
    file: { name: 'cat.png', mediaType: 'image/png' },
    bytes: PICTURE,
  })
  await expect(send({ content: { $case: 'url', value: 'https://example.org/cat.png' } })).rejects.toThrow(
    'fetches no files',
  )
})
