/**
 * What was erased, as people outside see it: a bundle verifies and names it, and a receipt that rests on it
 * says why it is invalid.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { act, erasing } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import { type CheckpointedLog, exportBundle, issueReceipt } from '@treeos/proofs'
import { defineExtension, defineOperation, setQuality } from '@treeos/sdk'
import { type BundleReport, parseKey, shownVerified, verifyReceipt } from '@treeos/verify'
import { buildRegistry, seed } from '@treeos/world'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tamper } from '../store/tampered-chains.ts'
import { momentOf, play, tell } from '../support/life.ts'
import { type LogKey, naiveLog, newLogKey } from '../support/naive-log.ts'
import { stage } from '../support/puppet.ts'
import { useWorld } from '../support/use-world.ts'
import { linesOf, summed, verifyBytes } from './bundle-lines.ts'

/** An operation that asks the outside, and keeps what it was told. */
const safe = defineExtension({
  name: 'safe',
  version: '1.0.0',
  operations: [
    defineOperation({
      name: 'safe:keep',
      description: 'Keeps a text.',
      on: 'being',
      allow: ['self'],
      args: z.object({ text: z.string().describe('what is kept') }),
      effect: { timeoutSeconds: 5, attempts: 1, perform: async ({ args }) => `kept ${args.text}` },
      decide: ({ actor }) => ({ facts: [setQuality(actor, 'safe.full', true)], result: null }),
    }),
  ],
})

