/** The words of an answer, as a model writes them, by each client that a person may use. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { issueToken } from '@treeos/client'
import { type AnswerEvent, Treeos } from '@treeos/client-http'
import type { BeingName } from '@treeos/core'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { setRole, until } from '../support/life.ts'
import type { Reply } from '../support/model-server.ts'
import { PortalWorld } from '../support/portal.ts'
import { useModelServer } from '../support/use-world.ts'

const model = useModelServer()
let at: PortalWorld
const tokens = new Map<BeingName, string>()
beforeAll(async () => {
  at = await PortalWorld.start({ modelUrl: model.url })
  const answering = { canSummon: [{ rel: 'asker' }], prose: 'answers' }
  await setRole(at.world, { name: 'teller', prompt: 'You tell.', ...answering })
  await setRole(at.world, { name: 'customer', prompt: 'You ask.', canSummon: ['@owl'] })
  await at.world.birth({ name: 'owl', cognition: 'llm', role: 'teller' })
  for (const being of ['eve', 'kim']) {
    await at.world.birth({ name: being, cognition: 'human', role: 'customer' })
    const { secret } = await issueToken({ ...at.world, person: being }, { being, as: being })
    tokens.set(being, secret)
  }
})
afterAll(() => at?.close())
afterEach(() => model.reset())

const TEXT = 'A red kite flies above the roofs of the town.'

/** Answers in pieces, and stops before the fourth until it is told to go on. */
function halting(content = TEXT) {
  const gate = Promise.withResolvers<void>()
  let firstAt = 0
  const reply: Reply = {
    content,
    streamed: {
      before(piece) {
        if (piece === 0) firstAt = performance.now()
        return piece === 4 ? gate.promise : undefined
      },
    },
  }
  model.script([reply])
  return { goOn: gate.resolve, firstAt: () => firstAt }
}

const clientOf = (being: BeingName) => new Treeos({ url: at.origin, token: tokens.get(being) ?? '' })

it('reach a client in TypeScript before the model has ended, to whom asked and to nobody else', async () => {
  const halt = halting()
  const events: AnswerEvent[] = []
  let heardAt = 0
  const reading = (async () => {
    for await (const event of clientOf('eve').summonStream({ target: '@owl', content: 'Tell me.' })) {
      if (event.type === 'words' && heardAt === 0) heardAt = performance.now()
      events.push(event)
    }
  })()
  await until(() => events.some(({ type }) => type === 'words'))
  const others: AnswerEvent[] = []
  const otherReading = (async () => {
    for await (const event of clientOf('kim').summonStream({ target: '@owl', content: 'And me?' }))
      others.push(event)
  })()
  await until(() => others.length > 0)
  halt.goOn()
  await reading
  await otherReading
  const wordsOf = (told: readonly AnswerEvent[]) =>
    told.flatMap((event) => (event.type === 'words' ? event.text : [])).join('')
  expect(wordsOf(events)).toBe(TEXT)
  expect(events.at(-1)).toMatchObject({
    type: 'answer',
    summoned: { reply: { from: '@owl', content: TEXT } },
  })
  expect(wordsOf(others)).not.toContain('kite')
  console.log(`first word ${(heardAt - halt.firstAt()).toFixed(0)} ms after the model's`)
})

it('reach a chat client as deltas', async () => {
  const halt = halting()
  const eve = new OpenAI({ apiKey: tokens.get('eve') ?? '', baseURL: `${at.origin}/v1`, maxRetries: 0 })
  const stream = await eve.chat.completions.create({
    model: '@owl',
    messages: [{ role: 'user', content: 'Tell me more.' }],
    stream: true,
  })
  let [words, deltas] = ['', 0]
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta.content ?? ''
    if (delta !== '') deltas += 1
    words += delta
    if (words !== '') halt.goOn()
  }
  expect(words).toBe(TEXT)
  expect(deltas).toBeGreaterThan(1)
})

it('reach a client in Python', async () => {
  const halt = halting()
  const program = `
import os
from treeos import Treeos
for event in Treeos(os.environ["PORTAL"], os.environ["TOKEN"]).summon_stream("@owl", "Once more."):
    print(event["type"], event.get("text") or event.get("summoned", {}).get("reply", {}).get("content"), flush=True)
`
  const env = { ...process.env, PORTAL: at.origin, TOKEN: tokens.get('eve') ?? '' }
  const python = spawn('python3', ['-c', program], {
    env: { ...env, PYTHONPATH: join(import.meta.dirname, '../../clients/python') },
  })
  let out = ''
  python.stdout.on('data', (chunk) => {
    out += String(chunk)
    if (out.includes('words')) halt.goOn()
  })
  const [code] = await once(python, 'close')
  expect([code, out]).toEqual([0, expect.stringMatching(/^sent None\n(words .+\n)+answer A red kite .*\n$/)])
})

it.each([
  ['a call in JSON', '{"name":"summon","arguments":{"content":"hidden"}}'],
  [
    'a call below words',
    'I say it.\n<tool_call>\n{"name":"summon","arguments":{"content":"hidden"}}\n</tool_call>',
  ],
])('are never %s', async (_what, content) => {
  model.script([{ content, streamed: {} }])
  const heard: string[] = []
  for await (const event of clientOf('eve').summonStream({ target: '@owl', content: 'Say it.' }))
    if (event.type === 'words') heard.push(event.text)
    else if (event.type === 'answer') expect(event.summoned.reply?.content).toBe('hidden')
  expect(heard.join('')).not.toMatch(/tool_call|summon|hidden/)
})

it('no separator of lines is raw in an event', async () => {
  const text = 'one\u2028two\u2029three\u0085four five'
  model.script([{ content: text, streamed: {} }])
  const response = await fetch(`${at.origin}/api/v1/summon/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.get('eve')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ target: '@owl', content: 'Lines?' }),
  })
  const raw = await response.text()
  expect(raw).toContain('event: answer')
  expect(raw).toContain('one\\u2028two\\u2029three\\u0085four')
  expect(raw).not.toMatch(/[\u0085\u2028\u2029]/)
})
