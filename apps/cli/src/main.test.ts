import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { runCommandLine } from './run.ts'
import { programName } from './text/program-name.ts'

vi.setConfig({ testTimeout: 30_000 }) // each test starts processes, on a machine that may be busy

const MAIN = join(import.meta.dirname, 'main.ts')
const folder = mkdtempSync(join(tmpdir(), 'treeos-cli-'))
afterAll(() => rmSync(folder, { recursive: true }))
/** How messages name the program, where the tests call it. */
const us = programName({ folder, file: MAIN })

/** Runs the command in a process of its own, where no instance is. */
function treeos(
  args: readonly string[],
  { input = '', node = [] as string[], more = {} as NodeJS.ProcessEnv } = {},
) {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    TREEOS_DATA: join(folder, 'none'),
    XDG_CONFIG_HOME: folder, // whoever runs this may be logged in
  }
  for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'TREEOS_DEBUG']) delete env[name]
  Object.assign(env, more)
  return spawnSync(process.execPath, [...node, MAIN, ...args], { input, env, cwd: folder, encoding: 'utf8' })
}

/** Runs the command in this process, which is quicker, for what ends before anything is opened. */
async function treeosHere(args: readonly string[]) {
  let stdout = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += text
    return true
  })
  try {
    return { status: await runCommandLine(args), stdout }
  } finally {
    write.mockRestore()
  }
}

describe('a wrong command line', () => {
  it.each([
    {
      args: ['role', 'fly'],
      why: "unknown command 'fly'; treeos role has list, show, versions, set, delete, default, rename, lint, compose",
    },
    { args: ['help', 'fly'], why: 'topics are audit, what-if, programs, making, running' },
    { args: ['flow'], why: 'treeos flow takes a command: get, set, lint, eval' },
    { args: ['status', '--fast'], why: "unknown option '--fast'" },
    { args: ['status', 'now'], why: "too many arguments for 'status'" },
    { args: ['summon', '@echo'], why: "missing required argument 'text'" },
    { args: ['summon', '@echo', 'hi', '--wait', 'long'], why: '--wait is "long"' },
    { args: ['summon', '@echo', 'hi', '--priority', 'now'], why: "argument 'now' is invalid" },
    { args: ['birth', 'kid'], why: "option '--cognition <kind>' not specified" },
    { args: ['birth', 'kid', '--cognition', 'cat'], why: "argument 'cat' is invalid" },
    { args: ['moments', '@echo', '--last', '0'], why: '--last is "0"' },
    { args: ['explain', '@echo', 'first'], why: 'N is "first"' },
    { args: ['be', 'birth', '--arguments', '{}'], why: 'treeos be --help`' },
    { args: ['replay'], why: 'either a stance or --all' },
    { args: ['replay', '@echo', '--all'], why: 'either a stance or --all' },
    { args: ['do', '/', 'move', '--args', '{bad'], why: '--args is not JSON' },
    { args: ['do', '/', 'move', '--args', '[1]'], why: '--args is [1]; it takes a JSON object' },
    { args: ['do', '@a', 'set-budget', '--args', '{"a": "\\ud800"}'], why: 'lone surrogate' },
    { args: ['be', 'birth', '--args', 'x'], why: '--args is not JSON' },
    { args: ['be', 'birth', '--payload', 'x'], why: '--payload is not JSON' },
    {
      args: ['be', 'birth', '--args', '{}', '--payload', '{}'],
      why: 'args and payload are the same; give args',
    },
    { args: ['signal', 'set', 'foo.bar', '{"a" 1}'], why: 'the value is not JSON' },
    { args: ['signal', 'set', 'foo', '1'], why: 'key "foo" is not valid' },
    { args: ['signal', 'get', 'Foo'], why: 'key "Foo" is not valid' },
    { args: ['space', 'set', '/', 'a.b', '{"__proto__": 1}'], why: '__proto__' },
    { args: ['role', 'set', 'no-such-file.json'], why: 'no-such-file.json cannot be read: ENOENT' },
    { args: ['verify', '--bundle', 'no-such-file'], why: 'no-such-file cannot be read: ENOENT' },
    { args: ['why-not', '@echo', '3', '--act', '{'], why: '--act is not JSON' },
    { args: ['fork', 'x', '--at', 'echo'], why: '--at is "echo"' },
    { args: ['summon', '@echo', '-', '--overlay', '-'], why: 'only one of the text and the overlay' },
    { args: ['summon', 'Echo', 'hi'], code: 'ADDRESS_PARSE_ERROR', why: '"Echo"' },
    { args: ['summon', '@echo', 'hi', '--as', 'an n'], code: 'ADDRESS_PARSE_ERROR', why: '"an n"' },
    { args: ['see', 'no way'], code: 'ADDRESS_PARSE_ERROR', why: 'no way' },
    { args: ['do', 'no way', 'move'], code: 'ADDRESS_PARSE_ERROR', why: 'no way' },
  ])('$args ends with 2 and says why', async ({ args, code = 'INVALID_INPUT', why }) => {
    const { status, stdout } = await treeosHere([...args, '--json'])
    expect(status).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code, message: expect.stringContaining(why) },
    })
  })

  it.each([
    {
      args: ['fly'],
      why: `unknown command 'fly' (Did you mean flow?); \`${us} --help\` lists those of every day`,
    },
    { args: [], why: `treeos takes a command; \`${us} --help\` lists` },
    { args: ['secret', 'set', 'No Key'], why: 'the name of a secret' },
  ])('$args ends with 2 and says why, in a process of its own', ({ args, why }) => {
    const json = treeos([...args, '--json'])
    expect(json).toMatchObject({ status: 2, stderr: '' })
    expect(JSON.parse(json.stdout)).toMatchObject({
      error: { code: 'INVALID_INPUT', message: expect.stringContaining(why) },
    })
  })
})

