/** What nobody would check is refused: other versions and fields, doubled entries, foreign keys, and times that are to come. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '@treeos/core'
import { envelopeOf } from '@treeos/proofs'
import { parseKey } from '@treeos/verify'
import { expect, it } from 'vitest'
import { newLogKey } from '../support/naive-log.ts'
import { ActedReality } from './acted-reality.ts'
import { linesOf as linesOfBytes, summed, verifyBytes } from './bundle-lines.ts'
import { mendedBundle, type Part } from './mutations.ts'
import { SEED, statementIn } from './receipt-scene.ts'
import { keyOf, sealedBundle } from './sealed-bundles.ts'
import { askBoth } from './two-opinions.ts'
import { judged, useForgeries } from './use-forgeries.ts'

const forgeries = useForgeries(async () => {
  const reality = await ActedReality.begin('strict')
  await reality.act({ verb: 'summon', target: '@cleo', content: 'a word', inReplyTo: null })
  return reality.at.lines()
})

async function statusesOf(
  forge: (all: Part[]) => void,
  more: (bundle: Buffer) => Buffer = (bundle) => bundle,
) {
  const copy = forgeries.copy()
  forge(copy)
  const bundle = more(await sealedBundle(mendedBundle(copy)))
  const { first, second } = await askBoth(forgeries.second, { bundle, key: keyOf(forgeries.lines).verifier })
  return [first.status, second.status]
}
const onNote = (change: (note: string) => string) => (bundle: Buffer) =>
  summed(
    linesOfBytes(bundle).map((text) => {
      const line = JSON.parse(text)
      return JSON.stringify(line.kind === 'checkpoint' ? { ...line, note: change(line.note) } : line)
    }),
  )
const nothing = () => undefined
const set = (part: Part, field: string, value: unknown): void => {
  part[field] = value
}
const factIn = (all: Part[]): Part => all.find(({ kind }) => kind === 'fact')!
const momentIn = (all: Part[]): Part => all.find(({ kind }) => kind === 'moment')!
const IN_A_DAY = Date.now() + 86_400_000

judged('control: the honest bundle is ok', async () => {
  expect(await statusesOf(nothing)).toEqual(['ok', 'ok'])
})

judged.each<{ what: string; forge?: (all: Part[]) => void; more?: (bundle: Buffer) => Buffer; is?: string }>([
  { what: 'facts of another code', forge: (all) => set(factIn(all).header, 'code', 'treeos/2') },
  { what: 'a header of another version', forge: (all) => set(factIn(all).header, 'v', 2) },
  { what: 'a record of another version', forge: (all) => set(momentIn(all).record, 'v', 2) },
  { what: 'an outcome that there is not', forge: (all) => set(momentIn(all).record, 'outcome', 'done') },
  { what: 'a field more in a record', forge: (all) => set(momentIn(all).record, 'more', 1) },
  { what: 'a reality that is no UUID', forge: (all) => set(all[0]!, 'reality', 'treeos') },
  { what: 'a manifest without a time', forge: (all) => set(all[0]!, 'at', 'now') },
  { what: 'a fifth line of the note', more: onNote((note) => note.replace('\n\n', '\nmore\n\n')) },
  { what: 'a signature twice', more: onNote((note) => `${note}${note.split('\n').at(-2)}\n`) },
  {
    what: 'a moment that is to come',
    is: 'unproven',
    forge: (all) => set(all.findLast(({ kind }) => kind === 'moment')!.record, 'sealedAt', IN_A_DAY),
  },
])('of a bundle, $what is found', async ({ forge = nothing, more, is = 'broken' }) => {
  expect(await statusesOf(forge, more)).toEqual([is, is])
})

const RECORDED = join(import.meta.dirname, '../../packages/verify/test/go-dsse/receipts.json')
const { receipts } = JSON.parse(readFileSync(RECORDED, 'utf8')) as {
  receipts: readonly { envelope: JsonObject }[]
}
const envelope = receipts[0]?.envelope ?? {}
const statement = statementIn(envelope) as unknown as Part
const key = newLogKey({ id: statement.predicate.reality }, SEED)
const opinionsOn = async (changed: object) => {
  const { first, second } = await askBoth(forgeries.second, {
    receipt: JSON.stringify(changed),
    key: key.verifier,
  })
  return [first.status, second.status]
}
const signedAgain = (change: (statement: Part) => void): JsonObject => {
  const copy = structuredClone(statement)
  change(copy)
  return envelopeOf(copy as never, key)
}
const [own] = envelope.signatures as JsonObject[]

judged('control: the recorded receipt, and the same signed again', async () => {
  expect(await opinionsOn(envelope)).toEqual(['ok', 'ok'])
  expect(await opinionsOn(signedAgain(() => undefined))).toEqual(['ok', 'ok'])
})

judged.each<[what: string, changed: () => object]>([
  ['a second subject', () => signedAgain(({ subject }) => subject.push(structuredClone(subject[0])))],
  ['a field more in a subject', () => signedAgain(({ subject }) => set(subject[0], 'uri', 'x'))],
  ['a second digest of a subject', () => signedAgain(({ subject }) => set(subject[0].digest, 'sha512', 'x'))],
  ['a field more in the statement', () => signedAgain((of) => set(of, 'more', 1))],
  ['a field more in the predicate', () => signedAgain(({ predicate }) => set(predicate, 'more', 1))],
  ['a field more in the proof', () => signedAgain(({ predicate }) => set(predicate.proof, 'more', 1))],
  ['a field more in the envelope', () => ({ ...envelope, more: 1 })],
  ['a field more in a signature', () => ({ ...envelope, signatures: [{ ...own, more: 1 }] })],
  ['a foreign keyid', () => ({ ...envelope, signatures: [{ ...own, keyid: 'other+01020304' }] })],
  [
    'a second signature',
    () => ({ ...envelope, signatures: [own, { keyid: 'other+01020304', sig: 'AAAA' }] }),
  ],
  ['a signature twice', () => ({ ...envelope, signatures: [own, own] })],
])('of a receipt, %s is found', async (_, changed) => {
  expect(await opinionsOn(changed())).toEqual(['broken', 'broken'])
})

it('a checkpoint that is older than whoever checks wants is not enough', async () => {
  const bundle = await sealedBundle(forgeries.copy())
  const newest = Math.max(
    ...forgeries.lines.map(({ record }) => Number((record as Part | undefined)?.sealedAt ?? 0)),
  )
  const { verifyBundle } = await import('@treeos/verify')
  const statusAfter = async (seconds: number) => {
    const source = (async function* () {
      yield bundle
    })()
    const checking = {
      key: parseKey(keyOf(forgeries.lines).verifier),
      maxAgeSeconds: 60,
      now: newest + seconds * 1000,
    }
    return verifyBundle(source, checking)
  }
  expect((await statusAfter(59)).status).toBe('ok')
  const late = await statusAfter(61)
  expect(late.status).toBe('unproven')
  expect(late.unproven).toContain(
    'the checkpoint is 61 s old, which is more than 60 s: its newest entry here says so, and no witness',
  )
  expect((await verifyBytes(bundle, keyOf(forgeries.lines).verifier)).status).toBe('ok') // control: any age is enough
})
