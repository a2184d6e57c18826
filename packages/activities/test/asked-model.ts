/** A model server of a test file's own, and one way to ask it. */
import { inspect } from 'node:util'
import { callParameters, MODEL_FIELDS } from '@treeos/core'
import { carry, type Prompt } from '@treeos/signature'
import type { Tool } from '@treeos/world'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { createModel, type ModelEndpoint, modelEndpoint } from '../src/model/model.ts'

// By a computed address: packages import nothing of test/, their tests only start what is there.
export const { startModelServer } = (await import(
  new URL('../../../test/support/model-server.ts', import.meta.url).href
)) as typeof import('../../../test/support/model-server.ts')

export let server: Awaited<ReturnType<typeof startModelServer>>
export let mind: ModelEndpoint
/** Each file that uses `server` or `mind` calls it, since several files share this module. */
export function useServer(): void {
  beforeAll(async () => {
    server = await startModelServer()
    mind = modelEndpoint({ model: 'owl-1', baseUrl: server.url, apiKey: KEY })
  })
  afterEach(() => server.reset())
  afterAll(() => server.close())
}

export const SENTINEL = 'SENTINEL-7f3a' // what a provider may say and we may not
export const SECRET = 'SECRET-PROMPT-91' // what we said to the provider
export const KEY = 'sk-KEY-55'
export const promptOf = (system: string, user: string): Prompt => ({
  system: carry('sentence', system),
  user: carry('content', user),
})
export const prompt = promptOf(`I am owl. ${SECRET}`, 'hello')
const tool = (name: Tool['function']['name']): Tool => ({
  type: 'function',
  function: {
    name,
    description: carry('declaration', name),
    parameters: callParameters(name, MODEL_FIELDS[name] as readonly never[]),
  },
})
export const tools = [tool('see'), tool('summon')]
export const ask = { prompt, tools, forceToolCall: false }
export const spoke = (content: string) => ({
  kind: 'call',
  call: { verb: 'summon', target: null, content, inReplyTo: null },
  content: null,
})
export const failure = (message: unknown) => ({
  decision: { kind: 'failure', code: 'LLM_FAILED', message },
  usage: null,
  ignoredCalls: 0,
})

/** Decides once, checks that it took one request and tells no secret, and returns what came or was thrown. */
export async function outcome(timeoutSeconds = 10, request = ask): Promise<unknown> {
  const result = await createModel(mind, { timeoutSeconds })
    .decide(request)
    .catch((error: unknown) => error)
  expect(server.requests).toHaveLength(1)
  const told = inspect(result, { depth: 10, showHidden: true })
  for (const secret of [SENTINEL, SECRET, KEY]) expect(told).not.toContain(secret)
  return result
}
