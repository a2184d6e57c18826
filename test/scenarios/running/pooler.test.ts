import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@treeos/local'
import { listenToJournal, openDatabase } from '@treeos/store'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { tcpTarget } from '../../faults/proxy.ts'
import { freshDatabase } from '../../support/database.ts'
import { momentOf, tell } from '../../support/life.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const PGBOUNCER = process.env.PGBOUNCER ?? 'pgbouncer'

const through = (url: string) => `${url}?pooler=transaction`

it('a connection to a pooler has no names of statements and no settings of its own; any other has', async () => {
  const { workerUrl, close } = await freshDatabase()
  const read = async (url: string) => {
    const db = openDatabase(url, { poolMax: 1 })
    try {
      await sql`select ${1}::int`.execute(db)
      const { rows } = await sql<{ names: number; timeout: string; role: string }>`
        select (select count(*) from pg_prepared_statements)::int as names, current_setting('statement_timeout') as timeout,
          current_user as role`.execute(db)
      return rows[0]
    } finally {
      await db.destroy()
    }
  }
  try {
    expect(await read(through(workerUrl))).toEqual({ names: 0, timeout: '0', role: 'treeos_worker' })
    const usual = await read(workerUrl)
    expect(usual).toMatchObject({ timeout: '30s', role: 'treeos_app' })
    expect(usual?.names).toBeGreaterThan(0)
    expect(() => listenToJournal(through(workerUrl))).toThrow('name Postgres itself')
    expect(() => openDatabase(`${workerUrl}?pooler=statement`)).toThrow('it takes transaction or session')
  } finally {
    await close()
  }
})

const hasPgbouncer = (() => {
  try {
    execFileSync(PGBOUNCER, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

/**
 * Transactions share two connections. In the other mode each connection of a worker has one of the pooler's.
 */
const MODES = [
  { mode: 'transaction', size: 2, mark: through, ignored: '' },
  {
    mode: 'session',
    size: 40,
    mark: (url: string) => url,
    ignored: 'ignore_startup_parameters = options,statement_timeout,idle_in_transaction_session_timeout\n',
  },
]

/** PGBOUNCER names the program; Debian's package pgbouncer has it. */
describe.skipIf(!hasPgbouncer).each(MODES)(
  'behind a pooler in the mode $mode',
  ({ mode, size, mark, ignored }) => {
    const model = useModelServer()
    const folder = mkdtempSync(join(tmpdir(), 'treeos-pooler-'))
    let port: number
    let pooler: ChildProcess
    const by = (url: string) => {
      const at = new URL(url)
      at.host = `127.0.0.1:${port}`
      return at.href
    }
    beforeAll(async () => {
      port = await freePort('pgbouncer')
      const at = new URL(inject('workerPostgresUrl'))
      const { host } = tcpTarget(at.href)
      const files = { users: join(folder, 'users'), ini: join(folder, 'pgbouncer.ini') }
      writeFileSync(files.users, `"${at.username}" "${at.password}"\n`)
      writeFileSync(
        files.ini,
        `[databases]\n* = host=${host} port=${at.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
          `unix_socket_dir =\nauth_type = scram-sha-256\nauth_file = ${files.users}\npool_mode = ${mode}\ndefault_pool_size = ${size}\n` +
          `max_client_conn = 200\n${ignored}`,
      )
      for (const path of [folder, files.users, files.ini]) chmodSync(path, 0o755)
      const asOther = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
      pooler = spawn(PGBOUNCER, [...asOther, files.ini], { stdio: ['ignore', 'ignore', 'pipe'] })
      for await (const line of pooler.stderr as NodeJS.ReadableStream)
        if (String(line).includes('process up')) break
    })
    afterAll(async () => {
      if (pooler.exitCode === null) {
        pooler.kill('SIGINT')
        await once(pooler, 'exit')
      }
      rmSync(folder, { recursive: true })
    })
    const world = useWorld({ modelServer: model, workerUrl: (url) => mark(by(url)) })

    it('beings with models and with scripts live their moments, many at once', async () => {
      const names = Array.from({ length: 8 }, (_, i) => `being-${i}`)
      for (const [i, name] of names.entries())
        await world.birth(
          i % 2 === 0
            ? { name, cognition: 'llm', role: 'resident' }
            : { name, cognition: 'scripted', script: 'echo', role: 'resident' },
        )
      const asked = await Promise.all(
        names.flatMap((name) => Array.from({ length: 4 }, (_, n) => tell(world, name, `hello ${n}`))),
      )
      for (const correlation of asked)
        expect(await momentOf(world, correlation, 60)).toMatchObject({ outcome: 'act' })
      expect(world.errors).toEqual([])
    })

    if (mode === 'transaction')
      it('control: a URL that does not say so is refused by the pooler', async () => {
        const db = openDatabase(by(world.url), { poolMax: 1 })
        try {
          await expect(sql`select 1`.execute(db)).rejects.toThrow(
            /^unsupported startup parameter: .*add \?pooler=transaction/,
          )
        } finally {
          await db.destroy()
        }
      })
  },
)
