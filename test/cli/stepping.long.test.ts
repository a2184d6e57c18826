import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { until, useInstance, useJsonFiles } from './instance.ts'
import { HEX } from './shapes.ts'
import { TerminalRun } from './terminal.ts'

const home = useInstance()
const file = useJsonFiles()
/** It would clear the terminal, write its title and turn the text that follows. */
const HOSTILE = 'hostile \u001b[2J\u001b]0;owned\u0007 \u202etxet'
/** The cursor, and the screen that was there before. */
const LEAVES = '\u001b[?25h\u001b[?1049l'
const UNSEEN = ['\u001b[2J', '\u0007', '\u202e']

beforeAll(async () => {
  const flow = file('guard.json', [
    { role: 'librarian', when: { 'world.gate.open': true } },
    { role: 'resident', when: { verb: 'summon' } },
    { role: 'citizen', stack: true, when: { 'world.gate.level': { gte: 3 } } },
  ])
  await home.json([
    'birth',
    'guard',
    '--cognition',
    'scripted',
    '--script',
    'echo',
    '--role',
    'resident',
    '--flow',
    flow,
  ])
  // 1 to 3
  for (const text of ['one', 'two', HOSTILE]) await home.json(['summon', '@guard', text, '--wait', '30'])
  await home.json(['signal', 'set', 'gate.level', '5']) // 4: the flow reads it
  await home.json(['summon', '@guard', 'five', '--wait', '30']) // 5
}, 120_000)

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
const momentsOf = async (being: string, data: readonly string[] = []) =>
  linesOf((await home.run(['moments', being, '--json', ...data])).stdout)

describe('why-not', () => {
  const act = (call: object) => ['--act', JSON.stringify(call)]

  it('names the smallest change of the context for a role', async () => {
    expect(await home.json(['why-not', '@guard', '1', '--role', 'librarian'])).toEqual({
      changes: [{ path: 'world.gate.open', to: true }],
    })
    expect(await home.json(['why-not', '@guard', '1', '--role', 'citizen'])).toEqual({
      changes: [{ path: 'world.gate.level', to: 3 }],
    })
    expect(await home.json(['why-not', '@guard', '5', '--role', 'citizen'])).toEqual({ changes: [] })
    const { stdout } = await home.run(['why-not', '@guard', '1', '--role', 'librarian'])
    expect(stdout).toBe('world.gate.open  missing → true\n')
  })

  it('names the smallest change of permissions for an act', async () => {
    const call = { verb: 'see', address: '/library' }
    const { changes } = await home.json<{ changes: { path: string; from: string[]; to: string[] }[] }>([
      'why-not',
      '@guard',
      '1',
      ...act(call),
    ])
    expect(changes).toHaveLength(1)
    expect(changes[0]).toMatchObject({ path: 'canSee', to: [...(changes[0]?.from ?? []), '/library'] })
    expect((await home.run(['why-not', '@guard', '1', ...act(call)])).stdout).toBe('canSee  + "/library"\n')
    const spoken = { verb: 'summon', target: null, content: 'hi' }
    expect(await home.json(['why-not', '@guard', '1', ...act(spoken)])).toEqual({ changes: [] })
  })

  it('says why nothing would help', async () => {
    const refused = (...args: string[]) => home.refusal(['why-not', '@guard', ...args])
    expect(await refused('1', '--role', 'stranger')).toMatchObject({
      status: 1,
      code: 'ROLE_UNAVAILABLE',
      message: 'neither the flow nor the default role names stranger',
    })
    expect(await refused('99', '--role', 'resident')).toMatchObject({ code: 'MOMENT_NOT_FOUND' })
    expect(
      await refused('1', ...act({ verb: 'do', operation: 'fly', target: null, args: {} })),
    ).toMatchObject({
      code: 'ACTION_NOT_SUPPORTED',
    })
    expect(await refused('1', ...act({ verb: 'fly' }))).toMatchObject({ code: 'VERB_NOT_SUPPORTED' })
    expect(await refused('1')).toMatchObject({ status: 2 })
    expect(await home.refusal(['why-not', '@nobody', '1', '--role', 'resident'])).toMatchObject({
      code: 'BEING_NOT_FOUND',
    })
  })
})