it('tells its version', () => {
  expect(treeos(['--version']).stdout).toMatch(/^\d+\.\d+\.\d+ \(facts of treeos\/1, Node 24\./)
  const json = treeos(['--version', '--json'])
  expect({ ...json, stdout: JSON.parse(json.stdout) }).toMatchObject({
    status: 0,
    stderr: '',
    stdout: { version: expect.any(String), code: 'treeos/1' },
  })
})

it('a refusal is told on stderr, and as JSON on stdout when asked for', () => {
  const { status, stdout, stderr } = treeos(['status', '--fast'])
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toBe(`error INVALID_INPUT: unknown option '--fast'; see \`${us} status --help\`\n`)
})

it('logs --follow ends when its reader has gone', async () => {
  const data = mkdtempSync(join(folder, 'logs-'))
  const log = join(data, 'worker-1.log')
  writeFileSync(log, 'one\n')
  const child = spawn(process.execPath, [MAIN, 'logs', '--follow', '--data', data], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(child.stdout, 'data')
  child.stdout.destroy()
  const ended = once(child, 'exit')
  const writing = setInterval(() => appendFileSync(log, 'more\n'), 100)
  expect(await ended).toEqual([0, null])
  clearInterval(writing)
})

describe('a Temporal that was named', () => {
  const summon = (address: string) => {
    const more = { TEMPORAL_ADDRESS: address, DATABASE_URL: 'postgres://127.0.0.1:9/none' }
    const { status, stdout } = treeos(['summon', '@echo', 'hi', '--wait', '1', '--json'], { more })
    const { error } = JSON.parse(stdout)
    return { status, code: error.code, message: error.message }
  }

  it('and accepts connections without an answer is late: nothing says that it does not run', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`
    expect(summon(address)).toEqual({
      status: 1,
      code: 'SERVICE_UNAVAILABLE',
      message:
        `Temporal at ${address} did not answer within 10 s: it, or this machine, may be busy; ` +
        `try again, and see what runs with \`${us} status\``,
    })
    silent.close()
  })

  it('and refuses connections does not run', () => {
    expect(summon('127.0.0.1:1')).toMatchObject({
      status: 1,
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringMatching(/^Temporal at 127.0.0.1:1 does not answer \(.*ECONNREFUSED.*treeos up/),
    })
  })
})

