import type { Message } from '@a2a-js/sdk'
import { expect, it } from 'vitest'
import { consentIn, taskOf } from './tasks.ts'

const saying = (content: object) => ({ parts: [{ content }] }) as unknown as Message
const text = (value: string) => saying({ $case: 'text', value })
const data = (value: unknown) => saying({ $case: 'data', value })

it('a yes or a no names the question that it answers', () => {
  expect(consentIn(text('yes ann/1/7'))).toEqual({ id: 'ann/1/7', operation: 'approve', args: {} })
  expect(consentIn(text(' No  ann/1/7/2 '))).toEqual({ id: 'ann/1/7/2', operation: 'deny', args: {} })
  expect(consentIn(data({ approve: true, id: 'ann/1/7', args: { n: 1 } }))).toEqual({
    id: 'ann/1/7',
    operation: 'approve',
    args: { args: { n: 1 } },
  })
  expect(consentIn(data({ approve: false, id: 'ann/1/7', why: 'too much' }))).toMatchObject({
    operation: 'deny',
    args: { why: 'too much' },
  })
})

it.each([
  ['a bare word', text('yes')],
  ['a bare no', text('no')],
  ['anything else', text('maybe ann/1/7')],
  ['more words', text('yes ann/1/7 please')],
  ['data without an id', data({ approve: true })],
  ['data with more', data({ approve: true, id: 'x', as: '@operator' })],
  ['data that is no truth', data({ approve: 'true', id: 'x' })],
])('%s is none', (_what, message) =>
  expect(() => consentIn(message)).toThrow('with the id that its status has'),
)

it('a task that asks tells the id and the call, to people and to programs', () => {
  const asks = { id: 'ann/1/7/2', call: { verb: 'do', operation: 'create-space' } }
  const task = taskOf('t', {
    state: 'asking',
    being: 'ann',
    said: 'x',
    thread: 't',
    reply: null,
    why: 'it waits',
    asks,
  })
  expect(task.metadata).toEqual({ approval: 'ann/1/7/2' })
  const said = JSON.stringify(task.status?.message)
  for (const part of ['yes ann/1/7/2', '"approval":"ann/1/7/2"', 'create-space']) expect(said).toContain(part)
})
