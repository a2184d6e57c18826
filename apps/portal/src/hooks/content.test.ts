import { createHmac } from 'node:crypto'
import type { TreeosError } from '@treeos/core'
import { expect, it } from 'vitest'
import { contentOfBody } from './content.ts'
import { signedId } from './standard-webhooks.ts'

const JSON_TYPE = 'application/json'
const secret = Buffer.alloc(24, 7)
const NOW = 1_614_265_330_000

/** What a message comes to whose sender signed its bytes. */
function heard(body: Buffer, type?: string): unknown {
  const [id, timestamp] = ['msg_1', String(NOW / 1000)]
  const signature = createHmac('sha256', secret)
    .update(Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]))
    .digest('base64')
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
  expect(signedId(secret, (name) => headers[name], { body, now: NOW })).toBe(id)
  try {
    return contentOfBody(body, type)
  } catch (error) {
    return `${(error as TreeosError).code}: ${(error as TreeosError).message}`
  }
}

it.each<[string, Buffer, string | undefined, unknown]>([
  ['text', Buffer.from('häh 😀'), 'text/plain', 'häh 😀'],
  ['text without a type', Buffer.from('so'), undefined, 'so'],
  ['JSON', Buffer.from('{"a":"é"}'), JSON_TYPE, { a: 'é' }],
  ['JSON with a mark', Buffer.from('\ufeff{"a":1}'), `${JSON_TYPE}; charset=utf-8`, { a: 1 }],
  ['a mark within text', Buffer.from('a\ufeffb'), 'text/plain', 'a\ufeffb'],
  ['JSON in UTF-16', Buffer.from('\ufeff{"a":"é"}', 'utf16le'), `${JSON_TYPE}; charset="UTF-16"`, { a: 'é' }],
  ['Latin-1', Buffer.from('{"a":"é"}', 'latin1'), JSON_TYPE, 'INVALID_INPUT: body: it is not UTF-8 text'],
  [
    'Latin-1 that says so',
    Buffer.from('é', 'latin1'),
    'text/plain; charset=ISO-8859-1',
    'INVALID_INPUT: body: is in "iso-8859-1"; it takes UTF-8',
  ],
  ['bytes of no text', Buffer.from([0, 255, 1]), undefined, 'INVALID_INPUT: body: it is not UTF-8 text'],
  [
    'an emoji that is cut',
    Buffer.from('😀').subarray(0, 3),
    undefined,
    'INVALID_INPUT: body: it is not UTF-8 text',
  ],
  ['what is not JSON', Buffer.from('{'), JSON_TYPE, 'INVALID_INPUT: body: is not JSON'],
  [
    'a rounded integer',
    Buffer.from('{"id":12345678901234567890}'),
    JSON_TYPE,
    'INVALID_INPUT: body: $["id"]: an integer beyond 2^53 loses digits when JSON is read: give it as text, in quotes',
  ],
])('a signature holds over the bytes of a body with %s', (_what, body, type, content) => {
  expect(heard(body, type)).toEqual(content)
})
