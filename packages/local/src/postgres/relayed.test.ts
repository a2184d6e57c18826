import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { dirname } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { bareEnv, temporaryFolders } from '../../test/instances.ts'
import { ensurePostgres } from './postgres.ts'
import { query } from './server.ts'

const QUERY = "select 'sentinel of a being'"
const folder = temporaryFolders()
const endings: (() => void)[] = []
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

/** Passes everything on between a port and the one of the real server, and notes it. */
async function relay(from: number, to: () => number) {
  let noted = ''
  const server = createServer((near) => {
    const far = connect(to(), '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('data', (chunk) => {
        noted += chunk.toString('latin1')
        other.write(chunk)
      })
      one.on('close', () => other.destroy())
      one.on('error', () => other.destroy())
    }
  })
  server.listen(from, '127.0.0.1')
  await once(server, 'listening')
  endings.push(() => server.close())
  return { noted: () => noted, port: (server.address() as AddressInfo).port }
}
const byTcp = (url: string) => Object.assign(new URL(url), { hostname: '127.0.0.1' }).href

it('a program that has the port of a Postgres that came back on another one gets no login to pass on', async () => {
  const dataDir = folder()
  const start = () => ensurePostgres({ dataDir, env: bareEnv })
  const first = await start()
  await first.stop()
  const port = Number(new URL(first.workerUrl).port)
  let now = 0
  const between = await relay(port, () => now)
  const second = await start()
  now = Number(new URL(second.url).port)
  expect(now).not.toBe(port)
  await expect(query(first.workerUrl, QUERY)).rejects.toMatchObject({ code: 'ENOENT' })
  await query(second.workerUrl, QUERY)
  expect(between.noted()).toBe('')
  // The control: SCRAM proves the server at the other end, and not that nobody sits between.
  await query(byTcp(first.workerUrl), QUERY)
  expect(between.noted()).toContain(QUERY)
  await second.stop()
})

it.runIf(process.getuid?.() === 0)('another user puts no socket where that of our Postgres is', async () => {
  const dataDir = folder()
  const { url, stop } = await ensurePostgres({ dataDir, env: bareEnv })
  const { hostname, port } = new URL(url)
  const file = `${decodeURIComponent(hostname)}/.s.PGSQL.${port}`
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
  await stop()
  const script = `require('net').createServer().listen(process.argv[1], () => process.exit(0)).on('error', (e) => { console.error(e.code); process.exit(1) })`
  const bind = async (uid: number) => {
    const child = spawn(process.execPath, ['-e', script, file], {
      uid,
      gid: uid,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (text) => (said += text))
    const [code] = await once(child, 'close')
    return { code, said: said.trim() }
  }
  expect(await bind(65_534)).toEqual({ code: 1, said: 'EACCES' })
  expect((await bind(0)).code, 'the control: who owns it all').toBe(0)
})
