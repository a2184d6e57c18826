import type { Decision } from '@treeos/core'
import { defineExtension, type Script } from '@treeos/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  askedFor,
  beingOf,
  live,
  momentOf,
  setRole,
  tell,
  until,
  wakesOf,
  wakeUp,
} from '../../support/life.ts'
import { type Reply, wordsIn } from '../../support/model-server.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const HALF = '\ud83d'
/** A text in which a cut at an odd index halves a character. */
const PAIRS = `a${'😀'.repeat(60)}`
const FINE: Reply = { tool: { name: 'summon', args: { content: 'fine' } } }

interface BadMind {
  readonly what: string
  readonly replies: readonly Reply[]
  readonly requests: number
  readonly outcome: object
}

const always = (reply: Reply): readonly Reply[] => Array.from({ length: 9 }, () => reply)
const failed = (reason: string, message: string | RegExp = /./) => ({
  outcome: 'failure',
  reason,
  message: typeof message === 'string' ? message : expect.stringMatching(message),
  act: null,
})
/** The cause of each attempt, and how often it came. */
const lost = (what: string, times = 'four times') => failedBy(`${what} ${times} in`)
const failedBy = (start: string) => new RegExp(`^${start.replace(/[()]/g, '\\$&')} \\d+ s$`)

const MINDS: readonly BadMind[] = [
  {
    what: '401',
    replies: [{ status: 401, body: { error: { message: 'bad key sk-123' } } }],
    requests: 1,
    outcome: failed('LLM_FAILED', 'model answered 401: check OPENAI_API_KEY'),
  },
  {
    what: '429 for ever',
    replies: always({ status: 429 }),
    requests: 4,
    outcome: failed('LLM_FAILED', lost('model answered 429')),
  },
  {
    what: '429 that asks for an hour',
    replies: always({ status: 429, headers: { 'retry-after': '3600' } }),
    requests: 1,
    outcome: failed('LLM_FAILED', /^model answered 429 once in \d+ s; it asks to wait 3600 s$/),
  },
  {
    what: '500 three times, then 503',
    replies: [{ status: 500 }, { status: 500 }, { status: 500 }, ...always({ status: 503 })],
    requests: 4,
    outcome: failed('LLM_FAILED', /^model answered 500 three times, model answered 503 once in \d+ s$/),
  },
  {
    what: '429 and then an answer',
    replies: [{ status: 429 }, FINE],
    requests: 2,
    outcome: { outcome: 'act' },
  },
  {
    what: '429 that asks for half a second',
    replies: [{ status: 429, headers: { 'retry-after-ms': '500' } }, FINE],
    requests: 2,
    outcome: { outcome: 'act' },
  },
  {
    what: '500 for ever',
    replies: always({ status: 500 }),
    requests: 4,
    outcome: failed('LLM_FAILED', lost('model answered 500')),
  },
  {
    what: '500 and then an answer',
    replies: [{ status: 503 }, FINE],
    requests: 2,
    outcome: { outcome: 'act' },
  },
  {
    what: 'garbage',
    replies: [{ raw: new Uint8Array([0xff, 0x00, 0x7b]) }],
    requests: 1,
    outcome: failed('LLM_FAILED', 'model answered with something that is not JSON'),
  },
  {
    what: 'JSON of another kind',
    replies: [{ completion: { choices: [] } }],
    requests: 1,
    outcome: failed('LLM_FAILED', 'model answered without a message'),
  },
  {
    what: 'a tool that there is not',
    replies: [{ tool: { name: 'exec', args: { command: 'rm -rf /' } } }],
    requests: 1,
    outcome: failed('LLM_FAILED', /^model called a tool that does not exist: "[a-z_]+"; it has [a-z, ]+$/),
  },
  {
    what: 'arguments outside JSON',
    replies: [{ tool: { name: 'summon', args: '{"content": ' } }],
    requests: 1,
    outcome: failed('LLM_FAILED', /arguments that are not a JSON object/),
  },
  {
    what: 'half a character',
    replies: [{ tool: { name: 'summon', args: { content: HALF } } }],
    requests: 1,
    outcome: failed('LLM_FAILED', /are refused/),
  },
  {
    what: 'more than fits',
    replies: [{ tool: { name: 'summon', args: { content: 'x'.repeat(70_000) } } }],
    requests: 1,
    outcome: failed('LLM_FAILED', /at most 65536 bytes/),
  },
  {
    what: 'an answer without end',
    replies: always({ huge: 64 * 1024 * 1024 }),
    requests: 1,
    outcome: failed('LLM_FAILED'),
  },
  {
    what: 'an action whose name is cut in the message',
    replies: [{ tool: { name: 'do', args: { operation: PAIRS, target: '/' } } }],
    requests: 1,
    outcome: failed('ACTION_NOT_SUPPORTED', /no action/),
  },
  {
    what: 'an action of 60 kB',
    replies: [{ tool: { name: 'do', args: { operation: 'x'.repeat(60_000), target: '/' } } }],
    requests: 1,
    outcome: failed('ACTION_NOT_SUPPORTED', /no action/),
  },
  {
    what: 'nothing',
    replies: always({ hang: true }),
    requests: 4,
    outcome: failed('LLM_TIMEOUT', lost('model did not answer within 1 s')),
  },
  { what: 'half an answer', replies: [{ hang: 'mid-body' }, FINE], requests: 2, outcome: { outcome: 'act' } },
  {
    what: 'a reset',
    replies: always({ reset: 'at-once' }),
    requests: 4,
    outcome: failed('LLM_FAILED', lost('connection to the model failed (ECONNRESET)')),
  },
  {
    what: 'a reset halfway',
    replies: [{ reset: 'mid-body' }, FINE],
    requests: 2,
    outcome: { outcome: 'act' },
  },
]

