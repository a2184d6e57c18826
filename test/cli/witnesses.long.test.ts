import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newCosigner, vkeyOf, WitnessServer } from '../support/witness-server.ts'
import { until, useInstance } from './instance.ts'

const files = mkdtempSync(join(tmpdir(), 'treeos-witnesses-'))
const policyFile = join(files, 'policy')
const env: Record<string, string> = { TREEOS_WITNESSES: policyFile, TREEOS_WITNESS_SECONDS: '0.3' }
const witnesses: WitnessServer[] = []
beforeAll(async () => {
  for (const name of ['a', 'b', 'c']) witnesses.push(await WitnessServer.start(`w.example/${name}`))
  writeFileSync(policyFile, `${lines()}group two 2 a b c\nquorum two\n`)
})
const home = useInstance({ env })
afterAll(async () => {
  await Promise.all(witnesses.map((one) => one.close()))
  rmSync(files, { recursive: true })
})

const lines = () => witnesses.map((one, i) => one.policyLine('abc'[i] ?? '')).join('')
const key = async () => (await home.json<{ keys: string[] }>(['checkpoint'])).keys[0] ?? ''
const signal = (value: number) => home.json(['signal', 'set', 'log.value', String(value)])
interface Witnesses {
  readonly cosigned: number
  readonly of: number
  readonly quorum: { readonly size: number } | null
  readonly faults: readonly { readonly witness: string; readonly why: string }[]
}
const status = async () => (await home.json<{ witnesses: Witnesses }>(['status'])).witnesses
const whys = async () => (await status()).faults.map(({ witness, why }) => `${witness} ${why}`)
async function doctor() {
  const { stdout } = await home.run(['doctor', '--json'])
  const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; found: string }[] }
  return checks.find(({ name }) => name === 'witnesses')
}
async function verify(...options: string[]) {
  const { status, stdout } = await home.run(['verify', '--json', ...options])
  return { exit: status, ...(JSON.parse(stdout) as { status: string; unproven: string[] }) }
}
/** A policy of an auditor, in a file of its own. */
async function auditorsPolicy(name: string, quorum: string): Promise<string> {
  const file = join(files, name)
  writeFileSync(file, `log ${await key()}\n${lines()}${quorum}`)
  return file
}

it('before a witness knows the log, signing goes on, and status says who cosigns nothing', async () => {
  await until('an answer of each', async () => (await whys().catch(() => [])).length === 3)
  expect(await whys()).toEqual(['a unknown-log', 'b unknown-log', 'c unknown-log'])
  expect(await home.json(['status'])).toMatchObject({ checkpoint: { refused: null } })
  const file = await auditorsPolicy('early', 'group two 2 a b c\nquorum two\n')
  expect(await verify('--policy', file)).toMatchObject({
    exit: 3,
    status: 'unproven',
    unproven: expect.arrayContaining([expect.stringContaining('was cosigned by the quorum')]),
  })
  expect(await verify('--key', await key())).toMatchObject({ exit: 0 }) // control
})

it('two of three make a quorum, which a bundle, a receipt and the instance are held against', async () => {
  const log = await key()
  for (const one of witnesses.slice(0, 2)) one.watch(log.split('+')[0] ?? '', [log])
  await signal(1)
  await until('a quorum', async () => (await status()).cosigned === 2)
  expect(await whys()).toEqual(['c unknown-log'])
  expect(await doctor()).toMatchObject({ ok: true, found: expect.stringContaining('2 of 3 cosigned') })
  const two = await auditorsPolicy('two', 'group two 2 a b c\nquorum two\n')
  const all = await auditorsPolicy('all', 'group all all a b c\nquorum all\n')
  const bundle = join(files, 'audit.jsonl')
  await home.json(['export', bundle])
  expect(await verify('--bundle', bundle, '--policy', two)).toMatchObject({
    exit: 0,
    status: 'ok',
    checkpoint: { cosigned: [{ by: 'a', at: expect.any(Number) }, { by: 'b' }] },
  })
  expect(await verify('--bundle', bundle, '--policy', all)).toMatchObject({
    exit: 3,
    unproven: expect.arrayContaining([
      'the policy asks for 3 of (a, b, c), and a, b cosigned the checkpoint',
    ]),
  })
  expect((await home.run(['verify', '--bundle', bundle, '--policy', two])).stdout).toMatch(
    /^cosigned by a at 20\d\d-.*Z$/m,
  )
  expect(await verify('--policy', two)).toMatchObject({
    exit: 0,
    log: { cosigned: { by: [{ by: 'a' }, {}] } },
  })
  expect(await verify('--policy', all)).toMatchObject({ exit: 3 })
})

it('a witness with the name of one of the policy and another key does not count', async () => {
  const two = await auditorsPolicy('two', 'group two 2 a b c\nquorum two\n')
  const bundle = join(files, 'audit.jsonl')
  const forged = join(files, 'forged.policy')
  const other = vkeyOf(newCosigner('w.example/b'))
  writeFileSync(forged, readFileSync(two, 'utf8').replace(vkeyOf(witnesses[1]!.cosigner), other))
  expect(await verify('--bundle', bundle, '--policy', forged)).toMatchObject({ exit: 3 })
  expect(await verify('--bundle', bundle, '--policy', two)).toMatchObject({ exit: 0 }) // control
  expect(await home.refusal(['verify', '--policy', join(files, 'none')])).toMatchObject({
    code: 'INVALID_INPUT',
  })
})

describe('a witness that saw another log', () => {
  it('refuses this one, and doctor and status say so', async () => {
    const seen = witnesses[0]!.seen
    witnesses[0]!.seen = { ...seen, root: Buffer.alloc(32, 1) } // as after a fork that it was shown
    await signal(2)
    await until('the refusal', async () => (await whys()).includes('a inconsistent'))
    expect(await doctor()).toMatchObject({
      ok: false,
      found: expect.stringContaining('refuse the log of now: a:'),
    })
    expect((await home.run(['doctor'])).status).toBe(1)
    witnesses[0]!.seen = seen // control
    await until('the end of it', async () => !(await whys()).includes('a inconsistent'))
    expect(await doctor()).toMatchObject({ ok: true })
  })
})

it('when all are away the reality goes on, and an export rests on the signer alone and says so', async () => {
  for (const one of witnesses) one.instead = (_, response) => void response.writeHead(503).end()
  await signal(3)
  await until('their absence', async () => (await whys()).length === 3)
  const bundle = join(files, 'alone.jsonl')
  const ran = await home.run(['export', bundle, '--wait', '3'])
  expect(ran).toMatchObject({ status: 0, stderr: expect.stringContaining('the signer alone signed') })
  expect(await verify('--bundle', bundle, '--key', await key())).toMatchObject({ exit: 0 })
  const two = await auditorsPolicy('two', 'group two 2 a b c\nquorum two\n')
  expect(await verify('--bundle', bundle, '--policy', two)).toMatchObject({ exit: 3, status: 'unproven' })
})