describe('without an instance', () => {
  it.each([[['moments', '@echo']], [['summon', '@echo', 'hi']], [['worker']]])(
    '%j says how to start one',
    (args) => {
      const { status, stdout } = treeos([...args, '--json'])
      expect(status).toBe(1)
      const { error } = JSON.parse(stdout)
      expect(error.code).toBe('SERVICE_UNAVAILABLE')
      expect(error.message).toMatch(
        new RegExp(`: start it with \`${us} up --data \\S+\`, or name another with --data$`),
      )
    },
  )

  it('status has its shape all the same, and down has nothing to do', () => {
    expect(JSON.parse(treeos(['status', '--json']).stdout)).toEqual({
      temporal: { address: null, namespace: null, ui: null, open: null, actSignal: null },
      postgres: { url: null },
      checkpoint: null,
      witnesses: null,
      portal: { url: null },
      supervisor: { pid: null },
      worker: { running: false, living: null, pids: [], metrics: [], silent: [] },
      tools: {},
      mind: null,
      connections: {},
      reality: { name: null, timeZone: null },
      moments: null,
      models: null,
      slowestBeat: null,
      wakes: null,
      limit: null,
      inbox: null,
      budgets: null,
      parked: null,
      paced: null,
      awaited: null,
      restored: null,
      migrations: null,
      outlets: null,
      login: null,
    })
    expect(treeos(['down', '--json'])).toMatchObject({ status: 0, stdout: '{"stopped":[]}\n' })
  })

  it.each([
    { args: ['summon', '@echo', '-'], input: 'x'.repeat(2_000_000), code: 'PAYLOAD_TOO_LARGE' },
    { args: ['summon', '@echo', '-'], input: 'a\0b', code: 'INVALID_INPUT' },
    { args: ['flow', 'set', '@echo', '-'], input: '[{"role": "a" "b"}]', code: 'INVALID_INPUT' },
    { args: ['flow', 'set', '@echo', '-'], input: '[{"__proto__": {"role": "a"}}]', code: 'INVALID_INPUT' },
    { args: ['up', '--demo', 'moon'], input: '', code: 'INVALID_INPUT' },
  ])('$args is refused with $code before any service is asked', ({ args, input, code }) => {
    const { status, stdout } = treeos([...args, '--json'], { input })
    expect(status).toBe(1)
    expect(JSON.parse(stdout).error.code).toBe(code)
  })
})

describe('an option before the command', () => {
  it('is of that command', () => {
    const before = treeos(['--data', join(folder, 'elsewhere'), 'beings'])
    expect(before.stderr).toContain(`no instance of TreeOS runs in ${join(folder, 'elsewhere')}`)
    const grouped = treeos(['--data', join(folder, 'elsewhere'), 'role', 'list'])
    expect(grouped.stderr).toContain(`no instance of TreeOS runs in ${join(folder, 'elsewhere')}`)
  })

  it('is refused where the command does not take it', () => {
    expect(treeos(['--data', 'x', 'flow', 'eval'])).toMatchObject({
      status: 2,
      stderr: 'error INVALID_INPUT: `eval` works on no instance, so it takes no --data\n',
    })
  })
})

describe('role lint', () => {
  it('needs no instance, names every fault and warns of unknown names', () => {
    const input = '{"name": "judge", "canDo": ["set-spase"], "prompt": "Rule."}'
    expect(treeos(['role', 'lint', '-'], { input })).toMatchObject({
      status: 0,
      stdout:
        'warning canDo[0]: no loaded extension has the operation "set-spase". Did you mean set-space?\n',
    })
    const bad = treeos(['role', 'lint', '-', '--json'], {
      input: '{"name": "judge", "canSee": 1, "colour": 2}',
    })
    expect(bad.status).toBe(1)
    const { errors } = JSON.parse(bad.stdout) as { errors: { path: string }[] }
    expect(errors.map(({ path }) => path)).toEqual(['colour', 'canSee'])
  })
})

