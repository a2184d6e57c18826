import { describe, expect, it } from 'vitest'
import { type SignedHeaders, shownSecret, signedHeaders, signedId } from './standard-webhooks.ts'

const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
const AT = 1_614_265_330_000
const body = '{"test": 2432232314}'
const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
const headers = signedHeaders(secret, { id, at: AT, body })
const read = (by: Partial<SignedHeaders>, said = body, now = AT, key = secret) =>
  signedId(key, (name) => ({ ...headers, ...by })[name], { body: Buffer.from(said), now })

it('signs as the reference of Standard Webhooks does', () => {
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  expect(shownSecret(secret)).toBe('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
})

describe('a signed message', () => {
  it('is known by its id, also under one of several signatures, within five minutes', () => {
    expect(read({})).toBe(id)
    expect(read({ 'webhook-signature': `v1,AAAA v2,x ${headers['webhook-signature']}` })).toBe(id)
    for (const skew of [-300, 300]) expect(read({}, body, AT + skew * 1000)).toBe(id)
  })

  it.each<[string, Partial<SignedHeaders>]>([
    ['another id', { 'webhook-id': 'msg_2' }],
    ['no id', { 'webhook-id': '' }],
    ['an endless id', { 'webhook-id': 'x'.repeat(129) }],
    ['another time', { 'webhook-timestamp': String(AT / 1000 + 1) }],
    ['no number as its time', { 'webhook-timestamp': 'now' }],
    ['another signature', { 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` }],
    ['a short signature', { 'webhook-signature': 'v1,AAAA' }],
    ['another version', { 'webhook-signature': headers['webhook-signature'].replace('v1', 'v2') }],
    ['no signature', { 'webhook-signature': '' }],
  ])('with %s is none', (_what, by) => expect(read(by)).toBeNull())

  it('with another body, another secret, or out of time is none', () => {
    expect(read({}, `${body} `)).toBeNull()
    expect(read({}, body, AT, Buffer.alloc(24))).toBeNull()
    for (const skew of [-302, 302]) expect(read({}, body, AT + skew * 1000)).toBeNull()
  })
})

it('a message cannot be cut elsewhere: an id with a dot is none, although its signature holds', () => {
  const hidden = `${body.slice(0, 5)}.${AT / 1000}.{"forged":1}`
  const whole = signedHeaders(secret, { id, at: AT - 3600_000, body: hidden })
  const forged: SignedHeaders = {
    'webhook-id': `${id}.${(AT - 3600_000) / 1000}.${body.slice(0, 5)}`,
    'webhook-timestamp': String(AT / 1000),
    'webhook-signature': whole['webhook-signature'],
  }
  expect(signedId(secret, (name) => forged[name], { body: Buffer.from('{"forged":1}'), now: AT })).toBeNull()
})
