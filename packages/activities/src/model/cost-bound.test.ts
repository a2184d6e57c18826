import { describe, expect, it } from 'vitest'
import { ask, mind, prompt, promptOf, server, tools, useServer } from '../../test/asked-model.ts'
import { chunk, json, stream } from '../../test/servers.ts'
import { createModel, ModelTransientError } from './model.ts'

useServer()

/** Asks once, as somebody watches or nobody does. */
async function asked(isWatched: boolean) {
  const watched = isWatched ? { onSaying: () => undefined } : {}
  const model = createModel(mind, { timeoutSeconds: 10 })
  return model.decide({ ...ask, ...watched }).catch((error: unknown) => error)
}
const raw = ({ body, headers }: ReturnType<typeof json>) => ({ raw: body, headers: { ...headers } })

describe('an answer without usage is bounded by what came', () => {
  const WORDS = 'It rains on the roof. '.repeat(10)

  it('whole: by its bytes', async () => {
    server.script([raw(json({ choices: [{ message: { content: WORDS }, finish_reason: 'stop' }] }))])
    const { usage, received } = (await asked(false)) as { usage: null; received: number }
    expect(usage).toBeNull()
    expect(received).toBeGreaterThanOrEqual(WORDS.length)
    expect(received).toBeLessThan(WORDS.length + 100)
  })

  it('as a stream: by its bytes, thinking too', async () => {
    server.script([
      raw(stream([chunk({ reasoning_content: WORDS }), chunk({ content: 'It rains.' }), chunk({}, 'stop')])),
    ])
    const { received } = (await asked(true)) as { received: number }
    expect(received).toBeGreaterThanOrEqual(WORDS.length + 9)
    expect(received).toBeLessThan(5 * WORDS.length)
  })

  it('that breaks off with an error: by what came before', async () => {
    server.script([raw(stream([chunk({ content: WORDS }), { error: { code: 502 } }], { done: false }))])
    const error = (await asked(true)) as ModelTransientError
    expect(error).toMatchObject({ isFree: false, usage: null })
    expect(error.received).toBeGreaterThanOrEqual(WORDS.length)
    expect(error.received).toBeLessThan(5 * WORDS.length)
  })

  it('whose line is cut: not at all, since the provider may go on', async () => {
    server.script([{ content: WORDS, streamed: { breaks: { after: 4, how: 'reset' } } }])
    const error = (await asked(true)) as ModelTransientError
    expect(error).toBeInstanceOf(ModelTransientError)
    expect(error.received).toBeUndefined()
  })
})

it('the tokens of a prompt are bounded by its bytes, or by the tokenizer of its model', async () => {
  const bytes = createModel(mind, { timeoutSeconds: 1 })
  const known = createModel(mind, { timeoutSeconds: 1 }).as('gpt-4o-mini')
  const long = { ...ask, prompt: promptOf(prompt.system, 'Say what you see on the shelf. '.repeat(200)) }
  const most = bytes.boundPrompt(long)
  expect(most).toBeGreaterThan(6200 + JSON.stringify(tools).length)
  expect(known.boundPrompt(long)).toBe(most)
  await expect.poll(() => known.boundPrompt(long)).toBeLessThan(3000)
  expect(known.boundPrompt(long)).toBeGreaterThan(1600)
})
