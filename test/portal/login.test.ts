/** Somebody at a terminal who has no database: `treeos login`, and what its commands then do. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { livedMoments, momentsWithin, personData, summon } from '@treeos/client'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CliInstance } from '../cli/instance.ts'
import { PortalWorld } from '../support/portal.ts'

let at: PortalWorld
const folder = mkdtempSync(join(tmpdir(), 'treeos-test-login-'))
const env = {
  TREEOS_DATA: '',
  XDG_CONFIG_HOME: folder,
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
}
const terminal = new CliInstance(() => env, folder)
const file = join(folder, 'treeos', 'login.json')
beforeAll(async () => {
  at = await PortalWorld.start()
})
afterAll(async () => {
  await terminal.remove()
  await at?.close()
})

/** Begins `treeos login`. @returns the code that it shows, and its end */
async function begin(): Promise<{ code: string; ended: Promise<{ status: number | null; stdout: string }> }> {
  const child = terminal.start(['login', at.origin, '--json'])
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text) => (stdout += text))
  const ended = new Promise<{ status: number | null; stdout: string }>((resolve) => {
    child.on('close', (status) => resolve({ status, stdout }))
  })
  const code = new Promise<string>((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr += text
      const [, shown] = /there: ([A-Z]{4}-[A-Z]{4})/.exec(stderr) ?? []
      if (shown !== undefined) resolve(shown)
    })
    child.on('close', () => reject(new Error(`no code: ${stderr}${stdout}`)))
  })
  return { code: await code, ended }
}

const look = (seat: Parameters<PortalWorld['post']>[0], code: string) =>
  at.post(seat, '/api/account/terminal', { code })
const allow = (seat: Parameters<PortalWorld['post']>[0], code: string) =>
  at.post(seat, '/api/account/terminal/allow', { code })

it('a person lets a terminal act as itself by the code that it shows, once, signed in lately', async () => {
  const { code, ended } = await begin()
  const ada = await at.sit('ada')
  expect((await look(null, code)).status).toBe(401)
  expect(await look(ada, 'BCDF-GHJK')).toMatchObject({ status: 400 })
  const typed = code.toLowerCase().replace('-', ' ')
  expect((await look(ada, typed)).json).toMatchObject({
    name: expect.stringMatching(/ at /),
    address: '127.0.0.1',
  })
  const stale = await at.sit('ada')
  await sql`update portal.session set created_at = clock_timestamp() - interval '1 hour'
    where key_hash = sha256(${stale.key}::bytea)`.execute(at.world.owner)
  expect(await allow(stale, code)).toMatchObject({
    status: 403,
    json: { context: { reason: 'sign-in-again' } },
  })
  expect((await allow(ada, typed)).json).toMatchObject({ being: '@ada', issuedBy: '@ada', revokedAt: null })
  const { items } = (await at.ask(ada, '/api/v1/tokens')).json
  expect(items[0]).toMatchObject({
    being: '@ada',
    terminal: { name: expect.stringMatching(/ at /), address: '127.0.0.1' },
  })
  expect((await allow(await at.sit('bob'), code)).status).toBe(400)
  const { status, stdout } = await ended
  expect({ status, told: JSON.parse(stdout) }).toMatchObject({
    status: 0,
    told: { url: at.origin, reality: at.world.reality.name, being: '@ada', issuedBy: '@ada' },
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const { token } = JSON.parse(readFileSync(file, 'utf8')) as { token: string }
  const { rows } = await sql<{ all: string }>`select t::text as all from portal.terminal t`.execute(
    at.world.owner,
  )
  expect(rows.map(({ all }) => all).join()).not.toContain(token)
  expect(await terminal.json(['whoami'])).toMatchObject({ url: at.origin, being: '@ada' })
})

/** Asks for a code as a terminal does. @param from address of the terminal */
const ask = (from?: string) =>
  at.post(
    null,
    '/api/v1/terminals',
    { name: 'many' },
    {
      headers: { authorization: `Bearer treeos_${randomBytes(32).toString('base64url')}` },
      from,
    },
  )

it('more terminals than the portal has connections are let at once', async () => {
  const ada = await at.sit('ada')
  const asked = await Promise.all(Array.from({ length: 12 }, () => ask()))
  const allowed = await Promise.all(asked.map(({ json }) => allow(ada, json.code)))
  expect(allowed.map(({ status }) => status)).toEqual(asked.map(() => 200))
})

it('twenty terminals of an address wait, and keep no other from asking', async () => {
  const asked = await Promise.all(Array.from({ length: 20 }, () => ask('127.0.0.9')))
  expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 200))
  expect(await ask('127.0.0.9')).toMatchObject({ status: 429, json: { code: 'RATE_LIMITED' } })
  expect((await ask('127.0.0.10')).status).toBe(200)
})