describe('debug', () => {
  it('prints one moment where there is no terminal', async () => {
    const { newest, ...moment } = await home.json<Record<string, unknown>>(['debug', '@guard', '--at', '1'])
    expect(newest).toBe(5)
    expect(moment).toMatchObject({
      stance: '@guard',
      n: 1,
      wake: 'one',
      decision: { kind: 'call' },
      moment: { outcome: 'act', primary: 'resident' },
      explained: { context: { verb: 'summon' }, gates: { allowed: true } },
      prompt: { identical: true },
      facts: [{ kind: 'being:summoned', hash: expect.stringMatching(HEX) }],
      temporal: {
        event: expect.stringMatching(
          /\/workflows\/being%2Fhome%2Fguard\/[0-9a-f-]{36}\/history\/events\/\d+$/,
        ),
      },
    })
    expect(moment.layers).toContainEqual(expect.objectContaining({ title: 'Role' }))
    const { stdout } = await home.run(['debug', '@guard', '--at', '3'])
    expect(stdout).toContain('@guard  moment 3 of 5  act  resident')
    expect(stdout).toContain('✗ world.gate.open eq true, it was missing')
    expect(stdout).toContain('hostile \\u001b[2J\\u001b]0;owned\\u0007 \\u202etxet')
    for (const unseen of UNSEEN) expect(stdout).not.toContain(unseen)
    expect(stdout).not.toContain('\u001b')
    expect(await home.refusal(['debug', '@guard', '--at', '9'])).toMatchObject({ code: 'MOMENT_NOT_FOUND' })
    expect(await home.refusal(['debug', '@nobody'])).toMatchObject({ code: 'BEING_NOT_FOUND' })
  })

  it('steps, jumps, searches and follows on a terminal', { timeout: 60_000 }, async () => {
    const run = new TerminalRun(home, ['debug', '@guard'])
    await run.shows('moment 5 of 5')
    expect(run.screen).toHaveLength(24)
    expect(Math.max(...run.screen.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(run.screen.at(-1)).toContain('following')
    run.press('\u001b[D') // left
    await run.shows('moment 4 of 5')
    run.press('[')
    await run.shows('moment 1 of 5', 'the first stack')
    run.press(']')
    await run.shows('moment 4 of 5', 'the moment whose stack changed')
    run.press(']')
    await run.shows('the stack does not change any more')
    run.press('2\r')
    await run.shows('moment 2 of 5')
    run.press('77\r')
    await run.shows('there is no moment 77')
    run.press('/hostile\r')
    await run.shows('moment 3 of 5')
    await run.shows('\\u001b[2J', 'the text that was searched, harmless')
    run.press('t')
    await run.shows('/history/events/')
    run.resize(100, 30)
    await run.shows('moment 3 of 5')
    await expect.poll(() => run.screen.length).toBe(30)
    run.press('G')
    await run.shows('moment 5 of 5')
    await home.json(['summon', '@guard', 'six', '--wait', '30'])
    await run.shows('moment 6 of 6', 'the moment that ended meanwhile')
    run.press('q')
    expect(await run.ended()).toBe(0)
    expect(run.raw.slice(-14)).toBe(LEAVES)
    for (const unseen of UNSEEN) expect(run.raw).not.toContain(unseen)
    expect(run.raw).toContain('\u001b[7m') // colours, which the next run does without
  })

  it('keeps to NO_COLOR, and Ctrl-C gives the terminal back', { timeout: 60_000 }, async () => {
    const run = new TerminalRun(home, ['debug', '@guard', '--at', '1'], { env: { NO_COLOR: '1' } })
    await run.shows('moment 1 of')
    run.press('\u0003')
    expect(await run.ended()).toBe(0)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with one
    expect(run.raw).not.toMatch(/\u001b\[[0-9;]*m/)
    expect(run.raw.slice(-14)).toBe(LEAVES)
  })
})

describe('fork and diff', () => {
  const FORK = 'other-way'
  const data = () => ['--data', join(home.dataDir, 'forks', FORK)]
  const lines = async (args: readonly string[]) => linesOf((await home.run([...args, '--json'])).stdout)

  it('a fork shares the past by hash, and both go on by themselves', { timeout: 180_000 }, async () => {
    const forked = await home.json<{ waiting: number }>(['fork', FORK, '--at', '@guard:3'])
    expect(forked).toMatchObject({ reality: FORK, ok: true, at: { being: 'guard', n: 3 } })
    expect(forked.waiting).toBe(3) // the answers in the inbox of the operator
    expect((await home.run(['up', '--detach', '--no-portal', ...data()])).status).toBe(0)
    const shared = await momentsOf('@guard', data())
    expect(shared).toEqual((await momentsOf('@guard')).slice(0, 3))

    await home.json(['summon', '@guard', 'otherwise', '--wait', '30', ...data()])
    await home.json(['summon', '@guard', 'seven', '--wait', '30'])
    const [mine, theirs] = [await momentsOf('@guard'), await momentsOf('@guard', data())]
    expect(theirs).toHaveLength(4)
    expect(theirs[3]).toMatchObject({ n: 4, outcome: 'act', primary: 'resident', stacked: [] })
    expect(theirs[3].act).toMatch(/^guard\/2\/4$/) // a younger life than the three moments before
    expect(mine[4].act).toMatch(/^guard\/1\//)

    for (const where of [[], data()]) {
      expect(await home.json(['verify', ...where])).toMatchObject({ ok: true, broken: [] })
      expect(await home.json(['replay', '--all', '--from', 'chain', ...where])).toMatchObject({
        identical: true,
        mismatches: [],
      })
    }

    const differences = await lines(['diff', 'home', FORK])
    const moment = differences.find(({ what, being }) => what === 'moment' && being === 'guard')
    expect(moment).toMatchObject({ n: 4, differs: expect.arrayContaining(['stack', 'prompt']) })
    const reels = differences.filter(({ what }) => what === 'reel')
    expect(reels).toContainEqual({
      what: 'reel',
      reel: 'being:guard',
      seq: expect.any(Number),
      a: expect.stringMatching(HEX),
      b: expect.stringMatching(HEX),
    })
    // The fact that says where the fork came from.
    expect(reels).toContainEqual(expect.objectContaining({ reel: 'space:/', a: null }))
    expect(differences).toContainEqual(expect.objectContaining({ what: 'row', key: 'world:gate', b: null }))
    // The first fact of the reel that differs is the one after the last that both share.
    const guard = reels.find(({ reel }) => reel === 'being:guard')
    expect(
      await home.asOwner(async (owner) => {
        const { hash } = await owner
          .selectFrom('fact')
          .select('hash')
          .where('reel', '=', 'being:guard')
          .where('seq', '=', guard.seq)
          .executeTakeFirstOrThrow()
        return hash.toString('hex')
      }),
    ).toBe(guard.a)
    expect((await home.run(['diff', 'home', FORK])).stdout).toMatch(
      /^moment @guard 4: stack \w{12} and \w{12}/m,
    )
    expect(await lines(['diff', FORK, FORK])).toEqual([])
  })

  it('is refused for a name that is taken, a moment that is not there and a reality that nobody knows', async () => {
    expect(await home.refusal(['fork', FORK, '--at', '@guard:1'])).toMatchObject({
      status: 1,
      code: 'RESOURCE_CONFLICT',
    })
    expect(await home.refusal(['fork', 'home', '--at', '@guard:1'])).toMatchObject({
      code: 'RESOURCE_CONFLICT',
    })
    const late = await home.run(['fork', 'third', '--at', '@guard:99', '--json'])
    expect(JSON.parse(late.stdout)).toMatchObject({ error: { code: 'MOMENT_NOT_FOUND' } })
    expect(late.stderr).not.toContain('starting Postgres') // so no server was started for it
    expect(existsSync(join(home.dataDir, 'forks', 'third'))).toBe(false)
    expect(await home.refusal(['fork', '../x', '--at', '@guard:1'])).toMatchObject({ code: 'INVALID_INPUT' })
    expect(await home.refusal(['fork', 'third', '--at', 'guard'])).toMatchObject({ code: 'INVALID_INPUT' })
    expect(await home.refusal(['diff', 'home', 'nowhere'])).toMatchObject({
      message: `no reality "nowhere" is known here: there is home, ${FORK}`,
    })
  })

  it('ends the leases that hold in its origin, which drives its being on', { timeout: 60_000 }, async () => {
    const driving = home.start(['inhabit', '@guard', '--json'])
    let taken = ''
    driving.stdout?.setEncoding('utf8').on('data', (text) => (taken += text))
    await until('the lease', () => taken.includes('\n'))
    const n = (await momentsOf('@operator')).length
    const driven = ['fork', 'driven', '--at', `@operator:${n}`]
    expect(await home.json(driven)).toMatchObject({ ok: true, at: { being: 'operator', n } })
    driving.kill('SIGINT')
    await once(driving, 'exit')
    await home.json(['fork', 'driven', '--discard'])
  })

  it('is discarded as a whole', { timeout: 60_000 }, async () => {
    expect(await home.json(['fork', FORK, '--discard'])).toEqual({ discarded: FORK })
    expect(existsSync(join(home.dataDir, 'forks', FORK))).toBe(false)
    expect(await home.refusal(['fork', FORK, '--discard'])).toMatchObject({ code: 'INVALID_INPUT' })
  })
})
