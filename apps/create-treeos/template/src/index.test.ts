import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer, publishSignal, setQuality } from '@treeos/sdk'
import { being, decide, renderPrompt, runScript } from '@treeos/sdk/testing'
import extension from './index.ts'

const ann = being({ name: 'ann' })
const doorman = being({ name: 'doorman' })

test('whoever is greeted keeps by whom, and all flows may read who it was', async () => {
  const at = { actor: ann, target: doorman, args: { words: 'Well met' } }
  assert.deepEqual((await decide(extension, 'hello:greet', at)).facts, [
    setQuality(doorman, 'hello.greeted', { by: 'ann', words: 'Well met' }),
    publishSignal('hello.last', 'doorman'),
  ])
})

test('nobody is greeted without a word', async () => {
  const at = { actor: ann, target: doorman, args: { words: '' } }
  await assert.rejects(decide(extension, 'hello:greet', at), { code: 'INVALID_INPUT' })
})

test('the doorman answers whoever speaks, by name', async () => {
  const moment = { me: doorman, wake: { from: 'ann', content: 'hi' } }
  assert.deepEqual(await runScript(extension, 'hello:doorman', moment), answer('Good day, @ann!'))
})

test('a greeter is told its own name', async () => {
  assert.match(await renderPrompt(extension, 'hello:greeter', { me: doorman }), /^You are doorman\./)
})
