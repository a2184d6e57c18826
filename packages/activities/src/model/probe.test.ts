import { expect, it } from 'vitest'
import { KEY, mind, server, useServer } from '../../test/asked-model.ts'
import { modelEndpoint } from './endpoint.ts'
import { probeEndpoint } from './probe.ts'

useServer()

const GOOD = { tool: { name: 'summon', args: { content: 'ready' } } }

it('asks for one call of a tool', async () => {
  server.script([GOOD])
  const blind = modelEndpoint({ ...mind, apiKey: KEY, pictures: false })
  expect(await probeEndpoint(blind)).toEqual({ fault: null, said: null, without: [], sees: null })
  expect(server.requests).toHaveLength(1)
  expect(server.requests[0]?.body).toMatchObject({ tool_choice: 'required', max_tokens: 1024 })
})

it('says what the endpoint does not take', async () => {
  server.script((body) =>
    'parallel_tool_calls' in body ? { status: 400, body: { error: { param: 'parallel_tool_calls' } } } : GOOD,
  )
  expect(await probeEndpoint(mind)).toMatchObject({
    fault: null,
    said: null,
    without: ['parallel_tool_calls'],
  })
})

it.each([
  ['red', true],
  ['ready', false],
])('asks for the colour of a picture: %s', async (content, sees) => {
  server.script([GOOD, { tool: { name: 'summon', args: { content } } }])
  expect(await probeEndpoint(mind)).toMatchObject({ fault: null, sees })
  expect(server.requests[1]?.body?.messages[1]?.content).toMatchObject([{}, { type: 'image_url' }, {}])
})

it('takes a refusal of the picture for what it is', async () => {
  server.script(({ messages }) =>
    Array.isArray(messages[1]?.content) ? { status: 400, body: { error: { message: 'no vision' } } } : GOOD,
  )
  expect(await probeEndpoint(mind)).toMatchObject({ fault: null, sees: false })
})

it.each([
  [
    "the server's own error",
    { status: 404, body: { error: { message: 'model "owl-1" not found, try pulling it first' } } },
    {
      fault: 'model answered 404: check TREEOS_MODEL and OPENAI_BASE_URL',
      said: 'model "owl-1" not found, try pulling it first',
    },
  ],
  [
    'an error in plain text',
    { status: 500, body: 'llama runner\n\u001b[31m process has terminated' },
    { fault: 'model answered 500', said: 'llama runner [31m process has terminated' },
  ],
  [
    'an error within an answer',
    { completion: { error: { message: 'No provider', code: 503 } } },
    { fault: 'model answered with an error inside (503)', said: 'No provider' },
  ],
  [
    'words in place of a call',
    { content: 'I am ready.' },
    { fault: 'model answered in words, without a call of its tool', said: null },
  ],
  [
    'a prompt that comes back',
    { content: 'Call the tool summon with the content "ready".' },
    { fault: expect.stringContaining('in words'), said: null },
  ],
  [
    'a call that is none',
    { tool: { name: 'summon', args: '{' } },
    { fault: expect.stringContaining('not a JSON object'), said: null },
  ],
])('shows %s', async (_, reply, comes) => {
  server.script([reply, reply])
  expect(await probeEndpoint(mind)).toMatchObject(comes)
})

it('never shows the key', async () => {
  const message = `Incorrect API key provided: ${KEY}, or sk-ab**cd. ${'x'.repeat(1000)}`
  server.script([{ status: 401, body: { error: { message } } }])
  const { said } = await probeEndpoint(modelEndpoint({ ...mind, apiKey: KEY }))
  expect(said).toMatch(/^Incorrect API key provided: \(key\), or \(key\) x+$/)
  expect(said).toHaveLength(300)
})

it('ends in time', async () => {
  server.script([{ hang: true }])
  expect(await probeEndpoint(mind, { timeoutSeconds: 0.3 })).toMatchObject({
    fault: 'model did not answer within 0.3 s',
  })
})
