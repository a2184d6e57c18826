import { expect, it } from 'vitest'
import { writtenOut } from './accept.ts'

const BOTH = 'application/json, text/event-stream'

it.each([
  [undefined],
  ['*/*'],
  ['application/*, text/*'],
  ['Application/JSON, Text/Event-Stream'],
  ['application/json;q=0.9, text/event-stream; charset=utf-8'],
  ['text/html, */*;q=0.1'],
])('accepts both answers: %s', (accept) => {
  expect(writtenOut(accept, 'POST')).toBe(BOTH)
  expect(writtenOut(accept, 'GET')).toBe('text/event-stream')
})

it.each(['application/json', 'text/html', '*/*;q=0', 'application/*'])(
  'accepts less, and stays as it is: %s',
  (accept) => {
    expect(writtenOut(accept, 'POST')).toBe(accept)
  },
)
