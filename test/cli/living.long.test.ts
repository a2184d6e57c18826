import { once } from 'node:events'
import { beforeAll, describe, expect, it } from 'vitest'
import { useModelServer } from '../support/use-world.ts'
import { until, useInstance, useJsonFiles } from './instance.ts'
import { done, fact, UUID } from './shapes.ts'

const model = useModelServer()
const home = useInstance({ modelServer: model })
const file = useJsonFiles()

describe('living', () => {
  it('a summon without --wait returns at once, with --wait the moment and the reply', async () => {
    expect(await home.json(['summon', '@echo', 'hello'])).toEqual({
      correlation: expect.stringMatching(UUID),
      moment: null,
      reply: null,
    })
    const summoned = await home.json([
      'summon',
      '/library/@echo',
      'hello',
      '--wait',
      '30',
      '--priority',
      'interactive',
    ])
    expect(summoned).toMatchObject({
      correlation: expect.stringMatching(UUID),
      moment: { n: expect.any(Number), verb: 'summon', outcome: 'act', primary: 'resident', stacked: [] },
      reply: { from: '@echo', content: 'hello' },
    })
    expect((await home.run(['summon', '@echo', 'hello', '--wait', '30'])).stdout).toBe('@echo: hello\n')
  })

  it('an LLM being answers through the model', async () => {
    model.script([{ tool: { name: 'summon', args: { content: 'Ask away.' } } }])
    const { reply } = await home.json<{ reply: unknown }>(['summon', '@librarian', 'May I?', '--wait', '30'])
    expect(reply).toEqual({ from: '@librarian', content: 'Ask away.' })
  })

  it('--stream shows on stderr what the model writes, as text or as JSON lines, and the answer as always', async () => {
    const reply = { content: 'Let me see.\u001b[2J', tool: { name: 'summon', args: { content: 'Ask.' } } }
    model.script([reply, reply])
    const args = ['summon', '@librarian', 'May I?', '--stream']
    const { status, stdout, stderr } = await home.run(args)
    expect({ status, stdout }).toEqual({ status: 0, stdout: '@librarian: Ask.\n' })
    expect(stderr).toBe('Let me see.\\u001b[2J\nsummon {"content":"Ask."}\n')
    const told = await home.run([...args, '--json'])
    expect(JSON.parse(told.stdout)).toMatchObject({ reply: { from: '@librarian', content: 'Ask.' } })
    const words = told.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(words.at(-1)).toMatchObject({ being: 'librarian', end: 'answered' })
    const says = words.flatMap((one: { says: { text: string }[] }) => one.says.map(({ text }) => text))
    expect(says.join('')).toBe('Let me see.\u001b[2J{"content":"Ask."}')
  })

  it('cancel, pause and resume', async () => {
    const gate = Promise.withResolvers<void>()
    model.script(async () => {
      await gate.promise
      return undefined
    })
    await home.json(['summon', '@librarian', 'May I?'])
    const cancelled = await home.json<{ moment: string; n: number }>(['cancel', '@librarian'])
    expect(cancelled).toEqual({
      moment: expect.stringMatching(/^librarian\/1\/\d+$/),
      being: 'librarian',
      n: expect.any(Number),
      reason: 'CANCELLED',
    })
    gate.resolve()
    // Until then it may be cancelled again.
    await until('the end of the moment', async () =>
      (await home.run(['cancel', cancelled.moment, '--json'])).stdout.includes('is over'),
    )
    expect(await home.refusal(['cancel', '@librarian'])).toMatchObject({
      status: 1,
      code: 'MOMENT_NOT_FOUND',
    })
    expect(await home.json(['pause', '@librarian'])).toMatchObject({ facts: [{ kind: 'being:paused' }] })
    expect((await home.run(['beings'])).stdout).toMatch(/@librarian +llm, paused/)
    expect(await home.refusal(['pause', '@librarian'])).toMatchObject({
      status: 1,
      code: 'RESOURCE_CONFLICT',
    })
    expect(await home.json(['resume', '@librarian'])).toMatchObject({ facts: [{ kind: 'being:resumed' }] })
    model.reset()
  })

  it('chat says each line in one thread, shows each answer, and goes on after a failure', async () => {
    const input = 'Who are you?\n\nAnd what is this place?\n/quit\nnever said\n'
    const { status, stdout, stderr } = await home.run(['chat', '@librarian'], { input })
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: '@librarian: ok: Who are you?\n@librarian: ok: And what is this place?\n',
    })
    const thread = /treeos chat @librarian --thread (\S+)/.exec(stderr)?.[1] ?? ''
    model.script((request) =>
      request.messages.at(-1)?.content.includes('fail') === true
        ? { status: 401, body: { error: { message: 'no such key' } } }
        : undefined,
    )
    const goes = ['chat', '@librarian', '--thread', thread, '--json']
    const went = await home.run(goes, { input: 'Now fail.\nStill there?\n' })
    model.reset()
    const turns = went.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(turns).toMatchObject([
      { error: { code: 'LLM_FAILED' } },
      { thread, reply: { from: '@librarian', content: 'ok: Still there?' } },
    ])
    expect(went.status).toBe(0)
  })

  it('a failed moment ends with 1 and its code', async () => {
    model.script([{ status: 401, body: { error: { message: 'no such key' } } }])
    expect(await home.refusal(['summon', '@librarian', 'May I?', '--wait', '30'])).toMatchObject({
      status: 1,
      code: 'LLM_FAILED',
    })
  })

  it('a wait without an answer ends with 1 and NO_ANSWER, and says why; a look is waited for', async () => {
    model.script([{ content: '' }])
    const args = ['summon', '@librarian', 'May I?', '--wait', '30']
    const { status, stdout } = await home.run([...args, '--json'])
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({
      status: 1,
      error: {
        code: 'NO_ANSWER',
        message: '@librarian sent no answer: it decided to do nothing',
        detail: { outcome: 'see', reason: null },
      },
    })
    model.script([
      { tool: { name: 'see', args: { address: '/library' } } },
      { tool: { name: 'summon', args: { content: 'A library.' } } },
    ])
    expect(await home.json(args)).toMatchObject({ reply: { from: '@librarian', content: 'A library.' } })
    model.script([{ content: 'Its role makes prose an answer.' }])
    expect(await home.json(args)).toMatchObject({ reply: { content: 'Its role makes prose an answer.' } })
    model.reset()
  })

  it('--no-reply announces: it waits for the moment, and no answer comes', async () => {
    expect(await home.json(['summon', '@echo', 'FYI', '--no-reply', '--wait', '30'])).toMatchObject({
      moment: { outcome: 'see', reason: 'no-reply-expected' },
      reply: null,
    })
  })

  it('a moment that is not over within --wait ends with 1 and TIMEOUT, and goes on', async () => {
    const gate = Promise.withResolvers<void>()
    model.script(async () => {
      await gate.promise
      return { tool: { name: 'summon', args: { content: 'At last.' } } }
    })
    const late = await home.refusal(['summon', '@librarian', 'May I?', '--wait', '1'])
    gate.resolve()
    expect(late).toMatchObject({ status: 1, code: 'TIMEOUT' })
    expect(late.message).toMatch(/@librarian has not lived the moment within \d s/)
    await until('the answer', async () =>
      (await home.json<{ content: unknown }[]>(['inbox'])).some(({ content }) => content === 'At last.'),
    )
    model.reset()
  })

  it('a skipped moment ends with 1 and ROLE_UNAVAILABLE, and says why it was skipped', async () => {
    const role = { name: 'deaf', triggerOn: ['schedule'], prompt: '' }
    await home.json(['role', 'set', '-'], { input: JSON.stringify(role) })
    await home.json(['birth', 'rock', '--cognition', 'scripted', '--script', 'echo', '--role', 'deaf'])
    const { status, stdout } = await home.run(['summon', '@rock', 'hello?', '--wait', '30', '--json'])
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({
      status: 1,
      error: { code: 'ROLE_UNAVAILABLE', detail: { outcome: 'skipped', reason: 'not-triggered' } },
    })
  })

  it('--thread continues a thread, --channel names a conversation, thread show knows both; one that nobody began is refused', async () => {
    const { correlation } = await home.json<{ correlation: string }>([
      'summon',
      '@echo',
      'one',
      '--wait',
      '30',
    ])
    const wakes = async () => (await home.json<{ wakes: number }>(['thread', 'show', correlation])).wakes
    const before = await wakes()
    const more = ['--thread', correlation, '--channel', 'lobby', '--wait', '30']
    expect(await home.json(['summon', '@echo', 'two', ...more])).toMatchObject({
      reply: { from: '@echo', content: 'two' },
    })
    expect(await wakes()).toBe(before + 2) // what was said, and the answer
    expect(await home.json(['thread', 'show', 'lobby'])).toEqual({
      channel: 'lobby',
      threads: [expect.objectContaining({ thread: correlation, state: 'complete' })],
    })
    expect((await home.run(['thread', 'show', 'lobby'])).stdout).toContain(correlation)
    expect(await home.refusal(['thread', 'show', 'attic'])).toMatchObject({ code: 'CORRELATION_NOT_FOUND' })
    const unknown = await home.refusal(['summon', '@echo', 'three', '--thread', 'no-such-thread'])
    expect(unknown).toMatchObject({ status: 1, code: 'CORRELATION_NOT_FOUND' })
    expect(unknown.message).toContain('"no-such-thread"')
  })

  it('birth returns who was born', async () => {
    const flow = file('born.json', [{ role: 'librarian', when: { 'time.hour': { gte: 25 } } }])
    const args = [
      'birth',
      'kid',
      '--cognition',
      'scripted',
      '--script',
      'echo',
      '--home',
      '/library',
      '--flow',
      flow,
    ]
    expect(await home.json(args)).toEqual({
      being: 'kid',
      stance: '@kid',
      parent: '@operator',
      cognition: 'scripted',
      role: 'citizen',
    })
    expect(await home.json(['flow', 'get', '@kid'])).toEqual([
      { role: 'librarian', when: { 'time.hour': { gte: 25 } } },
    ])
  })

  it('see describes a being and a place, and needs no worker for a person', async () => {
    expect(await home.json(['see', '@echo'])).toMatchObject({
      address: { path: '/library', being: '@echo', chain: ['/', '/library'] },
      beingLineage: ['@operator'],
      type: 'being',
      identity: { cognition: 'scripted', defaultRole: 'resident', home: '/library' },
    })
    expect(await home.json(['see', '~'])).toMatchObject({ address: { path: '/', being: null }, type: 'root' })
  })

  it('do and be return the act, the result and the facts', async () => {
    const args = JSON.stringify({ path: '/garden', type: 'garden' })
    expect(await home.json(['do', '/', 'create-space', '--args', args])).toEqual({
      ...done([fact('space:opened', 'space:/'), fact('space:created', 'space:/garden')]),
      result: { path: '/garden' },
    })
    for (const [name, option] of [
      ['ida', '--args'],
      ['ivo', '--payload'],
    ] as const) {
      const born = JSON.stringify({ name, cognition: 'human' })
      expect(await home.json(['be', 'birth', option, born])).toMatchObject({
        result: { being: name, stance: `@${name}`, parent: '@operator', cognition: 'human' },
      })
    }
  })

  it('an answer nobody waited for stays in the inbox until it is answered, once', async () => {
    type Entry = { correlation: string; from: string; content: unknown }
    const find = async () => (await home.json<Entry[]>(['inbox'])).find(({ content }) => content === 'ping')
    await home.json(['summon', '@echo', 'ping'])
    await until('the answer', async () => (await find()) !== undefined)
    const entry = await find()
    expect(entry).toEqual({
      correlation: expect.any(String),
      from: '@echo',
      role: expect.any(String),
      content: 'ping',
      text: 'ping',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      priority: expect.any(String),
      kind: 'answer',
      thread: expect.any(String),
    })
    const { correlation } = entry as Entry
    // The echo gives no answer to an answer.
    expect(await home.refusal(['reply', correlation, 'pong', '--wait', '30'])).toMatchObject({
      status: 1,
      code: 'NO_ANSWER',
      message: '@echo sent no answer: it decided to do nothing',
    })
    expect(await find()).toBeUndefined()
    await home.json(['summon', '@echo', 'ping'])
    await until('the second answer', async () => (await find()) !== undefined)
    const { stdout } = await home.run(['reply', (await find())?.correlation ?? '', 'pong'])
    expect(stdout).toMatch(/^replied; an answer to the reply will name [0-9a-f-]{36}\n$/)
    expect(await home.refusal(['reply', correlation, 'pong'])).toMatchObject({
      status: 1,
      code: 'RESOURCE_CONFLICT',
    })
  })

  it('a thread is listed while it is open, shown by its id, and cut once', async () => {
    type View = { thread: string }
    const { correlation } = await home.json<{ correlation: string }>(['summon', '@operator', 'to do'])
    const find = async (more: string[]) =>
      (await home.json<View[]>(['thread', 'list', ...more])).find((view) => view.thread === correlation)
    const open = await find([])
    expect(open).toMatchObject({ state: 'live', open: 1, participants: ['@operator'] })
    expect(await home.json(['thread', 'show', correlation])).toMatchObject(open ?? {})
    expect(await home.json(['thread', 'cut', correlation])).toMatchObject(
      done([fact('thread:cut', `thread:${correlation}`)]),
    )
    expect(await find(['--all', '--last', '3'])).toMatchObject({ state: 'severed', open: 0 })
    expect(await home.refusal(['thread', 'cut', correlation])).toMatchObject({
      status: 1,
      code: 'RESOURCE_CONFLICT',
    })
  })
})