const folder = mkdtempSync(join(tmpdir(), 'treeos-erased-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const world = useWorld({ extensions: [stage, safe] })
const registry = buildRegistry([seed, stage, safe])
let key: LogKey
let log: CheckpointedLog
/** numbers of moments: one keeps its contents, the others are erased */
const numbers = { kept: 0, effect: 0 }
let said: { reel: string; seq: number }
let receiptBefore: unknown

const keep = (being: BeingName, text: string) =>
  play(world, being, { verb: 'do', operation: 'safe:keep', target: null, args: { text } })
const erase = async (what: string) => act(world, 'operator', await erasing(world.db, what, 'asked to'))
const issue = (moment: string) =>
  issueReceipt({ db: world.db, reality: world.reality, registry }, moment, { signer: key, log })
const check = (envelope: unknown) => verifyReceipt(JSON.stringify(envelope), { key: parseKey(key.verifier) })

async function bundleOf(being?: BeingName): Promise<Buffer> {
  const file = join(folder, 'audit.jsonl')
  await exportBundle(world.db, world.reality, { log: async () => log, being, file })
  return readFileSync(file)
}
const verify = (bytes: Buffer): Promise<BundleReport> => verifyBytes(bytes, key.verifier)

beforeAll(async () => {
  key = newLogKey(world.reality)
  for (const name of ['ann', 'ben']) await world.birthPuppet(name)
  numbers.kept = (await keep('ann', 'a plain thing')).n
  numbers.effect = (await keep('ann', 'cobra-7')).n
  const wake = await tell(world, 'ben', 'the word is tiger-milk')
  await momentOf(world, wake)
  const row = await world.db
    .selectFrom('inbox')
    .innerJoin('fact', 'fact.hash', 'inbox.cause')
    .select(['fact.reel', 'fact.seq'])
    .where('inbox.id', '=', wake)
    .executeTakeFirstOrThrow()
  said = row
  log = await naiveLog(world.db, key)
  receiptBefore = (await issue(`ann/1/${numbers.effect}`)).envelope
  await erase(`${said.reel}#${said.seq}`)
  await erase(`ann/1/${numbers.effect}`)
  log = await naiveLog(world.db, key)
})

const told = { by: 'operator', why: 'asked to', at: expect.any(Number) }
const gone = () => [
  { reel: 'moments:ann', seq: numbers.effect, what: 'decision', ...told },
  { reel: 'moments:ann', seq: numbers.effect, what: 'effect', ...told },
]

describe('a bundle of a reality in which a payload, a decision and an effect were erased', () => {
  it('verifies, and names exactly what was erased and by whom', async () => {
    const bytes = await bundleOf()
    const found = await verify(bytes)
    expect(found).toMatchObject({ ok: true, broken: [] })
    expect(found.erased).toEqual([{ ...said, what: 'payload', ...told }, ...gone()])
    expect(shownVerified(found)).toMatch(
      new RegExp(`erased: the payload of ${said.reel} ${said.seq}, by @operator at 20\\S+Z: asked to`),
    )
    expect(bytes.toString()).not.toContain('kept cobra-7')
    expect(bytes.toString()).toContain('kept a plain thing') // the control: what was not erased is there
  })

  it('of one being names what was erased of it', async () => {
    const { ok, erased } = await verify(await bundleOf('ann'))
    expect({ ok, erased }).toEqual({ ok: true, erased: gone() })
  })

  it.each([
    ['payload', 'fact'],
    ['decision', 'moment'],
    ['effect', 'moment'],
  ])('is refused with a %s that is gone without a tombstone, and its place is named', async (what, kind) => {
    // Somebody hands the bundle on without it, with true numbers, counts and sums.
    const lines = linesOf(await bundleOf())
    const at = lines.findIndex((line) =>
      what === 'payload'
        ? line.includes('"kind":"quality:set"') && line.includes('safe')
        : JSON.parse(line).kind === 'moment' && line.includes('a plain thing'),
    )
    const value = JSON.parse(lines[at]!)
    expect(value.kind).toBe(kind)
    expect(value[what]).not.toBe(null)
    const without = { ...value, [what]: null, ...(what === 'effect' ? {} : { salt: null }) }
    const found = await verify(summed(lines.with(at, JSON.stringify(without))))
    expect(found.ok).toBe(false)
    expect(found.broken).toEqual([
      {
        line: at + 1,
        reel: value.reel ?? `moments:${value.being}`,
        seq: value.seq ?? value.n,
        reason: `${what}-missing`,
        what: expect.stringContaining('no tombstone'),
      },
    ])
    expect((await verify(summed(lines))).ok).toBe(true) // the control
  })

  it('is refused when the database lost a payload that nobody erased, or the payload of a tombstone', async () => {
    const lost = async (where: string) => {
      await tamper(
        world,
        `create table public.kept as select reel, seq, salt, bytes from treeos.fact where ${where}`,
        `update treeos.fact set salt = null, bytes = null where ${where}`,
      )
      const { broken } = await verify(await bundleOf())
      await tamper(
        world,
        'update treeos.fact f set salt = k.salt, bytes = k.bytes from public.kept k where f.reel = k.reel and f.seq = k.seq',
        'drop table public.kept',
      )
      return broken
    }
    expect(await lost(`reel = 'being:ann' and seq = 2`)).toMatchObject([
      { reel: 'being:ann', seq: 2, reason: 'payload-missing' },
    ])
    const { seq } = await world.db
      .selectFrom('fact')
      .select('seq')
      .where('reel', '=', 'being:ann')
      .where('kind', '=', 'moment:erased')
      .executeTakeFirstOrThrow()
    expect(await lost(`reel = 'being:ann' and seq = ${seq}`)).toMatchObject([
      // the one cause: what it told of is not told again
      { reel: 'being:ann', seq, reason: 'payload-missing' },
    ])
    expect((await verify(await bundleOf())).ok).toBe(true)
  })
})

describe('a receipt of a moment whose decision was erased', () => {
  it('is not written: the refusal says who erased it', async () => {
    await expect(issue(`ann/1/${numbers.effect}`)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('erased by @operator'),
    })
    const { envelope } = await issue(`ann/1/${numbers.kept}`) // the control
    expect(await check(envelope)).toMatchObject({ ok: true, derived: { verdict: 'seen-to-run' } })
  })

  it('holds when it was written before: whoever has it keeps what it shows', async () => {
    expect(await check(receiptBefore)).toMatchObject({ ok: true, derived: { verdict: 'seen-to-run' } })
    expect(JSON.stringify(await check(receiptBefore))).not.toContain('erased')
  })
})
