import type { WordPiece } from '@treeos/store'
import { describe, expect, it } from 'vitest'
import { ask, KEY, mind, SENTINEL, server, spoke, useServer } from '../../test/asked-model.ts'
import { createModel, ModelTransientError } from './model.ts'

useServer()

/** Asks once, as somebody watches. */
async function watched(model = createModel(mind, { timeoutSeconds: 5 }), request = ask) {
  const heard: WordPiece[] = []
  const result = await model
    .decide({ ...request, onSaying: (saying) => void heard.push(saying) })
    .catch((error: unknown) => error)
  return { heard, result }
}
const textOf = (heard: readonly WordPiece[], tool: string | null) =>
  heard.map((saying) => (saying.tool === tool ? saying.text : '')).join('')

const STORY = 'Once upon a time 🌊⛵, "quoted",\nand then nothing.'

describe('a streamed answer', () => {
  it.each([
    ['words', { content: STORY }],
    ['no word', { content: '' }],
    ['a call', { tool: { name: 'summon', args: { content: STORY } } }],
    ['words and a call', { content: STORY, tool: { name: 'summon', args: { content: 'hi' } } }],
    ['two calls', { tools: [1, 2].map((n) => ({ name: 'see', args: { address: `/${n}` } })) }],
    [
      'a call in its words',
      { content: `<tool_call>{"name":"see","arguments":{"address":"/a"}}</tool_call>` },
    ],
    ['a call that is not JSON', { tool: { name: 'see', args: '{"address":' } }],
    ['an end by its length', { tool: { name: 'see', args: '{"addr' }, finishReason: 'length' }],
    ['an answer that a filter withheld', { content: 'hm', finishReason: 'content_filter' }],
    ['a tool that there is not', { tool: { name: 'fly', args: {} } }],
  ])(
    'of %s is the answer that comes without a stream, with its usage, and is heard as it comes',
    async (_, reply) => {
      server.script([reply, reply])
      const whole = await createModel(mind, { timeoutSeconds: 5 }).decide(ask)
      const { heard, result } = await watched()
      expect(result).toEqual(whole)
      expect(whole.usage).not.toBeNull()
      expect(server.requests.map(({ body }) => body?.stream)).toEqual([undefined, true])
      const {
        content,
        tool,
        tools = tool === undefined ? [] : [tool],
      } = reply as {
        content?: string
        tool?: { name: string; args: unknown }
        tools?: { name: string; args: unknown }[]
      }
      expect(textOf(heard, null)).toBe(content ?? '')
      const args = tools.map(({ args }) => (typeof args === 'string' ? args : JSON.stringify(args))).join('')
      expect(heard.flatMap(({ tool, text }) => (tool === null ? [] : [text])).join('')).toBe(args)
    },
  )

  it('without usage leaves what it cost open', async () => {
    server.script([{ content: 'hm', streamed: { noUsage: true } }])
    expect((await watched()).result).toMatchObject({ decision: { kind: 'see', content: 'hm' }, usage: null })
  })

  it('that comes whole is taken, from a server that does not know streams', async () => {
    server.script([{ content: 'hm', streamed: { whole: true } }])
    expect(await watched()).toMatchObject({ heard: [], result: { decision: { kind: 'see', content: 'hm' } } })
  })

  it.each(['reset', 'end', 'error'] as const)(
    'that breaks off (%s) may be asked for again, and is not free',
    async (how) => {
      server.script([{ content: `${SENTINEL} ${STORY}`, streamed: { breaks: { after: 4, how } } }])
      const { heard, result } = await watched()
      expect(textOf(heard, null)).toContain(SENTINEL)
      expect(result).toBeInstanceOf(ModelTransientError)
      expect(result).toMatchObject({ code: 'LLM_FAILED', isFree: false })
      expect(String(result)).not.toContain(SENTINEL)
      // Control: the same answer that goes on to its end is a decision.
      server.script([{ content: `${SENTINEL} ${STORY}` }])
      expect((await watched()).result).toMatchObject({ decision: { kind: 'see' } })
    },
  )

  it('that stops in the middle is late, although its first words came in time', async () => {
    server.script([
      { content: STORY, streamed: { before: (n) => (n === 3 ? new Promise(() => undefined) : undefined) } },
    ])
    const { heard, result } = await watched(createModel(mind, { timeoutSeconds: 0.5 }))
    expect(heard.length).toBeGreaterThan(0)
    expect(result).toMatchObject({ name: 'ModelTransientError', code: 'LLM_TIMEOUT' })
  })

  it('is given up when its signal aborts', async () => {
    const controller = new AbortController()
    const reason = new Error('stop')
    server.script([
      {
        content: STORY,
        streamed: {
          before(n) {
            if (n === 3) controller.abort(reason)
            return n === 3 ? new Promise(() => undefined) : undefined
          },
        },
      },
    ])
    const request = { ...ask, signal: controller.signal }
    expect((await watched(undefined, request as typeof ask)).result).toBe(reason)
  })

  it.each([
    ['an event that is not JSON', 'data: {oops\n\n', 'model answered with something that is not JSON'],
    ['1 MB of words and more', bigStream(1.1), /^model answered with more than 1048576 characters$/],
  ])('of %s is a failure', async (_, raw, message) => {
    server.script([{ raw, headers: { 'content-type': 'text/event-stream' } }])
    const says = typeof message === 'string' ? message : expect.stringMatching(message)
    expect((await watched()).result).toMatchObject({ decision: { kind: 'failure', message: says } })
  })
})

describe('a server that refuses to stream', () => {
  const whole = { content: 'hm' }
  const refusing = (body: { readonly [field: string]: unknown }) =>
    body.stream === true ? { status: 400 } : whole

  it('is asked again without, and never asked to stream again once it has answered', async () => {
    server.script(refusing)
    const model = createModel(mind, { timeoutSeconds: 5 })
    for (const _ of [1, 2])
      expect((await watched(model)).result).toMatchObject({ decision: { content: 'hm' } })
    expect(server.requests.map(({ body }) => body?.stream)).toEqual([true, true, undefined, undefined])
  })

  it('is asked to stream again when it refuses without, too: the fault was another one', async () => {
    const model = createModel(mind, { timeoutSeconds: 5 })
    const refused = { status: 400 }
    server.script([refused, refused, refused, { tool: { name: 'summon', args: { content: 'hi' } } }])
    expect((await watched(model)).result).toMatchObject({ decision: { kind: 'failure' } })
    expect((await watched(model)).result).toMatchObject({ decision: spoke('hi') })
    expect(server.requests.map(({ body }) => body?.stream)).toEqual([true, true, undefined, true])
  })

  it('for another reason, after it has streamed, is asked once more as before', async () => {
    const model = createModel(mind, { timeoutSeconds: 5 })
    server.script([whole, { status: 400 }, { status: 400 }])
    await watched(model)
    expect((await watched(model)).result).toMatchObject({ decision: { kind: 'failure' } })
    expect(server.requests.map(({ body }) => body?.stream)).toEqual([true, true, true])
  })
})

it('a model that nobody watches is not asked to stream', async () => {
  await createModel(mind, { timeoutSeconds: 5 }).decide(ask)
  expect(server.requests[0]?.body).not.toHaveProperty('stream')
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
})

function bigStream(megabytes: number): string {
  const event = `data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(1024) } }] })}\n\n`
  return event.repeat(megabytes * 1024)
}