const circular: Record<string, unknown> = { kind: 'see' }
circular.content = circular
/** The answers of scripts, and the errors they throw. */
const FAULTS: Record<string, () => unknown> = {
  'an error': () => {
    throw new Error('out of order')
  },
  'a text as an error': () => {
    throw 'out of order'
  },
  'an error of half a character': () => {
    throw new Error(`out of order ${HALF}`)
  },
  'an error of 100 kB': () => {
    throw new Error(`out of order ${'x'.repeat(100_000)}`)
  },
  'an error with a NUL': () => {
    throw new Error('out of \0 order')
  },
  nothing: () => undefined,
  'a number': () => 7,
  'an unknown kind': () => ({ kind: 'dream' }),
  'a call without a verb': () => ({ kind: 'call', call: {} }),
  'a call of an unknown verb': () => ({ kind: 'call', call: { verb: 'fly' } }),
  'a call with half a character': () => ({ kind: 'call', call: { verb: 'summon', content: HALF } }),
  'a call with a NUL': () => ({ kind: 'call', call: { verb: 'summon', content: 'a\0b' } }),
  'a call of 2 MB': () => ({ kind: 'call', call: { verb: 'summon', content: 'x'.repeat(2_000_000) } }),
  'a circle': () => circular,
  'a bigint': () => ({ kind: 'see', content: 1n }),
  'a function': () => () => 0,
  'a promise that fails': () => Promise.reject(new Error('out of order')),
  'a failure of its own': () => ({ kind: 'failure', code: 'RATE_LIMITED', message: 'not today' }),
  'a failure of an unknown code': () => ({ kind: 'failure', code: 'WHIM', message: HALF }),
}
const odd: Script = ({ wake }) => {
  const fault = typeof wake.content === 'string' ? FAULTS[wake.content] : undefined
  return (fault?.() ?? (fault ? undefined : { kind: 'see', content: 'at ease' })) as Decision
}

