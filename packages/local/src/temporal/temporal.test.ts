import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { bareEnv, temporaryFolders } from '../../test/instances.ts'
import { attributesOf, searchAttributes, start, using } from '../../test/temporal-scene.ts'
import { readInstance } from '../instance/instance.ts'
import { stopInstance } from '../instance/stop.ts'
import { freePort } from '../machine/ports.ts'
import { isRunning, processStart, terminate } from '../machine/process.ts'
import { keyFileOf } from './access.ts'
import type { Temporal } from './temporal.ts'

const folder = temporaryFolders()
const SECOND_START_MS = 4_000
describe('our own server', () => {
  let dataDir: string
  let first: Temporal
  beforeAll(async () => {
    dataDir = folder()
    vi.stubEnv('OPENAI_API_KEY', 'sk-secret')
    first = await start(dataDir) // may build it
    vi.unstubAllEnvs()
  }, 900_000)
  afterAll(() => stopInstance(dataDir))

  it('has the search attributes, keeps closed workflows for 90 days, and shows a UI', async () => {
    expect(await attributesOf(first)).toEqual([...searchAttributes].sort())
    const days = await using(first, async ({ workflowService }) => {
      const { config } = await workflowService.describeNamespace({ namespace: first.namespace })
      return Number(config?.workflowExecutionRetentionTtl?.seconds) / 86_400
    })
    expect(days).toBe(90)
    const login = {
      authorization: `Basic ${btoa(`treeos:${readFileSync(keyFileOf(dataDir), 'utf8').trim()}`)}`,
    }
    const page = () => fetch(first.ui as string, { headers: login }).catch(() => null) // the UI starts last
    expect((await vi.waitUntil(page)).status).toBe(200)
    expect(readInstance(dataDir).services).toMatchObject([{ name: 'temporal', address: first.address }])
  })

  it.runIf(process.platform === 'linux')('gets no model key of this shell', () => {
    const environment = readFileSync(`/proc/${first.pid}/environ`, 'utf8')
    expect(environment).toContain('PATH=')
    expect(environment).not.toContain('sk-secret')
  })

  it('still running is reused', async () => {
    const again = await start(dataDir)
    expect(again).toMatchObject({ pid: first.pid, address: first.address, ui: first.ui, reused: true })
    const grpc = await freePort('another')
    await expect(start(dataDir, { ports: { grpc } })).rejects.toThrow(`not port ${grpc}`)
  })

  it('knows its workflows after a stop, and after a kill, on the same address', async () => {
    const workflowId = 'being/test/kept'
    const handle = { taskQueue: 'nobody', workflowId, args: [] }
    await using(first, ({ workflow }) => workflow.start('unknown', handle))
    const statusOn = (server: Temporal) =>
      using(server, async ({ workflow }) => (await workflow.getHandle(workflowId).describe()).status.name)
    await first.stop()
    expect(readInstance(dataDir).services).toEqual([])
    const startedAt = performance.now()
    const second = await start(dataDir)
    expect(performance.now() - startedAt).toBeLessThan(SECOND_START_MS)
    expect(second).toMatchObject({ address: first.address, reused: false })
    expect(await statusOn(second)).toBe('RUNNING')
    const known = { pid: second.pid as number, startedAt: processStart(second.pid as number) as string }
    process.kill(known.pid, 'SIGKILL')
    await terminate(known)
    const third = await start(dataDir, { searchAttributes: [...searchAttributes, 'TreeosRole'] })
    expect(third).toMatchObject({ address: first.address, reused: false })
    expect(await statusOn(third)).toBe('RUNNING')
    expect(await attributesOf(third)).toContain('TreeosRole')
    await third.stop()
    expect(isRunning({ pid: third.pid as number, startedAt: known.startedAt })).toBe(false)
  })

  it('takes the ports it was told to', async () => {
    const ports = { grpc: await freePort('Temporal'), ui: await freePort('the UI') }
    const server = await start(folder(), { ports })
    expect(server).toMatchObject({ address: `127.0.0.1:${ports.grpc}`, ui: `http://127.0.0.1:${ports.ui}` })
    await expect(start(folder(), { ports })).rejects.toThrow(`port ${ports.grpc} for Temporal is taken`)
    await server.stop()
  })
})

describe('TEMPORAL_ADDRESS', () => {
  it('or a file that names a server is used, is given what is missing, and is never stopped', async () => {
    const server = await start(folder())
    const dataDir = folder()
    const env = { ...bareEnv, ...server.env, PATH: '' }
    const used = await start(dataDir, { env, searchAttributes: ['TreeosRole'] })
    expect(used).toMatchObject({ address: server.address, namespace: 'default', pid: null, kind: 'external' })
    await used.stop()
    expect(await stopInstance(dataDir)).toEqual([])
    expect(await attributesOf(server)).toContain('TreeosRole')
    const other = start(dataDir, { env: { ...env, TEMPORAL_NAMESPACE: 'elsewhere' } })
    await expect(other).rejects.toThrow('temporal operator namespace create --namespace elsewhere')
    await server.stop()
  })

  it('that does not answer is an error which names it', async () => {
    const address = `127.0.0.1:${await freePort('nobody')}`
    const used = start(folder(), { env: { ...bareEnv, TEMPORAL_ADDRESS: address } })
    await expect(used).rejects.toThrow(`TEMPORAL_ADDRESS names ${address}, which does not answer`)
  })
})

it('a temporal on PATH is started as dev server with all it needs, and its last words are shown', async () => {
  const [bin, dataDir] = [folder(), folder()]
  const file = join(bin, 'temporal')
  writeFileSync(file, `#!/bin/sh\necho "$@" >"${bin}/flags"\necho 'unknown flag' >&2\nexit 1\n`)
  chmodSync(file, 0o755)
  const ports = { grpc: await freePort('Temporal'), ui: await freePort('the UI') }
  await expect(start(dataDir, { path: bin, cacheDir: folder(), ports })).rejects.toThrow(
    /Temporal \(.*\/temporal\) ended while starting[\s\S]*unknown flag/,
  )
  expect(readFileSync(join(bin, 'flags'), 'utf8').trim().split(' --')).toEqual([
    'server start-dev',
    'ip 127.0.0.1',
    `port ${ports.grpc}`,
    `ui-port ${ports.ui}`,
    'namespace default',
    'headless=false',
    'db-filename temporal/cli.db',
    'log-level error',
    'sqlite-pragma journal_mode=wal',
    'sqlite-pragma synchronous=normal',
    'search-attribute TreeosReality=Keyword',
    'search-attribute TreeosBeing=Keyword',
    'dynamic-config-value history.transferProcessorMaxPollRPS=1000',
    'dynamic-config-value history.timerProcessorMaxPollRPS=1000',
    'dynamic-config-value history.timerProcessorMaxTimeShift="10ms"',
    'dynamic-config-value system.enableActivityEagerExecution=true',
    'dynamic-config-value history.maximumBufferedEventsBatch=10000',
    'dynamic-config-value history.workflowTaskRetryMaxInterval="10s"',
  ])
})
