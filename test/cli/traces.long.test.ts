/**
 * Traces reach the OpenTelemetry Collector itself, built from `test/support/otel-collector`, which pins its
 * version.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@treeos/local'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { CliInstance, until } from './instance.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 900_000 })

const SOURCE = join(import.meta.dirname, '../support/otel-collector')
/** Kept: to link it anew takes a minute of each run. */
const BIN = join(homedir(), '.cache', 'treeos', 'otel-collector')
const hasGo = spawnSync('which', ['go']).status === 0

describe.skipIf(!hasGo)(`traces of an instance${hasGo ? '' : ': skipped, since go is missing'}`, () => {
  let address: string
  let collector: ChildProcess | null = null
  let told = ''
  const home = new CliInstance(() => ({ OTEL_EXPORTER_OTLP_ENDPOINT: address }))
  const running = () => home.state.services.find(({ name }) => name === 'traces')?.process ?? null

  async function startCollector(): Promise<void> {
    const port = new URL(address).port
    const config = `yaml:${[
      `receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:${port}"}}}}`,
      'exporters: {debug: {verbosity: detailed}}',
      'service: {pipelines: {traces: {receivers: [otlp], exporters: [debug]}}, telemetry: {metrics: {level: none}}}',
    ].join('\n')}`
    const before = told.length
    collector = spawn(BIN, ['--config', config], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [collector.stdout, collector.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (told += text))
    await until('the collector', () => told.slice(before).includes('Everything is ready'), 30)
  }
  async function endCollector(): Promise<void> {
    const ending = collector
    collector = null
    if (ending === null || ending.exitCode !== null) return
    const ended = once(ending, 'exit')
    ending.kill()
    await ended
  }
  const summon = () => home.run(['summon', '@echo', 'hello', '--wait', '30'])
  const spans = (name: string) => told.split('\n').filter((line) => line.includes(`Name           : ${name}`))

  beforeAll(async () => {
    mkdirSync(join(homedir(), '.cache', 'treeos'), { recursive: true })
    await promisify(execFile)('go', ['build', '-o', BIN, '.'], { cwd: SOURCE })
    address = `http://127.0.0.1:${await freePort('the collector', {})}`
    await startCollector()
    const { status, stderr } = await home.run(['up', '--detach', '--no-portal'])
    expect(status, stderr).toBe(0)
  })
  afterAll(async () => {
    await home.remove()
    await endCollector()
  })

  it('up starts what sends them, and each moment arrives once, with its names', async () => {
    expect(running()).not.toBeNull()
    expect((await summon()).status).toBe(0)
    await until('the span of the answer', () => spans('invoke_agent @echo').length > 0)
    // A double would come before what happens later.
    expect((await summon()).status).toBe(0)
    await until('the span of a later moment', () => spans('invoke_agent @echo').length > 1)
    expect(spans('invoke_agent @echo')).toHaveLength(2)
    for (const attribute of ['gen_ai.conversation.id', 'treeos.role.primary', 'treeos.moment.hash'])
      expect(told).toContain(attribute)
    expect(told).not.toContain('hello')
  })

  it('what happens while the collector is away arrives when it is back', async () => {
    await endCollector()
    const before = spans('invoke_agent @echo').length
    for (let i = 0; i < 3; i++) expect((await summon()).status).toBe(0)
    await startCollector()
    await until('the spans', () => spans('invoke_agent @echo').length === before + 3, 60)
  })

  it('a killed sender is started again, and goes on where it was', async () => {
    const old = running()?.pid ?? 0
    process.kill(old, 'SIGKILL')
    const before = spans('invoke_agent @echo').length
    expect((await summon()).status).toBe(0)
    await until('another sender', () => (running()?.pid ?? old) !== old, 60)
    await until('the span', () => spans('invoke_agent @echo').length === before + 1, 60)
  })

  it('a second sender by the same position is refused, and says whose it is', async () => {
    const { status, stdout } = await home.run(['traces', '--once', '--json'])
    expect(status).not.toBe(0)
    expect(JSON.parse(stdout).error.message).toMatch(/process \d+ sends the traces of \S+ already/)
  })
})