const told = new Map<string, string>()
const nameOf = (what: string) =>
  what
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^(?=\d)/, 's')
    .slice(0, 32)

const model = useModelServer()
const world = useWorld({
  extensions: [stage, defineExtension({ name: 'odd', version: '1.0.0', scripts: { 'odd:script': odd } })],
  modelServer: model,
  modelTimeoutSeconds: 1,
})
beforeAll(async () => {
  await setRole(world, {
    name: 'blinkered',
    canSee: ['~'],
    canDo: [{ pattern: '*' }],
    canSummon: [{ rel: 'asker' }],
    prompt: '',
  })
  const queues = new Map(MINDS.map(({ what, replies }) => [nameOf(what), [...replies]]))
  model.script((request) =>
    wordsIn(request) === 'well?' ? queues.get(beingOf(request))?.shift() : undefined,
  )
  // All at once: this file mostly waits for models that do not answer.
  await Promise.all(
    MINDS.map(async ({ what }) => {
      await world.birth({ name: nameOf(what), cognition: 'llm', role: 'blinkered' })
    }),
  )
  for (const { what } of MINDS) told.set(what, await tell(world, nameOf(what), 'well?'))
})

describe('a model that answers', () => {
  it.each(MINDS)(
    '$what: the outcome says so, the asker is told, and the next moment works',
    async ({ what, requests, outcome }) => {
      const name = nameOf(what)
      const correlation = told.get(what)!
      const moment = await momentOf(world, correlation, 30)
      expect(moment).toMatchObject(outcome)
      expect(askedFor(model, name).length).toBe(requests)
      if (moment.outcome === 'failure') {
        expect(moment.message!.length).toBeLessThan(3000)
        const notice = await until(async () =>
          (await wakesOf(world, 'operator')).find(({ id }) => id === `notice/${name}/1/1/operator`),
        )
        expect(notice.content).toMatchObject({
          event: 'failure',
          actor: `@${name}`,
          correlation,
          code: moment.reason,
          message: moment.message,
        })
      }
      expect(await live(world, name, 'and now?')).toMatchObject({ outcome: 'act', n: 2 })
    },
  )
})

describe('a script that answers', () => {
  const faults = Object.keys(FAULTS)
  let wakes: string[] = []
  beforeAll(async () => {
    await world.birth({ name: 'oddity', cognition: 'scripted', script: 'odd:script', role: 'resident' })
    wakes = await wakeUp(
      world,
      'oddity',
      faults.flatMap((what) => [what, 'and now?']),
    )
  })

  it.each(faults)('%s: a failure that says so, and the next moment works', async (what) => {
    const at = faults.indexOf(what) * 2
    const moment = await momentOf(world, wakes[at]!)
    expect(moment).toMatchObject({
      n: at + 1,
      outcome: 'failure',
      reason: what === 'a failure of its own' ? 'RATE_LIMITED' : 'INTERNAL',
      act: null,
    })
    expect(moment.message!.length).toBeLessThan(3000)
    // Equal notices are one entry. It keeps the text of the first one.
    const told = (await wakesOf(world, 'operator')).map(({ content }) => content)
    expect(told).toContainEqual(
      expect.objectContaining({ event: 'failure', actor: '@oddity', code: moment.reason }),
    )
    expect(await momentOf(world, wakes[at + 1]!)).toMatchObject({ outcome: 'see', content: 'at ease' })
  })

  it('a script that is not loaded is named', async () => {
    await world.birth({ name: 'unscripted', cognition: 'scripted', script: 'odd:script', role: 'resident' })
    await world.stopWorker()
    await world.startWorker([])
    expect(await live(world, 'unscripted', 'hello')).toMatchObject({
      outcome: 'failure',
      reason: 'INTERNAL',
      message: 'script "odd:script" is not loaded in this worker',
    })
    await world.stopWorker()
    await world.startWorker()
  })
})

describe('afterwards', () => {
  it('every moment replays, and no chain is broken', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