describe('flow lint', () => {
  it('needs no instance, and ends with 1 when there is an error', () => {
    const good = treeos(['flow', 'lint', '-', '--json'], { input: '[{"role": "guard"}]' })
    expect(good).toMatchObject({ status: 0, stdout: '{"errors":[],"warnings":[]}\n' })
    const bad = treeos(['flow', 'lint', '-', '--json'], {
      input: '[{"role": "a", "when": {"__proto__": {"x": 1}}}]',
    })
    expect(bad.status).toBe(1)
    expect(JSON.parse(bad.stdout).errors[0].path).toBe('[0].when.__proto__')
  })

  it('reads a file from where it is run', () => {
    writeFileSync(join(folder, 'flow.json'), '[]')
    expect(treeos(['flow', 'lint', 'flow.json'])).toMatchObject({
      status: 0,
      stdout: 'nothing is wrong with it\n',
    })
  })
})

it('reads a file from a process substitution of the shell', () => {
  const script = `"$0" "$1" flow lint <(echo '[{"role": "guard"}]')`
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, process.execPath, MAIN], {
    env: { ...process.env, TREEOS_DATA: join(folder, 'none') },
    encoding: 'utf8',
  })
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'nothing is wrong with it\n', stderr: '' })
})

it('reads settings beside the instance above, and files from where it is run', () => {
  const world = mkdtempSync(join(folder, 'world-'))
  mkdirSync(join(world, '.treeos'))
  mkdirSync(join(world, 'src'))
  writeFileSync(join(world, '.treeos', 'instance.json'), '{"version": 1, "services": [], "ports": {}}')
  writeFileSync(join(world, '.env'), 'DATABASE_URL=postgres://nobody@127.0.0.1:1/of-this-world')
  writeFileSync(join(world, 'src', 'flow.json'), '[{"role": "guard"}]')
  const { TREEOS_DATA: _own, DATABASE_URL: _other, ...env } = process.env
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [MAIN, ...args], { env, cwd: join(world, 'src'), encoding: 'utf8' })
  expect(run('flow', 'lint', 'flow.json').stdout).toBe('nothing is wrong with it\n')
  expect(run('beings').stderr).toContain('127.0.0.1:1/of-this-world')
})

const LINE = '{"id":1,"flow":[{"role":"a"}],"roles":{"a":{}},"cognition":"llm","context":{}}\n'

describe('the pure commands', () => {
  it('answer line by line, with the error in the place of a bad line', () => {
    const { status, stdout } = treeos(['flow', 'eval'], { input: `${LINE}{"id":2}\n` })
    expect(status).toBe(1)
    const [first, second] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(first).toEqual({ id: 1, primary: 'a', stacked: [] })
    expect(second).toMatchObject({ id: 2, error: { code: 'INVALID_INPUT' } })
    const composed = treeos(['role', 'compose'], { input: '{"id":1,"roles":[{"name":"a","prompt":"x"}]}' })
    expect(composed.stdout).toBe('{"id":1,"canSee":[],"canDo":[],"canSummon":[],"canBe":[],"prompt":"x"}\n')
  })

  it('end quietly when the reader has seen enough', async () => {
    const child = spawn(process.execPath, [MAIN, 'flow', 'eval'], { stdio: ['pipe', 'pipe', 'pipe'] })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
    child.stdin.on('error', () => undefined) // it stops reading us as well
    child.stdin.write(LINE.repeat(20_000))
    await once(child.stdout, 'data')
    child.stdout.destroy()
    child.stdin.write(LINE.repeat(20_000))
    const [code, signal] = await once(child, 'exit')
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' })
  })

  it.each([
    [['--help']],
    [['help', 'audit']],
    [['flow', 'eval']],
    [['role', 'compose']],
    [['summon', '@echo']],
    [['flow', '--help']],
  ])('%j loads neither Temporal nor Postgres', (args) => {
    const loaded = loadedBy(args)
    expect(loaded.length).toBeGreaterThan(5)
    expect(loaded.filter((url) => /temporalio|[/]pg[/]|kysely|openai|chain[/]src/.test(url))).toEqual([])
  })

  it.each([
    [['inbox', '--data', join(folder, 'none')]],
    [['moments', '@echo', '--data', join(folder, 'none')]],
  ])('%j, which only reads, loads neither Temporal nor HTTP', (args) => {
    const loaded = loadedBy(args)
    expect(loaded.filter((url) => /[/]pg[/]/.test(url))).not.toEqual([])
    expect(loaded.filter((url) => /temporalio|^node:https?$/.test(url))).toEqual([])
  })
})

