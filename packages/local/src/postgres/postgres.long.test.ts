import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { bareEnv, killedWhileStarting, temporaryFolders } from '../../test/instances.ts'
import { readInstance } from '../instance/instance.ts'
import { removeInstance } from '../instance/remove.ts'
import { stopInstance } from '../instance/stop.ts'
import { LocalError } from '../machine/error.ts'
import { freePort } from '../machine/ports.ts'
import { isRunning, processStart, spawnDetached, terminate } from '../machine/process.ts'
import { ensurePostgres } from './postgres.ts'
import { query } from './server.ts'

const folder = temporaryFolders()
const isRoot = process.getuid?.() === 0
const start = (dataDir: string, port?: number) => ensurePostgres({ dataDir, port, env: bareEnv })

const isListening = (pid: number | null) => pid !== null && processStart(pid) !== null

async function kill(pid: number): Promise<void> {
  const known = { pid, startedAt: processStart(pid) as string }
  process.kill(pid, 'SIGKILL')
  await terminate(known)
}

describe('the database of an instance', () => {
  it('is the same after a stop and a start, on the same port, with the same password', async () => {
    const dataDir = folder()
    const first = await start(dataDir)
    await query(first.url, 'create table kept (n int)')
    await query(first.url, 'insert into kept values (7)')
    await first.stop()
    expect(readInstance(dataDir).services).toEqual([])
    await expect(query(first.url, 'select 1')).rejects.toThrow()
    const second = await start(dataDir)
    expect(second.url).toBe(first.url)
    expect(second.reused).toBe(false)
    expect((await query(second.url, 'select n from kept')).rows).toEqual([{ n: 7 }])
    await second.stop()
  })

  it('keeps every commit, wants a password, listens on loopback only, and sorts by code point', async () => {
    const dataDir = folder()
    const { url, stop } = await start(dataDir)
    const settings = "select current_setting('synchronous_commit') s, current_setting('listen_addresses') l"
    expect((await query(url, settings)).rows).toEqual([{ s: 'on', l: '127.0.0.1' }])
    const { rows: compresses } = await query(
      url,
      "select current_setting('wal_compression') <> 'off' as does",
    )
    expect(compresses).toEqual([{ does: true }])
    const { rows } = await query(url, "select x from unnest(array['b', 'a', 'B', 'ä']) x order by x")
    expect(rows.map(({ x }) => x).join('')).toBe('Babä')
    const other = new URL(url)
    other.password = 'wrong'
    await expect(query(other.href, 'select 1')).rejects.toThrow('password authentication failed')
    expect(statSync(join(dataDir, 'postgres', 'password')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(dataDir, 'instance.json'), 'utf8')).not.toContain(new URL(url).password)
    await stop()
  })

  it('still running is reused, also when its record is lost', async () => {
    const dataDir = folder()
    const first = await start(dataDir)
    rmSync(join(dataDir, 'instance.json'))
    const second = await start(dataDir)
    expect(second).toMatchObject({ pid: first.pid, url: first.url, reused: true })
    await expect(start(dataDir, await freePort('another'))).rejects.toThrow(/runs on port \d+, not \d+/)
    expect(await stopInstance(dataDir)).toMatchObject([{ name: 'postgres', pid: first.pid, end: 'stopped' }])
  })

  it('recovers from a killed server', async () => {
    const dataDir = folder()
    const first = await start(dataDir)
    await query(first.url, 'create table kept as select 7 n')
    await kill(first.pid as number)
    const second = await start(dataDir)
    expect(second).toMatchObject({ reused: false, url: first.url })
    expect((await query(second.url, 'select n from kept')).rows).toEqual([{ n: 7 }])
    await second.stop()
  })

  it('starts although the pid of a killed server is another process by now', async () => {
    const dataDir = folder()
    const first = await start(dataDir)
    await kill(first.pid as number)
    const other = await spawnDetached({ command: 'sleep', args: ['60'], logFile: join(dataDir, 'log') })
    const data = existsSync(join(dataDir, 'postgres', 'data')) ? join(dataDir, 'postgres', 'data') : ''
    const file = join(data, 'postmaster.pid')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(other.pid)))
    const second = await start(dataDir)
    expect(second.reused).toBe(false)
    await second.stop()
    expect(isRunning(other)).toBe(true)
    await terminate(other)
  })

  it('is not taken from a first start that was cut short', async () => {
    const dataDir = folder()
    mkdirSync(join(dataDir, 'postgres', 'data.new'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres', 'data.new', 'PG_VERSION'), '18\n')
    const { url, stop } = await start(dataDir)
    expect((await query(url, 'select 1 one')).rows).toEqual([{ one: 1 }])
    await stop()
  })

  it('goes on from a start that was killed', async () => {
    const dataDir = folder()
    await killedWhileStarting('ensurePostgres', dataDir)
    const { url, stop } = await start(dataDir)
    expect((await query(url, 'select 1 one')).rows).toEqual([{ one: 1 }])
    await stop()
    expect(readInstance(dataDir).services).toEqual([])
  })

  it('of two instances are two', async () => {
    const [one, two] = await Promise.all([start(folder()), start(folder())])
    expect(one.url).not.toBe(two.url)
    await query(one.url, 'create table mine ()')
    await expect(query(two.url, 'select from mine')).rejects.toThrow('does not exist')
    await one.stop()
    expect((await query(two.url, 'select 1 one')).rows).toEqual([{ one: 1 }])
    await two.stop()
  })

  it('started twice at once is one', async () => {
    const dataDir = folder()
    const [one, two] = await Promise.all([start(dataDir), start(dataDir)])
    expect(one.pid).toBe(two.pid)
    expect([one.reused, two.reused].sort()).toEqual([false, true])
    await one.stop()
  })

  it('whose password was lost says so', async () => {
    const dataDir = folder()
    const first = await start(dataDir)
    rmSync(join(dataDir, 'postgres', 'password'))
    await expect(start(dataDir)).rejects.toThrow(/refuses the password in .*postgres\/password/)
    await first.stop()
  })

  it.runIf(isRoot)('lies elsewhere when the server cannot reach the instance', async () => {
    const dataDir = folder(0o700)
    const lines: string[] = []
    const first = await ensurePostgres({ dataDir, env: bareEnv, onProgress: (line) => lines.push(line) })
    const elsewhere = readFileSync(join(dataDir, 'postgres', 'elsewhere'), 'utf8')
    expect(lines.join('\n')).toContain(`Postgres keeps its data in ${elsewhere}`)
    expect(readdirSync(elsewhere)).toEqual(['data'])
    await first.stop()
    chmodSync(dataDir, 0o711) // it stays where it was
    const second = await start(dataDir)
    expect(second.url).toBe(first.url)
    await removeInstance(dataDir)
    expect([existsSync(elsewhere), existsSync(dataDir), isListening(second.pid)]).toEqual([
      false,
      false,
      false,
    ])
  })
})

