import assert from 'node:assert/strict'
import { test } from 'node:test'
import extension from './index.ts'

const doorman = extension.scripts['hello:doorman']

test('the doorman answers whoever speaks, by name', async () => {
  const wake = {
    correlation: 'x',
    verb: 'summon',
    from: 'ann',
    callerCognition: 'human',
    content: 'hi',
    inReplyTo: null,
  }
  const decision = await doorman?.({ wake } as never)
  assert.deepEqual(decision, {
    kind: 'call',
    call: { verb: 'summon', target: null, content: 'Good day, @ann!', inReplyTo: null },
    content: null,
  })
})
