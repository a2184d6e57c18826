import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer, publishSignal, setQuality } from '@treeos/sdk'
import { being, decide, renderPrompt, runScript } from '@treeos/sdk/testing'
import extension from './index.ts'

const ann = being({ name: 'ann' })
const doorman = being({ name: 'doorman' })

test('a greeting is kept on its target and published as a signal', async () => {
  const at = { actor: ann, target: doorman, args: { words: 'Well met' } }
  assert.deepEqual((await decide(extension, 'hello:greet', at)).facts, [
    setQuality(doorman, 'hello.greeted', { by: 'ann', words: 'Well met' }),
    publishSignal('hello.last', 'doorman'),
  ])
})

test('a greeting without words is refused', async () => {
  const at = { actor: ann, target: doorman, args: { words: '' } }
  await assert.rejects(decide(extension, 'hello:greet', at), { code: 'INVALID_INPUT' })
})

test('the doorman answers by name', async () => {
  const moment = { me: doorman, wake: { from: 'ann', content: 'hi' } }
  assert.deepEqual(await runScript(extension, 'hello:doorman', moment), answer('Good day, @ann!'))
})

test('a greeter is told its own name', async () => {
  assert.match(await renderPrompt(extension, 'hello:greeter', { me: doorman }), /^You are doorman\./)
})
