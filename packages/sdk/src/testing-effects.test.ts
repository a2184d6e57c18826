import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineExtension, defineOperation, TreeosError } from './index.ts'
import { being, fakeFetch, performEffect } from './testing.ts'

const post = defineExtension({
  name: 'post',
  version: '1.0.0',
  operations: [
    defineOperation({
      name: 'post:price',
      description: 'Asks what a parcel costs.',
      on: 'being',
      allow: ['self'],
      args: z.object({ grams: z.number().int().min(1).describe('its weight') }),
      effect: {
        timeoutSeconds: 5,
        attempts: 2,
        async perform({ args, fetch, key }) {
          const answer = await fetch('https://post.example/price', {
            method: 'POST',
            headers: { 'idempotency-key': key },
            body: JSON.stringify(args),
          })
          if (answer.status === 404) throw new TreeosError('INVALID_INPUT', 'no such parcel')
          if (!answer.ok) throw new Error(`it answered ${answer.status}`)
          return { cents: (answer.json() as { cents: number }).cents, by: answer.header('X-Office') }
        },
      },
      decide: ({ effect }) => ({ facts: [], result: effect }),
    }),
  ],
})
const ann = being({ name: 'ann' })
const price = (fetch: ReturnType<typeof fakeFetch>, args: Record<string, number> = { grams: 20 }) =>
  performEffect(post, 'post:price', { actor: ann, args, fetch, key: 'k-1' })

describe('an effect in a test', () => {
  it('asks the fake, which tells what it was asked', async () => {
    const fetch = fakeFetch(() => ({ headers: { 'x-office': 'north' }, body: { cents: 95 } }))
    expect(await price(fetch)).toEqual({ cents: 95, by: 'north' })
    expect(fetch.requests).toEqual([
      {
        url: 'https://post.example/price',
        method: 'POST',
        headers: { 'idempotency-key': 'k-1' },
        body: '{"grams":20}',
      },
    ])
  })

  it('may be answered otherwise each time, and fails as it would in a worker', async () => {
    const statuses = [500, 404]
    const fetch = fakeFetch(() => ({ status: statuses.shift() ?? 200, body: 'busy' }))
    await expect(price(fetch)).rejects.toThrow('it answered 500')
    await expect(price(fetch)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    await expect(price(fetch)).rejects.toThrow(SyntaxError)
    const away = fakeFetch(() => Promise.reject(new Error('ECONNREFUSED')))
    await expect(price(away)).rejects.toThrow('ECONNREFUSED')
  })

  it('is admitted first: wrong arguments reach nothing', async () => {
    const fetch = fakeFetch(() => ({}))
    await expect(price(fetch, { grams: 0 })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    expect(fetch.requests).toEqual([])
  })

  it('says what the test has to give', async () => {
    const asked = performEffect(post, 'post:price', { actor: ann, args: { grams: 1 } })
    await expect(asked).rejects.toThrow('this effect uses `fetch`: give it to performEffect')
    await expect(performEffect(post, 'post:none', { actor: ann })).rejects.toThrow('no operation post:none')
    await expect(fakeFetch(() => ({}))('file:///etc/passwd')).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })
})