describe('inhabit', () => {
  beforeAll(async () => {
    await home.json(['birth', 'pup', '--cognition', 'scripted', '--script', 'echo', '--role', 'resident'])
  })
  type Line = { event: string; being: string; driver?: string; epoch?: number; why?: string }
  /** Drives @pup. @returns the process, and what it has printed */
  async function drive() {
    const child = home.start(['inhabit', '@pup', '--json'])
    const lines: Line[] = []
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (more: string) => {
      text += more
      lines.splice(
        0,
        lines.length,
        ...text
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Line),
      )
    })
    await until('the lease', () => lines.length > 0)
    return { child, lines }
  }
  const identity = async () => (await home.json<{ identity: object }>(['see', '@pup'])).identity
  const asPup = ['set-being', '--args', '{"field":"mood.tone","value":"odd"}', '--as', '@pup']

  it('holds until standard input closes; one acts as the being, nobody else drives it, and a summon waits for the release', async () => {
    const { child, lines } = await drive()
    expect(lines).toEqual([
      { event: 'inhabited', being: '@pup', driver: '@operator', epoch: expect.any(Number) },
    ])
    expect(await identity()).toMatchObject({ inhabitedBy: '@operator' })
    // by its own lists
    expect(await home.refusal(['do', '@pup', ...asPup])).toMatchObject({ code: 'FORBIDDEN' })
    const second = await home.refusal(['inhabit', '@pup'])
    expect(second).toMatchObject({ status: 1, code: 'RESOURCE_CONFLICT' })
    expect(second.message).toContain('@operator')
    const heard = async () =>
      (await home.json<{ from: string; content: unknown }[]>(['inbox'])).filter(({ from }) => from === '@pup')
    await home.json(['summon', '@pup', 'later?'])
    expect(await home.json(['inbox', '--as', '@pup'])).toMatchObject([
      { from: '@operator', content: 'later?' },
    ])
    expect(await heard()).toEqual([])
    child.stdin?.end()
    const [status] = (await once(child, 'exit')) as [number]
    expect(status).toBe(0)
    expect(lines[1]).toEqual({ event: 'released', being: '@pup', why: 'released' })
    expect(await identity()).not.toHaveProperty('inhabitedBy')
    await until('the answer', async () => (await heard()).length === 1)
    expect(await heard()).toMatchObject([{ content: 'later?' }]) // its own script echoes
    expect(await home.refusal(['do', '@pup', ...asPup])).toMatchObject({ code: 'FORBIDDEN' })
  })

  it('ends by Ctrl-C; killed without a word, it is released within 30 s', async () => {
    const first = await drive()
    first.child.kill('SIGINT')
    expect(await once(first.child, 'exit')).toEqual([0, null])
    const { child } = await drive()
    child.kill('SIGKILL')
    const killed = Date.now()
    await until('the release', async () => !('inhabitedBy' in (await identity())), 40)
    expect(Date.now() - killed).toBeLessThan(30_000)
    expect(await home.refusal(['inhabit', '@librarian', '--as', '@pup'])).toMatchObject({
      code: 'FORBIDDEN',
    })
  })
})
