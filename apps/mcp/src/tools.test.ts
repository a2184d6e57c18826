import { expect, it } from 'vitest'
import { withoutClientFields } from './tools.ts'

it.each([
  [{ address: '@owl', toolCallId: 'call_1', sessionId: 's' }, { address: '@owl' }],
  [
    { address: '@owl', odd: 1 },
    { address: '@owl', odd: 1 },
  ], // refused by its name, as a slip of a pen
  [{ args: { sessionId: 's' } }, { args: { sessionId: 's' } }],
  [null, null],
  ['text', 'text'],
])('of %j a tool is given %j', (given, input) => expect(withoutClientFields(given)).toEqual(input))
