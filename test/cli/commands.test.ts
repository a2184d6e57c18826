import { once } from 'node:events'
import { beforeAll, describe, expect, it } from 'vitest'
import { useModelServer } from '../support/use-world.ts'
import { isAlive, until, useInstance, useJsonFiles } from './instance.ts'

const HEX = /^[0-9a-f]{64}$/
const UUID = /^[0-9a-f-]{36}$/

const model = useModelServer()
const home = useInstance({ modelServer: model, env: { TREEOS_TIME_ZONE: 'Europe/Berlin' } })
const file = useJsonFiles()

const fact = (kind: string, reel: string) => ({
  kind,
  reel,
  seq: expect.any(Number),
  hash: expect.stringMatching(HEX),
})
const done = (facts: unknown[]) => ({
  act: expect.stringMatching(/^operator\/\d+\/\d+$/),
  result: expect.anything(),
  facts,
})

describe('running', () => {
  it('status tells what runs, without secrets', async () => {
    expect(await home.json(['status'])).toMatchObject({
      temporal: {
        address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        namespace: 'default',
        ui: expect.stringMatching(/^http:/),
      },
      postgres: { url: expect.stringMatching(/^postgres:\/\/treeos@127\.0\.0\.1:\d+\/treeos$/) },
      portal: { url: null },
      worker: {
        running: true,
        pids: [home.pidOf('worker-1')],
        metrics: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/)],
        silent: [],
      },
      mind: { model: 'test-model', baseUrl: model.url },
      reality: { name: 'home', timeZone: 'Europe/Berlin' },
    })
  })

  it('a second up says what runs, and starts nothing', async () => {
    const before = home.state.services
    const { status, stdout } = await home.run(['up'])
    expect(status).toBe(0)
    expect(stdout).toContain('already running')
    expect(home.state.services).toEqual(before)
  })

  it('worker is one more worker, until it is told to stop', async () => {
    const child = home.start(['worker'])
    const ended = new Promise((resolve) => child.once('exit', resolve))
    await until('a second worker', () => home.state.services.some(({ name }) => name === 'worker-2'))
    const second = home.pidOf('worker-2')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(isAlive(second)).toBe(false)
    expect((await home.json<{ worker: object }>(['status'])).worker).toMatchObject({
      running: true,
      pids: [home.pidOf('worker-1')],
    })
  })

  it('doctor finds nothing missing or wrong', async () => {
    const { ok, checks } = await home.json<{ ok: boolean; checks: { name: string; ok: boolean }[] }>([
      'doctor',
    ])
    expect(ok).toBe(true)
    expect(checks.map((check) => check.name)).toEqual([
      'node',
      'folder',
      'ports',
      'temporal',
      'postgres',
      'mind',
      'instance',
      'metrics',
      'inbox',
      'model',
    ])
  })
})

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

  it('a failed moment ends with 1 and its code', async () => {
    model.script([{ status: 401, body: { error: { message: 'no such key' } } }])
    expect(await home.refusal(['summon', '@librarian', 'May I?', '--wait', '30'])).toMatchObject({
      status: 1,
      code: 'LLM_FAILED',
    })
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
    })
    expect(await home.json(['flow', 'get', '@kid'])).toEqual([
      { role: 'librarian', when: { 'time.hour': { gte: 25 } } },
    ])
  })

  describe('F47 inhabit', () => {
    beforeAll(async () => {
      await home.json(['birth', 'pup', '--cognition', 'scripted', '--script', 'echo'])
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

    it('holds until standard input closes; meanwhile one acts as the being, and nobody else drives it', async () => {
      const { child, lines } = await drive()
      expect(lines).toEqual([
        { event: 'inhabited', being: '@pup', driver: '@operator', epoch: expect.any(Number) },
      ])
      expect(await identity()).toMatchObject({ inhabitedBy: '@operator' })
      expect(await home.refusal(['do', '@pup', ...asPup])).toMatchObject({ code: 'FORBIDDEN' }) // by its own lists
      const second = await home.refusal(['inhabit', '@pup'])
      expect(second).toMatchObject({ status: 1, code: 'RESOURCE_CONFLICT' })
      expect(second.message).toContain('@operator')
      child.stdin?.end()
      const [status] = (await once(child, 'exit')) as [number]
      expect(status).toBe(0)
      expect(lines[1]).toEqual({ event: 'released', being: '@pup', why: 'released' })
      expect(await identity()).not.toHaveProperty('inhabitedBy')
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

  it('see tells what is there, and reading it from a person needs no worker', async () => {
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
    const payload = JSON.stringify({ name: 'ida', cognition: 'human' })
    expect(await home.json(['be', 'birth', '--payload', payload])).toMatchObject({
      result: { being: 'ida', stance: '@ida', parent: '@operator', cognition: 'human' },
    })
  })

  it('what nobody waited for rests in the inbox until it is answered, once', async () => {
    type Entry = { correlation: string; from: string; content: unknown }
    const find = async () => (await home.json<Entry[]>(['inbox'])).find(({ content }) => content === 'ping')
    await home.json(['summon', '@echo', 'ping'])
    await until('the answer', async () => (await find()) !== undefined)
    const entry = await find()
    expect(entry).toEqual({
      correlation: expect.any(String),
      from: '@echo',
      content: 'ping',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      priority: expect.any(String),
    })
    const { correlation } = entry as Entry
    expect(await home.json(['reply', correlation, 'pong', '--wait', '30'])).toMatchObject({
      moment: { outcome: 'see' },
      reply: null,
    })
    expect(await find()).toBeUndefined()
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
    expect(await home.json(['thread', 'show', correlation])).toEqual(open)
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

describe('authoring', () => {
  it('signals are nested by their keys', async () => {
    expect(await home.json(['signal', 'set', 'harmony.tick.alive', 'true'])).toEqual({
      ...done([fact('signal:published', 'world:harmony')]),
      result: { namespace: 'harmony', key: 'tick.alive', value: true },
    })
    await home.json(['signal', 'set', 'harmony.count', '-1'])
    await home.json(['signal', 'set', 'court.in-session', '{"judge":"@echo"}'])
    expect(await home.json(['signal', 'get'])).toEqual({
      harmony: { tick: { alive: true }, count: -1 },
      court: { 'in-session': { judge: '@echo' } },
    })
    expect(await home.json(['signal', 'get', 'harmony'])).toEqual({ tick: { alive: true }, count: -1 })
    expect(await home.json(['signal', 'get', 'harmony.tick.alive'])).toBe(true)
    expect(await home.json(['signal', 'get', 'harmony.nothing'])).toBeNull()
    expect(await home.json(['signal', 'get', 'nobody'])).toBeNull()
  })

  it('spaces are created, set and moved into', async () => {
    expect(await home.json(['space', 'create', '/library/nook', '--type', 'nook'])).toMatchObject({
      result: { path: '/library/nook' },
    })
    expect(await home.json(['space', 'set', '/library/nook', 'ambient.tone', '"quiet"'])).toEqual(
      done([fact('quality:set', 'space:/library/nook')]),
    )
    expect(await home.json(['move', '/library/nook'])).toMatchObject({
      result: { from: '/', to: '/library/nook' },
    })
    expect(await home.json(['see', '/library/nook'])).toMatchObject({
      beings: ['@operator'],
      type: 'nook',
      qualities: { ambient: { tone: 'quiet' } },
    })
    await home.json([
      'do',
      '/library/nook',
      'create-matter',
      '--args',
      '{"id": "rock", "content": {"text": "warm"}}',
    ])
    expect((await home.run(['see', '/library/nook'])).stdout).toMatch(
      /beings +@operator\nthings +matter:rock\nspaces +-\nowner +@operator\nqualities\n\{\n +"ambient"/,
    )
    expect((await home.run(['see', 'matter:rock'])).stdout).toMatch(/content\n\{\n +"text": "warm"/)
    await home.json(['move', '/'])
  })

  it('roles are written, shown with who could wear them, and deleted', async () => {
    const role = { name: 'guide', prompt: 'Guide.', canSummon: [{ rel: 'asker' }] }
    expect(await home.json(['role', 'set', '-'], { input: JSON.stringify(role) })).toEqual(
      done([fact('role:set', 'registry')]),
    )
    await home.json(['flow', 'set', '@kid', file('guide.json', [{ role: 'guide' }])])
    const shown = { ...role, origin: 'live', digest: expect.stringMatching(HEX), usedBy: ['@kid'] }
    expect(await home.json(['role', 'show', 'guide'])).toMatchObject(shown)
    const listed = await home.json<{ name: string }[]>(['role', 'list'])
    expect(listed.find(({ name }) => name === 'guide')).toMatchObject(shown)
    await home.json(['flow', 'set', '@kid', file('none.json', [])])
    await home.json(['role', 'delete', 'guide'])
    expect(await home.refusal(['role', 'show', 'guide'])).toMatchObject({
      status: 1,
      code: 'ROLE_UNAVAILABLE',
    })
  })

  it('flows are set, read and checked against the roles there are', async () => {
    const clauses = [
      { role: 'resident', when: { 'world.harmony.tick.alive': true } },
      { role: 'librarian', stack: true },
    ]
    const flow = file('flow.json', clauses)
    expect(await home.json(['flow', 'set', '@kid', flow])).toEqual(done([fact('quality:set', 'being:kid')]))
    expect(await home.json(['flow', 'get', '@kid'])).toEqual(clauses)
    expect(await home.json(['flow', 'lint', flow])).toEqual({ errors: [], warnings: [] })
    const unknown = file('unknown.json', [{ role: 'unheard-of' }])
    expect(await home.json(['flow', 'lint', unknown])).toEqual({
      errors: [],
      warnings: [{ path: '[0].role', message: expect.stringContaining('not registered') }],
    })
  })
})

describe('looking back', () => {
  it('moments are JSON lines, oldest first and without gaps', async () => {
    const { stdout } = await home.run(['moments', '@operator', '--json'])
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ n }) => n)).toEqual(lines.map((_, i) => i + 1))
    const last = await home.run(['moments', '@operator', '--json', '--last', '2'])
    expect(last.stdout.trimEnd().split('\n')).toHaveLength(2)
    expect(JSON.parse(last.stdout.split('\n')[1] ?? '')).toMatchObject({
      n: lines.length,
      outcome: expect.any(String),
    })
  })

  it('explain tells of every clause, prompt rebuilds what was sent', async () => {
    await home.json(['summon', '@kid', 'hello', '--wait', '30'])
    const explained = await home.json<{ clauses: object[] }>(['explain', '@kid', '1'])
    expect(explained).toMatchObject({
      primary: 'resident',
      stacked: ['librarian'],
      surface: { canSummon: ['@operator'] },
    })
    expect(Object.keys(explained.clauses[0] ?? {})).toEqual(
      expect.arrayContaining(['index', 'role', 'stack', 'result', 'reason', 'tree']),
    )
    expect(await home.json(['prompt', '@kid', '1'])).toEqual({
      system: expect.stringContaining('kid'),
      user: expect.stringContaining('hello'),
      digest: expect.stringMatching(HEX),
      identical: true,
    })
  })

  it('lists name who lives here and what code brings', async () => {
    const beings = await home.json<{ stance: string }[]>(['beings'])
    expect(beings.map(({ stance }) => stance)).toEqual(
      expect.arrayContaining(['@operator', '@echo', '@librarian', '@kid']),
    )
    const extensions = await home.json<{ name: string }[]>(['extensions'])
    expect(extensions.map(({ name }) => name)).toEqual(expect.arrayContaining(['seed', 'emotions']))
    const operations = await home.json<{ verb: string; name: string }[]>(['operations'])
    expect(operations).toEqual(
      expect.arrayContaining([expect.objectContaining({ verb: 'be', name: 'birth', allow: ['self'] })]),
    )
  })

  it('verify and both replays find everything as it was, and speak on stdout once', async () => {
    expect(await home.json(['verify'])).toMatchObject({ ok: true, broken: [] })
    const one = await home.json(['replay', '@kid', '--from', 'chain'])
    expect(one).toEqual({ beings: 1, moments: 1, identical: true, mismatches: [] })
    expect(await home.json(['replay', '--all', '--from', 'both'])).toMatchObject({
      identical: true,
      mismatches: [],
    })
  })

  it.each([
    [['moments', '@nobody'], 'BEING_NOT_FOUND'],
    [['explain', '@nobody', '1'], 'BEING_NOT_FOUND'],
    [['explain', '@echo', '999999'], 'MOMENT_NOT_FOUND'],
    [['prompt', '@echo', '999999'], 'MOMENT_NOT_FOUND'],
    [['replay', '@nobody'], 'BEING_NOT_FOUND'],
    [['flow', 'get', '@nobody'], 'BEING_NOT_FOUND'],
    [['reply', 'no-such-correlation', 'hi'], 'CORRELATION_NOT_FOUND'],
    [['see', '/nowhere'], 'SPACE_NOT_FOUND'],
  ])('%j is refused with %s', async (args, code) => {
    expect(await home.refusal(args)).toMatchObject({ status: 1, code })
  })
})
