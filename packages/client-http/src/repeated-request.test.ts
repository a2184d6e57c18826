import { expect, it } from 'vitest'
import { newKey, repeating } from './repeated-request.ts'

const lost = () => Promise.reject(new TypeError('fetch failed'))
const answered = (status: number) => Promise.resolve(new Response('{}', { status }))

const tried = async (request: Request, answers: (() => Promise<Response>)[]) => {
  let count = 0
  const ask = repeating(async () => {
    count += 1
    return (answers.shift() ?? lost)()
  })
  const ended = await ask(request).then(
    ({ status }) => status,
    (error: Error) => error.message,
  )
  return { count, ended }
}
const get = () => new Request('http://localhost/x')
const post = (headers: Record<string, string> = {}) =>
  new Request('http://localhost/x', { method: 'POST', body: '{}', headers })

it('a request that reads, or brings a key, is sent again after a lost connection, three times at most', async () => {
  const keyed = post({ 'idempotency-key': 'a' })
  for (const request of [get(), keyed])
    expect(await tried(request, [lost, () => answered(200)])).toEqual({ count: 2, ended: 200 })
  expect(await tried(get(), [])).toEqual({ count: 3, ended: 'fetch failed' })
  expect(await tried(get(), [() => answered(503), () => answered(200)])).toEqual({ count: 2, ended: 200 })
})

it('any other is sent once, and a refusal is an answer', async () => {
  expect(await tried(post(), [])).toEqual({ count: 1, ended: 'fetch failed' })
  expect(await tried(get(), [() => answered(403)])).toEqual({ count: 1, ended: 403 })
})

it('a key is new each time', () => {
  expect(newKey()).toMatch(/^[0-9a-f]{32}$/)
  expect(newKey()).not.toBe(newKey())
})
