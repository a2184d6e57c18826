/**
 * Whoever owns the database lets two moments have one id, lets a wake be lived twice, or lets an older life go on, and makes all hashes
 * again: both offline verifiers name it. So they do where a file has receipts of two records of one reality, as one that was restored and
 * went on another way.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JsonObject, newWake, PRIORITIES } from '@treeos/core'
import { envelopeOf } from '@treeos/proofs'
import { parseKey, verifyReceipts } from '@treeos/verify'
import { afterAll, expect } from 'vitest'
import { newLogKey } from '../support/naive-log.ts'
import { ActedReality } from './acted-reality.ts'
import { mendedStatement, type Part } from './mutations.ts'
import { SEED, statementIn } from './receipt-scene.ts'
import { judged, useForgeries } from './use-forgeries.ts'

const LOOK = { verb: 'see', address: '/den' } as const

const forgeries = useForgeries(async () => {
  const reality = await ActedReality.begin('doubled')
  for (const n of [1, 2, 3]) {
    const wake = newWake({
      ...{ id: `idle/cleo/1/${n + 5}`, being: 'cleo', kind: 'event' as const },
      ...{ priority: PRIORITIES.background, content: null },
    })
    await reality.at.live('cleo', wake, LOOK)
  }
  return reality.at.lines()
})

/** The moments of @cleo, which wrote nothing. */
async function faultsOf(forge: (moments: Part[]) => void): Promise<unknown[]> {
  const lines = forgeries.copy()
  forge(lines.filter(({ kind, being }) => kind === 'moment' && being === 'cleo'))
  const { first, second } = await forgeries.opinionsOn(lines)
  return [first.fault, second.fault]
}
const named = (part: Part, id: string) => {
  part.record.moment = part.open.moment = id
}
const woken = (part: Part, id: string) => {
  part.record.wake = part.open.wake.id = id
}
const inLife = (part: Part, life: number) => named(part, `cleo/${life}/${part.n}`)

judged('control: nothing is said of the honest record, nor of a being that began another life', async () => {
  expect(await faultsOf(() => undefined)).toEqual([null, null])
  expect(await faultsOf(([, second, third]) => [second!, third!].map((one) => inLife(one, 2)))).toEqual([
    ...[null, null],
  ])
})

judged.each<readonly [what: string, forge: (moments: Part[]) => void]>([
  ['two moments of one id', ([first, second]) => named(second!, first!.record.moment)],
  ['the id of another being', ([first]) => named(first!, `dan/1/${first!.n}`)],
  ['an id of no life', ([first]) => inLife(first!, 0)],
  ['a life that is no number', ([first]) => named(first!, `cleo/x/${first!.n}`)],
  ['a life with a leading zero', ([first]) => named(first!, `cleo/01/${first!.n}`)],
  ['an id with one more part', ([first]) => named(first!, `cleo/1/${first!.n}/1`)],
  ['an older life that goes on', ([, second]) => inLife(second!, 2)],
  ['two moments of one wake', ([first, second]) => woken(second!, first!.record.wake)],
  ['a moment that names no wake', ([first]) => Object.assign(first!.record, { wake: null })],
])('%s is broken', async (_what, forge) => {
  expect(await faultsOf(forge)).toEqual(['record-mismatch', 'record-mismatch'])
})

const VERIFIER = join(import.meta.dirname, '../../clients/python-verify')
const RECORDED = join(import.meta.dirname, '../../packages/verify/test/go-dsse/receipts.json')
const folder = mkdtempSync(join(tmpdir(), 'treeos-doubled-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const [recorded] = (JSON.parse(readFileSync(RECORDED, 'utf8')) as { receipts: { envelope: JsonObject }[] })
  .receipts
const statement = statementIn(recorded!.envelope) as unknown as Part

/** A receipt without a proof of the log, signed again. */
function receiptOf(change: (predicate: Part) => void): string {
  const copy = structuredClone(statement)
  copy.predicate.proof = null
  change(copy.predicate)
  copy.subject[0].name = copy.predicate.moment.record.moment
  return JSON.stringify(envelopeOf(mendedStatement(copy) as never, keyOf(copy)))
}
const keyOf = ({ predicate }: Part) => newLogKey({ id: predicate.reality }, SEED)

/** What both say of a file of receipts. */
async function statusesOf(receipts: readonly string[]): Promise<unknown[]> {
  const text = receipts.map((receipt) => `${receipt}\n`).join('')
  const key = keyOf(statement).verifier
  const first = await verifyReceipts(text, { key: parseKey(key) })
  const file = join(folder, 'receipts.jsonl')
  writeFileSync(file, text)
  const asked = ['-m', 'treeos_verify', '--receipt', file, '--key', key, '--json']
  const second = JSON.parse(spawnSync('python3', asked, { cwd: VERIFIER }).stdout.toString())
  return [first.receipts, second.receipts].map((all) => all.map(({ status }: Part) => status))
}

judged('receipts of two moments of one being and number are broken, each alone is not', async () => {
  const [one, other] = [
    receiptOf(() => undefined),
    receiptOf(({ moment }) => {
      const [being, life, n] = moment.record.moment.split('/')
      named(moment, `${being}/${Number(life) + 1}/${n}`)
    }),
  ]
  const open = ['unproven', 'unproven']
  expect(await statusesOf([one, one])).toEqual([open, open]) // control
  expect(await statusesOf([other, other])).toEqual([open, open]) // control
  const broken = ['broken', 'broken']
  expect(await statusesOf([one, other])).toEqual([broken, broken])
  const both = await verifyReceipts(`${one}\n${other}\n`, { key: parseKey(keyOf(statement).verifier) })
  expect(both.receipts.map((receipt) => receipt.broken[0]?.reason)).toEqual([
    ...['moment-doubled', 'moment-doubled'],
  ])
})