describe('the login of workers', () => {
  it('is a role that owns nothing, with a password of its own, the same after a restart', async () => {
    const dataDir = folder()
    const first = await start(dataDir)
    const who = `select session_user::text as who, rolsuper as super from pg_roles where rolname = session_user`
    expect((await query(first.workerUrl, who)).rows).toEqual([{ who: 'treeos_worker', super: false }])
    await expect(query(first.workerUrl, 'create table t (x int)')).rejects.toMatchObject({ code: '42501' })
    expect((await query(first.url, who)).rows).toEqual([{ who: 'treeos', super: true }])
    const [worker, owner] = [new URL(first.workerUrl), new URL(first.url)]
    expect(worker.password).not.toBe(owner.password)
    expect(statSync(join(dataDir, 'postgres', 'worker-password')).mode & 0o777).toBe(0o600)
    await first.stop()
    const second = await start(dataDir)
    expect(second.workerUrl).toBe(first.workerUrl)
    await query(second.workerUrl, 'select 1')
    await second.stop()
  })
})

it.runIf(process.platform === 'linux')('the server gets no model key of this shell', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'sk-secret')
  vi.stubEnv('JUDGE_KEY', 'sk-other')
  try {
    const server = await start(folder())
    const environment = readFileSync(`/proc/${server.pid}/environ`, 'utf8')
    await server.stop()
    expect(environment).toContain('PATH=')
    expect(environment).not.toContain('sk-')
  } finally {
    vi.unstubAllEnvs()
  }
})

describe('DATABASE_URL', () => {
  it('is the login of workers where TREEOS_OWNER_DATABASE_URL names the owner', async () => {
    const server = await start(folder())
    const env = { DATABASE_URL: server.workerUrl, TREEOS_OWNER_DATABASE_URL: server.url }
    expect(await ensurePostgres({ dataDir: folder(), env })).toMatchObject({
      url: server.url,
      workerUrl: server.workerUrl,
    })
    await server.stop()
  })

  it('is used as it is, and never stopped', async () => {
    const server = await start(folder())
    const dataDir = folder()
    const used = await ensurePostgres({ dataDir, env: { DATABASE_URL: server.url } })
    expect(used).toMatchObject({ url: server.url, pid: null, reused: true })
    await used.stop()
    expect(await stopInstance(dataDir)).toEqual([])
    expect(readFileSync(join(dataDir, 'instance.json'), 'utf8')).not.toContain(new URL(server.url).password)
    expect((await query(server.url, 'select 1 one')).rows).toEqual([{ one: 1 }])
    await server.stop()
  })

  it('that does not answer is an error which shows no password', async () => {
    const url = `postgres://me:secret@127.0.0.1:${await freePort('nobody')}/db`
    const used = ensurePostgres({ dataDir: folder(), env: { DATABASE_URL: url } })
    const error = await used.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(LocalError)
    expect(String(error)).toMatch(
      /DATABASE_URL names 127\.0\.0\.1:\d+\/db, which does not answer: .*ECONNREFUSED/,
    )
    expect(String(error)).not.toContain('secret')
  })
})

it.runIf(isRoot)('the server does not run as root', async () => {
  const { pid, stop } = await start(folder())
  expect(execFileSync('stat', ['-c', '%U', `/proc/${pid}`], { encoding: 'utf8' }).trim()).toBe('postgres')
  await stop()
})