it('a terminal that could not be let waits on', async () => {
  const { json } = await ask()
  const { owner } = at.world
  const cleo = await at.sit('cleo')
  await sql`create function refuse() returns trigger language plpgsql as
    $$ begin raise 'no token'; end $$`.execute(owner)
  await sql`create trigger refuse before insert on treeos.token execute function refuse()`.execute(owner)
  expect((await allow(cleo, json.code)).status).toBe(500)
  await sql`drop trigger refuse on treeos.token`.execute(owner)
  expect((await allow(cleo, json.code)).status).toBe(200)
})

describe('somebody who is logged in', () => {
  it('speaks, waits for the answer and reads it again, without a database', async () => {
    const said = await terminal.json<{ correlation: string }>(['summon', 'kid', 'hello', '--wait', '60'])
    expect(said).toMatchObject({ reply: { from: '@kid', content: 'hello' }, moment: { outcome: 'act' } })
    const spoken = await terminal.json<object>(['thread', 'show', said.correlation])
    expect(spoken).toMatchObject({ root: said.correlation, moments: 1, owed: [] })
    expect((await terminal.run(['thread', 'show', said.correlation])).stdout).toContain('hello')
    const lines = await terminal.run(['thread', 'show', said.correlation, '--csv', '--being', 'kid'])
    expect(lines.stdout.split('\r\n')).toHaveLength(3)
    expect(lines.stdout).toMatch(/,words,kid,ada,hello,false,/)
    expect(await terminal.json(['thread', 'list', '--all'])).toEqual(
      expect.arrayContaining([expect.objectContaining({ thread: said.correlation })]),
    )
  })

  it('is shown of moments what the record holds', async () => {
    const { stdout } = await terminal.run(['moments', '@kid', '--last', '1', '--json'])
    const [last] = await livedMoments(at.world.db, 'kid', 1)
    const listed = { being: '@kid', moment: `kid/1/${last?.n}`, ...last }
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(listed)))
    const n = String(last?.n)
    expect(await terminal.json(['explain', '@kid', n])).toMatchObject({ primary: last?.primary })
    expect(await terminal.json(['prompt', '@kid', n])).toMatchObject({ identical: true })
    expect((await terminal.run(['moments', '@kid'])).stdout).toContain('act')
    expect(await terminal.refusal(['moments', '@bob'])).toMatchObject({ status: 1, code: 'FORBIDDEN' })
  })

  it('replays moments of her beings where the instance runs, and of no others', async () => {
    expect(await terminal.json(['replay', '@kid'])).toMatchObject({ beings: 1, identical: true, more: 0 })
    expect((await terminal.run(['replay', '@kid'])).stdout).toContain('identical')
    for (const asked of [['@bob'], ['--all']])
      expect(await terminal.refusal(['replay', ...asked])).toMatchObject({ status: 1, code: 'FORBIDDEN' })
    const chain = await terminal.refusal(['replay', '@kid', '--from', 'chain'])
    expect(chain.message).toContain('replay --from needs the database')
  })

  it('lists moments of a period, of beings and persons, also as CSV', async () => {
    const { db } = at.world
    const since = new Date(Date.now() - 60_000).toISOString()
    const byApi = await terminal.run(['moments', '--since', since, '--last', '500', '--json'])
    const beings = byApi.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).being)
    expect(new Set(beings)).toEqual(new Set(['@ada', '@kid'])) // @bob's past is not open to her
    const all = await momentsWithin(db, { of: 'ada', since: Date.parse(since), limit: 500 })
    expect(beings).toEqual(all.map(({ being }) => being))
    const own = await terminal.run(['moments', '--person', 'ada', '--last', '2', '--json'])
    expect(
      own.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).being),
    ).toEqual(Array(2).fill('@ada'))
    expect((await terminal.run(['moments', '--until', '2020-01-01'])).stdout).toBe('no such moment is over\n')
    const { stdout } = await terminal.run(['moments', '@kid', '--csv'])
    const [head, first] = stdout.split('\r\n')
    expect(head).toBe(
      'being,n,opened,ended,outcome,reason,woken_by,verb,operation,target,role,driver,tokens,money,words,act',
    )
    expect(first).toMatch(/^kid,1,\d{4}-[\w:.-]+Z,\d{4}-[\w:.-]+Z,act,,ada,summon,,ada,stage:free,/)
    expect(await terminal.refusal(['moments', '@kid', '--csv'])).toMatchObject({ status: 2 })
    expect(await terminal.refusal(['moments', '--being', 'bob'])).toMatchObject({ code: 'FORBIDDEN' })
    const found = await terminal.json<{ said: { to: string }[]; beings: string[] }>([
      'search',
      'hello',
      '--being',
      'kid',
    ])
    expect(found).toMatchObject({ beings: [], said: [expect.objectContaining({ words: 'hello' })] })
    expect((await terminal.run(['search', 'hello', '--until', '2020-01-01', '--csv'])).stdout).toBe(
      'kind,at,by,to,thread,n,outcome,words\n',
    )
    expect((await terminal.run(['approvals', '--csv', '--being', 'kid'])).stdout).toBe(
      'id,from,driver,roles,call,rule,outside,until\n',
    )
    const period = ['--since', '1h', '--until', '2h']
    expect(await terminal.refusal(['thread', 'list', ...period])).toMatchObject({ status: 2 })
  })

  it('acts as itself', async () => {
    const born = ['birth', 'tom', '--cognition', 'scripted', '--script', 'echo', '--role', 'stage:free']
    expect(await terminal.json(born)).toMatchObject({ stance: '@tom', parent: '@ada' })
    expect(await terminal.json(['do', '/library', 'move'])).toMatchObject({
      act: expect.stringMatching(/^ada\//),
    })
    expect(await terminal.json(['see', '/library'])).toMatchObject({ address: { path: '/library' } })
    expect(await terminal.json(['beings'])).toEqual(
      expect.arrayContaining([expect.objectContaining({ stance: '@tom', parent: '@ada' })]),
    )
    const opened = ['signal', 'set', 'fair.open', 'true']
    expect(await terminal.json(opened), 'its words are not from outside').toMatchObject({ facts: [{}] })
    const vouching = await terminal.refusal(['do', '/library', 'vouch', '--args', '{"seen": "x"}'])
    expect(vouching).toMatchObject({ status: 1, code: 'FORBIDDEN' })
    expect(await terminal.json(['signal', 'get', 'fair.open'])).toBe(true)
    const flow = JSON.stringify([{ role: 'stage:free' }])
    await terminal.json(['flow', 'set', '@tom', '-'], { input: flow })
    expect(await terminal.json(['flow', 'get', '@tom'])).toEqual(JSON.parse(flow))
    expect(await terminal.json(['role', 'show', 'stage:free'])).toMatchObject({
      usedBy: expect.arrayContaining(['@tom']),
    })
    expect(await terminal.json(['budget', '@tom'])).toMatchObject({ stance: '@tom' })
    const { facts } = await terminal.json<{ facts: { hash: string }[] }>([
      'signal',
      'set',
      'fair.note',
      '"x"',
    ])
    expect(await terminal.json(['end', 'tom'])).toMatchObject({ facts: [{ kind: 'being:ended' }, {}] })
    expect(await terminal.refusal(['erase', facts[0]!.hash, '--why', 'a test'])).toMatchObject({ status: 1 })
  })

  it('renames a role with those that name it, and changes a default role, by a command each', async () => {
    const role = { name: 'page', canSummon: ['@ada'], prompt: 'You carry letters.' }
    await terminal.json(['role', 'set', '-'], { input: JSON.stringify(role) })
    for (const name of ['may', 'mia'])
      await terminal.json([
        'birth',
        name,
        '--cognition',
        'scripted',
        '--script',
        'echo',
        '--role',
        'stage:free',
      ])
    const flow = [{ when: { verb: 'see' }, role: 'stage:free' }, { role: 'page' }]
    await terminal.json(['flow', 'set', 'may', '-'], { input: JSON.stringify(flow) })
    expect(await terminal.json(['role', 'default', 'mia', 'page'])).toMatchObject({
      result: { being: '@mia', role: 'page', before: 'stage:free' },
      facts: [{ kind: 'being:role-set', reel: 'being:mia' }],
    })
    expect(await terminal.refusal(['role', 'default', 'mia', 'page'])).toMatchObject({
      code: 'RESOURCE_CONFLICT',
    })
    expect(await terminal.json(['role', 'rename', 'page', 'herald'])).toEqual({
      from: 'page',
      to: 'herald',
      beings: ['@may', '@mia'],
    })
    expect(await terminal.json(['role', 'show', 'herald'])).toMatchObject({ ...role, name: 'herald' })
    expect(await terminal.refusal(['role', 'show', 'page'])).toMatchObject({ code: 'ROLE_UNAVAILABLE' })
    expect(await terminal.json(['flow', 'get', 'may'])).toEqual([flow[0], { role: 'herald' }])
    const beings = await terminal.json<{ stance: string; defaultRole: string }[]>([
      'beings',
      '--role',
      'herald',
    ])
    expect(beings.map(({ stance }) => stance)).toEqual(['@mia'])
    expect(await terminal.refusal(['role', 'rename', 'stage:free', 'free'])).toMatchObject({
      code: 'RESOURCE_CONFLICT',
    })
    expect(await terminal.refusal(['role', 'rename', 'page', 'other'])).toMatchObject({
      code: 'ROLE_UNAVAILABLE',
    })
  })

  it('answers what waits, and closes it', async () => {
    const { db, temporal, reality, registry } = at.world
    const world = { db, temporal, reality, registry, person: 'cleo' }
    const asked = await summon(world, { target: 'ada', content: 'tea?', as: 'cleo', waitSeconds: null })
    await expect
      .poll(async () => JSON.stringify(await terminal.json(['inbox'])), { timeout: 20_000 })
      .toContain(asked.correlation)
    const fromCleo = await terminal.json<object[]>(['inbox', '--person', 'cleo', '--since', '1h'])
    expect(fromCleo).toMatchObject([{ from: '@cleo', text: 'tea?' }])
    expect(await terminal.json(['inbox', '--being', 'kid'])).toEqual([])
    expect((await terminal.run(['inbox', '--csv', '--person', 'cleo'])).stdout).toMatch(
      /^id,at,from,kind,priority,times,outside,text\r\n[^\r]+,cleo,question,interactive,1,false,tea\?\n$/,
    )
    expect(await terminal.json(['reply', asked.correlation, 'yes'])).toMatchObject({ moment: null })
    expect(await terminal.json(['inbox', 'dismiss', '--all-notices'])).toEqual({ closed: 0 })
    expect(await terminal.json(['approvals'])).toEqual([])
  })

  it('sees and changes no tools of the machine, unless it is the operator', async () => {
    for (const args of [['list'], ['check'], ['accept', 'shop'], ['remove', 'shop']])
      expect(await terminal.refusal(['tools', ...args])).toMatchObject({ status: 1, code: 'FORBIDDEN' })
    const { status, json } = await at.post(await at.sit('operator'), '/api/v1/tools/remove', {
      server: 'shop',
    })
    expect({ status, code: json.code }, 'in person, it comes to the machine').toEqual({
      status: 404,
      code: 'EXTENSION_NOT_FOUND',
    })
  })

  it('is told how else to act as another, and what needs the database', async () => {
    const other = await terminal.refusal(['inbox', '--as', '@bob'])
    expect(other).toMatchObject({ status: 1, code: 'FORBIDDEN' })
    expect(other.message).toContain(`treeos login ${at.origin}\` as that person`)
    expect(await terminal.json(['inbox', '--as', 'ada'])).toEqual(expect.any(Array))
    const whole = await terminal.refusal(['verify'])
    expect(whole).toMatchObject({ status: 1, code: 'SERVICE_UNAVAILABLE' })
    expect(whole.message).toMatch(/treeos verify` needs the database of an instance.*verify --bundle FILE/)
    expect((await terminal.refusal(['inbox', '--data', 'elsewhere'])).message).not.toContain('logged in')
  })

  it('drives a being of hers until its input ends, and acts as it meanwhile', async () => {
    const held = terminal.start(['inhabit', '@kid', '--json'])
    const lines = createInterface({ input: held.stdout! })[Symbol.asyncIterator]()
    expect(JSON.parse(String((await lines.next()).value))).toMatchObject({
      event: 'inhabited',
      driver: '@ada',
    })
    const acted = await terminal.json(['do', '/library', 'move', '--as', '@kid'])
    expect(acted).toMatchObject({ act: expect.stringMatching(/^kid\//) })
    expect(await terminal.refusal(['inhabit', '@bob'])).toMatchObject({ status: 1, code: 'FORBIDDEN' })
    held.stdin!.end()
    expect(JSON.parse(String((await lines.next()).value))).toEqual({
      event: 'released',
      being: '@kid',
      why: 'released',
    })
    const [code] = await once(held, 'close')
    expect(code).toBe(0)
    expect(await terminal.refusal(['see', '/', '--as', '@kid'])).toMatchObject({ code: 'FORBIDDEN' })
  })

  it('hears the answer while it is written, and follows what happens', async () => {
    const heard = await terminal.run(['summon', '@kid', 'again', '--stream'])
    expect(heard).toMatchObject({ status: 0, stdout: '@kid: again\n' })
    const tail = terminal.start(['tail', '@kid', '--after', '0', '--json'])
    const line = await new Promise<string>((resolve) =>
      tail.stdout?.setEncoding('utf8').once('data', resolve),
    )
    tail.kill('SIGINT')
    expect(JSON.parse(line.split('\n')[0]!)).toMatchObject({ id: expect.any(String) })
  })
})

const tokenKept = () => (JSON.parse(readFileSync(file, 'utf8')) as { token: string }).token
const isRevoked = { status: 401, json: { detail: expect.stringContaining('revoked') } }
const showToken = (token: string) =>
  at.ask(null, '/api/v1/token', { headers: { authorization: `Bearer ${token}` } })

it('login by another code ends the token before', async () => {
  const former = tokenKept()
  const { code, ended } = await begin()
  expect((await showToken(former)).status).toBe(200)
  expect((await allow(await at.sit('ada'), code)).status).toBe(200)
  expect(await ended).toMatchObject({ status: 0 })
  expect(await showToken(former)).toMatchObject(isRevoked)
  expect((await showToken(tokenKept())).status).toBe(200)
})

it('a terminal ends with all sessions of its person, or all others, and not with one or those of another', async () => {
  const [first, second] = [await at.sit('cleo'), await at.sit('cleo')]
  const letTerminal = async () => {
    const token = `treeos_${randomBytes(32).toString('base64url')}`
    const headers = { authorization: `Bearer ${token}` }
    const { code } = (await at.post(null, '/api/v1/terminals', { name: 'mine' }, { headers })).json
    expect((await allow(await at.sit('cleo'), code)).status).toBe(200)
    return token
  }
  const end = (seat: typeof first, which: string) => at.post(seat, '/api/account/sessions/end', { which })
  const token = await letTerminal()
  const { sessions } = (await at.ask(first, '/api/account')).json
  const other = sessions.find(({ isThis }: { isThis: boolean }) => !isThis)
  await end(first, other.id)
  await end(await at.sit('ada'), 'others')
  expect((await showToken(token)).status).toBe(200)
  expect((await end(first, 'others')).status).toBe(200)
  expect(await showToken(token)).toMatchObject(isRevoked)
  const again = await letTerminal()
  expect((await end(first, 'all')).json.ended).toBeGreaterThanOrEqual(2)
  expect(await showToken(again)).toMatchObject(isRevoked)
  expect((await at.ask(second, '/api/session')).status).toBe(401)
})

it('logout removes the login and revokes its token, whoever may read it', async () => {
  const token = tokenKept()
  chmodSync(file, 0o644)
  expect(await terminal.json(['logout'])).toEqual({ loggedOut: true })
  expect(existsSync(file)).toBe(false)
  expect(await showToken(token)).toMatchObject(isRevoked)
  expect(await terminal.json(['logout'])).toEqual({ loggedOut: false })
  writeFileSync(file, '{')
  const damaged = await terminal.run(['logout'])
  expect(damaged).toMatchObject({ status: 0, stderr: expect.stringContaining('was not revoked') })
  expect(existsSync(file)).toBe(false)
})

it('login takes a token from standard input, and refuses what is none', async () => {
  const { issueToken } = await import('@treeos/client')
  const { secret } = await issueToken({ ...at.world, person: 'ada' }, { being: 'kid', as: 'ada' })
  const input = `${secret}\n`
  expect(await terminal.json(['login', at.origin, '--token', '-'], { input })).toMatchObject({
    being: '@kid',
    issuedBy: '@ada',
  })
  const said = await terminal.json(['summon', '@ada', 'I am driven', '--no-reply'])
  expect(said).toMatchObject({ correlation: expect.any(String) })
  await terminal.json(['logout'])
  const wrong = `treeos_${'x'.repeat(43)}`
  expect(await terminal.refusal(['login', at.origin, '--token', wrong])).toMatchObject({
    code: 'UNAUTHORIZED',
  })
  expect(await terminal.refusal(['login', at.origin, '--token', 'x'])).toMatchObject({ status: 2 })
  const { stderr } = await terminal.run(['login', 'http://127.portal.invalid', '--token', wrong])
  expect(stderr).toContain('not encrypted')
  expect(await terminal.refusal(['login', 'ftp://x'])).toMatchObject({ status: 2 })
  expect(existsSync(file)).toBe(false)
})

it('the operator, logged in, looks back over all: receipts of a range, holds, one person, a report, trials', async () => {
  const { issueToken } = await import('@treeos/client')
  const { secret } = await issueToken(at.world, { being: 'operator', as: 'operator' })
  const input = `${secret}\n`
  await terminal.json(['login', at.origin, '--token', '-'], { input })

  const set = await terminal.json(['hold', 'set', '@ada', 'case-4', '--why', 'a letter'])
  expect(set).toMatchObject({ facts: [{ kind: 'hold:set', reel: 'being:ada' }] })
  expect(await terminal.json(['hold', 'list'])).toMatchObject([{ on: '@ada', name: 'case-4' }])
  const lifted = await terminal.refusal(['hold', 'lift', '@ada', 'case-4', '--why', 'a token says so'])
  expect(lifted, 'a token is nobody’s own word').toMatchObject({ code: 'FORBIDDEN' })
  const found = await terminal.json<{ items: object[] }>(['person', 'find', '@ada'])
  expect(found).toMatchObject({ person: '@ada', held: ['"case-4" on @ada'] })
  const { items } = await personData(at.world.db, { person: 'ada', skip: 0, limit: 10_000, contents: false })
  expect(found.items).toEqual(JSON.parse(JSON.stringify(items)))

  expect(await terminal.json(['tools', 'list'])).toEqual([])
  expect(await terminal.json(['tools', 'check'])).toEqual([])
  expect(await terminal.json<object[]>(['extensions'])).toContainEqual(
    expect.objectContaining({ name: 'stage' }),
  )
  const remote = ['tools', 'add', 'shop', '--url', 'http://127.0.0.1:1/mcp']
  expect(await terminal.refusal(remote)).toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining('in person, not by a program'),
  })
  for (const more of [
    ['--secret', 'key'],
    ['--oauth-client', 'c', '--oauth-secret', 's', '--oauth-issuer', 'i'],
  ])
    expect(await terminal.refusal([...remote, ...more])).toMatchObject({
      status: 2,
      message: expect.stringContaining('on the machine of its worker'),
    })
  const receipts = await terminal.run(['receipt', '@kid', '--since', '1', '--until', '2', '--json'])
  expect(receipts.status).toBe(0)
  expect(receipts.stdout.trim().split('\n')).toHaveLength(2)
  expect(await terminal.refusal(['receipt', '@kid', '--since', '999'])).toMatchObject({
    code: 'MOMENT_NOT_FOUND',
  })
  const to = join(folder, 'report.json')
  const counts = await terminal.json(['report', to, '--since', '1h', '--until', '2999-01-01'])
  expect(counts).toMatchObject({ file: to, holds: 1 })
  expect(JSON.parse(readFileSync(to, 'utf8'))).toMatchObject({ v: 1, acts: expect.any(Array) })
  const trial = JSON.stringify({ trial: 1, moments: { being: '@kid' }, candidates: { same: {} } })
  const ofScript = await terminal.refusal(['trial', 'run', '-'], { input: trial })
  expect(ofScript).toMatchObject({ status: 1, code: 'MOMENT_NOT_FOUND' })
  const kept = await terminal.refusal(['trial', 'run', '-', '--keep', 'x.jsonl'], { input: trial })
  expect(kept).toMatchObject({ status: 2, message: expect.stringContaining('--keep') })
  await terminal.json(['logout'])
})
