import { expect, it } from 'vitest'
import { chatRequest, readChat } from './request.ts'

const read = (content: unknown) =>
  readChat(chatRequest.parse({ model: 'kid', messages: [{ role: 'user', content }] }))

it.each([
  ['a text', 'hi', 'hi'],
  ['a part', [{ type: 'text', text: 'hi' }], 'hi'],
  ['parts without a type', [{ text: 'hi' }, { type: null, text: 'there' }], 'hi\nthere'],
  ['a part with null for what it has not', [{ type: 'text', text: 'hi', image_url: null, file: null }], 'hi'],
  ['parts of the Responses API', [{ type: 'input_text', text: 'hi' }], 'hi'],
])('%s is said', (_what, content, said) => expect(read(content).content).toBe(said))

it('a part of another kind is named', () => {
  expect(() => read([{ type: 'input_audio', input_audio: {} }])).toThrow('and this is "input_audio"')
  expect(() => read([{}])).toThrow('and this is null')
})

it('what a client leaves null, or says empty in its history, is no fault', () => {
  const unset = { stream_options: null, seed: null, temperature: null, tools: null, functions: null, n: null }
  const messages = [
    { role: 'user', content: 'A' },
    { role: 'assistant', content: '' },
    { role: 'assistant', content: null, tool_calls: [] },
    { role: 'user', content: 'B' },
  ]
  expect(readChat(chatRequest.parse({ model: '@kid', messages, ...unset }))).toMatchObject({
    content: 'B',
    before: { mine: ['A'], answer: '' },
  })
})