/** The modules that a command loads, by their addresses. */
function loadedBy(args: readonly string[]): string[] {
  const spy = join(folder, 'spy.mjs')
  writeFileSync(
    spy,
    `import { registerHooks } from 'node:module'
      registerHooks({ load(url, context, next) { process.stderr.write('LOADED ' + url + '\\n'); return next(url, context) } })`,
  )
  const { stderr } = treeos(args, { node: ['--import', pathToFileURL(spy).href] })
  return stderr.split('\n').flatMap((line) => (line.startsWith('LOADED ') ? [line.slice(7)] : []))
}

describe('help', () => {
  it('without a command is the first page on standard error, with 2', () => {
    const { stdout } = treeos(['--help'])
    expect(stdout).toMatch(/^Usage: treeos /)
    expect(treeos([])).toMatchObject({ status: 2, stdout: '', stderr: stdout })
  })

  it.each([
    { args: ['help'], shows: 'what-if   what another role' },
    { args: ['help', 'audit'], shows: '  verify  ' },
    { args: ['help', 'role', 'set'], shows: 'Usage: treeos role set [options] <file>' },
    { args: ['help', 'inbox'], shows: 'Usage: treeos inbox [options] [command]' },
  ])('$args is shown on stdout with 0', ({ args, shows }) => {
    const { status, stdout, stderr } = treeos(args)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(shows)
  })

  it.each([
    {
      args: ['help'],
      value: { topics: expect.arrayContaining([{ topic: 'audit', about: expect.any(String) }]) },
    },
    {
      args: ['help', 'what-if'],
      value: {
        topic: 'what-if',
        commands: expect.arrayContaining([
          { name: 'trial run', usage: 'trial run <file>', about: expect.any(String) },
        ]),
      },
    },
    {
      args: ['help', 'role', 'set'],
      value: { command: 'role set', help: expect.stringContaining('Usage:') },
    },
  ])('$args --json is one value', ({ args, value }) => {
    expect(JSON.parse(treeos([...args, '--json']).stdout)).toMatchObject(value)
  })
})

it('shows help on stdout with 0', () => {
  const { status, stdout } = treeos(['summon', '--help'])
  expect(status).toBe(0)
  expect(stdout).toContain('Usage: treeos summon')
})

describe('a path counts from where the user stands', () => {
  const world = join(folder, 'world')
  const below = join(world, 'below')
  mkdirSync(join(world, '.treeos'), { recursive: true })
  mkdirSync(below)
  writeFileSync(join(world, '.treeos', 'instance.json'), '{}')
  writeFileSync(join(below, 'role.json'), '{"name": "clerk", "prompt": "You are a clerk."}')
  writeFileSync(join(below, 'bundle'), 'no bundle\r\n')
  const env = { ...process.env }
  for (const name of ['TREEOS_DATA', 'DATABASE_URL', 'TEMPORAL_ADDRESS', 'INIT_CWD']) delete env[name]
  const inside = (args: readonly string[], input = '') =>
    spawnSync(process.execPath, [MAIN, ...args, '--json'], { cwd: below, env, encoding: 'utf8', input })

  it.each([
    { args: ['role', 'lint', 'role.json'], status: 0 },
    { args: ['verify', '--bundle', 'bundle'], status: 1 },
    { args: ['verify', '--bundle', '-'], status: 1, input: 'no bundle\n' },
  ])('in a folder below its instance: $args', ({ args, status, input = '' }) => {
    expect(inside(args, input)).toMatchObject({
      status,
      stdout: expect.not.stringContaining('cannot be read'),
    })
  })

  it('and none above is read', () => {
    writeFileSync(join(world, 'above.json'), '{}')
    expect(JSON.parse(inside(['role', 'lint', 'above.json']).stdout).error.message).toContain(
      `${join(below, 'above.json')} cannot be read`,
    )
  })

  it.each(['-', '/dev/null'])('a bundle is not exported to %s', (file) => {
    const { status, stdout } = inside(['export', file])
    expect({ status, stdout }).toMatchObject({ status: file === '-' ? 2 : 1 })
    expect(JSON.parse(stdout).error.code).not.toBe('INTERNAL')
  })
})
