import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { until, useInstance } from './instance.ts'

vi.setConfig({ testTimeout: 180_000 })

const home = useInstance({ up: ['--bind', '0.0.0.0'] })
const elsewhere = mkdtempSync(join(tmpdir(), 'treeos-elsewhere-'))
afterAll(() => rmSync(elsewhere, { recursive: true }))

interface Told {
  readonly temporal: { readonly address: string; readonly open: boolean; readonly actSignal: boolean }
}

it('up --bind: the instance works, and Temporal refuses callers without a certificate', async () => {
  const { temporal } = await home.json<Told>(['status'])
  expect(temporal).toMatchObject({ open: false, actSignal: true })
  const asked = ['summon', '@echo', 'across the wire', '--wait', '60']
  expect(await home.json(asked)).toMatchObject({ reply: { content: 'across the wire' } })
  const { stdout } = await home.run(['doctor', '--json'])
  const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean }[] }
  expect(checks.find(({ name }) => name === 'temporal guard')).toMatchObject({ ok: true })
})

it('a worker that has the certificate takes work from another folder; without it, it does not start', async () => {
  const { temporal } = await home.json<Told>(['status'])
  const address = home.state.services.find(({ name }) => name === 'postgres')?.address
  const password = readFileSync(join(home.dataDir, 'postgres', 'worker-password'), 'utf8').trim()
  const file = (name: string) => join(home.dataDir, 'temporal', 'tls', name)
  const plain = {
    TREEOS_DATA: elsewhere,
    DATABASE_URL: `postgres://treeos_worker:${password}@${address}/treeos`,
    TEMPORAL_ADDRESS: temporal.address,
    TREEOS_START_SECONDS: '5',
  }
  const certified = {
    TEMPORAL_TLS_SERVER_NAME: 'treeos-temporal',
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('ca.pem'),
    TEMPORAL_TLS_CLIENT_CERT_PATH: file('client.pem'),
    TEMPORAL_TLS_CLIENT_KEY_PATH: file('client-key.pem'),
  }
  const { TEMPORAL_TLS_CLIENT_CERT_PATH: _, TEMPORAL_TLS_CLIENT_KEY_PATH: __, ...anonymous } = certified
  for (const env of [plain, { ...plain, ...anonymous }])
    expect((await home.run(['worker'], { env })).status).toBe(1)
  const worker = home.start(['worker'], { ...plain, ...certified, TREEOS_START_SECONDS: '60' })
  let said = ''
  worker.stdout?.setEncoding('utf8').on('data', (text) => (said += text))
  try {
    await until('that it takes work', () => said.includes('"ready":true'))
    expect(said).toContain('"temporalOpen":false')
  } finally {
    worker.kill()
  }
})
