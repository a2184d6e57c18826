/**
 * Acts of persons that a passkey signs: bundles and receipts show them, and an act that somebody planted
 * shows too.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { act, erasing, inhabit, type SignAct } from '@treeos/client'
import { canonicalJson, type Json, type JsonObject, parseCall } from '@treeos/core'
import { exportBundle, issueReceipt, verifyAll } from '@treeos/proofs'
import { replay } from '@treeos/replay'
import { parseKey, shownReceipt, verifyReceipt } from '@treeos/verify'
import { momentHash, valueHash } from '@treeos/verify/parts'
import { buildRegistry, FOLD, seed } from '@treeos/world'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tamper } from '../store/tampered-chains.ts'
import { ActSigner, type Bent } from '../support/act-signer.ts'
import { type LogKey, naiveLog, newLogKey } from '../support/naive-log.ts'
import { IS_NIGHT } from '../support/night.ts'
import { stage } from '../support/puppet.ts'
import { useWorld } from '../support/use-world.ts'
import { verifyBytes } from './bundle-lines.ts'

const world = useWorld({ extensions: [stage] })
const registry = buildRegistry([seed, stage])
const folder = mkdtempSync(join(tmpdir(), 'treeos-signed-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const laptop = new ActSigner()
const phone = new ActSigner('Ed25519')
let key: LogKey

const set = (value: string, target: string): JsonObject => ({
  verb: 'do',
  operation: 'set-being',
  target,
  args: { field: 'mood', value },
})
/** Acts as a person. @param signer null: without a signature, as from a terminal */
async function acts(
  person: string,
  call: JsonObject,
  signer: ActSigner | null,
  bent: Bent = {},
  as = person,
) {
  const sign = signer === null ? {} : { sign: signer.signing(world.reality.id, bent) }
  const { act: moment } = await act({ ...world, person, ...sign }, as, parseCall(call))
  return String(moment)
}

async function bundle() {
  const log = await naiveLog(world.db, key)
  const file = join(folder, 'audit.jsonl')
  await exportBundle(world.db, world.reality, { log: async () => log, file })
  return verifyBytes(readFileSync(file), key.verifier)
}

/** What `treeos verify` says of the living record. */
async function living() {
  const { broken, unsigned } = await verifyAll(world.db, world.reality.id, FOLD)
  return { broken, unsigned }
}

async function receiptOf(moment: string) {
  const at = { db: world.db, reality: world.reality, registry }
  const { envelope } = await issueReceipt(at, moment, { signer: key, log: await naiveLog(world.db, key) })
  return verifyReceipt(JSON.stringify(envelope), { key: parseKey(key.verifier) })
}

beforeAll(async () => {
  key = newLogKey(world.reality)
  for (const name of ['ann', 'ben']) await world.birth({ name, cognition: 'human', role: 'stage:free' })
  await acts('ann', laptop.enrolling('@ann'), null)
})

it('a signed act is shown as its person’s, in a bundle and in a receipt', async () => {
  const moment = await acts('ann', set('calm', '@ann'), laptop)
  expect(await bundle()).toMatchObject({ status: 'ok', unproven: [] })
  expect(await living()).toEqual({ broken: [], unsigned: [] })
  const receipt = await receiptOf(moment)
  expect(receipt).toMatchObject({ status: 'ok', derived: { signing: { kind: 'signed', by: 'ann' } } })
  expect(shownReceipt(receipt)).toMatch(/signed by a passkey of @ann at 20/)
  await acts('ann', phone.enrolling('@ann'), laptop)
  expect(await receiptOf(await acts('ann', set('glad', '@ann'), phone))).toMatchObject({ status: 'ok' })
  expect(await replay({ ...world, temporal: null }, { beings: ['ann'], from: 'chain' })).toMatchObject({
    identical: true,
  })
})

it('an act of somebody without a passkey needs none (the control)', async () => {
  const moment = await acts('ben', set('calm', '@ben'), null)
  expect(await bundle()).toMatchObject({ status: 'ok', unproven: [] })
  expect(await receiptOf(moment)).toMatchObject({ status: 'ok', derived: { signing: { kind: 'none' } } })
})

it('of a being that a person drives, the person signs', async () => {
  const puppet = { cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' } as const
  await world.birth({ ...puppet, name: 'doll' })
  const inhabitation = await inhabit({ ...world, person: 'operator' }, { being: 'doll', as: 'operator' })
  const moment = await acts('operator', set('driven', '@doll'), null, {}, 'doll')
  expect(await receiptOf(moment)).toMatchObject({ derived: { signing: { kind: 'none' } } })
  const own = new ActSigner()
  await acts('operator', own.enrolling('@operator'), null)
  const signed = await acts('operator', set('signed', '@doll'), own, {}, 'doll')
  expect(await receiptOf(signed)).toMatchObject({ derived: { signing: { kind: 'signed', by: 'operator' } } })
  const take = { field: `passkeys.${own.id}`, value: null }
  await acts('operator', { verb: 'do', operation: 'set-being', target: '@operator', args: take }, own)
  await inhabitation.release()
  expect(await bundle()).toMatchObject({ status: 'ok' })
  expect(await living()).toEqual({ broken: [], unsigned: [] })
})

it('nobody sets a passkey of somebody else, and whoever may set its qualities takes one away', async () => {
  const other = new ActSigner()
  await expect(acts('operator', other.enrolling('@ben'), null)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await acts('ben', other.enrolling('@ben'), null)
  const take = { field: `passkeys.${other.id}`, value: null }
  await acts('operator', { verb: 'do', operation: 'set-being', target: '@ben', args: take }, null)
  expect(await receiptOf(await acts('ben', set('lost it', '@ben'), null))).toMatchObject({ status: 'ok' })
})

it('an act that somebody plants without a signature is named, and the bundle is not ok', async () => {
  const moment = await acts('ann', set('planted', '@ann'), null)
  const text = 'made them is not shown by a passkey: it had one and did not use it'
  const found = await bundle()
  expect(found).toMatchObject({ status: 'unproven', broken: [] })
  expect(found.unproven).toEqual([`of 1 acts that @ann ${text}`])
  expect(await living()).toEqual({ broken: [], unsigned: found.unproven })
  const receipt = await receiptOf(moment)
  expect(receipt).toMatchObject({
    status: 'unproven',
    broken: [],
    derived: { signing: { kind: 'unsigned' } },
  })
  expect(receipt.unproven).toContainEqual(
    expect.stringContaining('@ann made the act is not shown by a passkey'),
  )
})

it('a signed act that cannot be read does nothing, so nobody has to have made it', async () => {
  const before = (await bundle()).unproven
  await expect(acts('ann', { verb: 'do', operation: 7 } as never, laptop)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
  expect(await bundle()).toMatchObject({ broken: [], unproven: before })
})

it('a signed act that was erased is not known to be its person’s, and nothing is left by which its call is guessed', async () => {
  let salt = ''
  const sign: SignAct = async (asked) => {
    const signed = await laptop.signing(world.reality.id)(asked)
    salt = signed?.salt ?? ''
    return signed
  }
  const { act: moment } = await act(
    { ...world, person: 'ann', sign },
    'ann',
    parseCall(set('secret', '@ann')),
  )
  expect(await everythingSays(salt)).toBe(true) // the control
  await act(world, 'operator', await erasing(world.db, String(moment), 'asked to'))
  expect(await everythingSays(salt)).toBe(false)
  const { broken, unproven } = await bundle()
  expect(broken).toEqual([])
  expect(unproven).toContain(
    'of 1 acts that @ann made them is not shown by a passkey: what it signed was erased',
  )
})

/** Whether a salt is anywhere in the record. */
async function everythingSays(salt: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select
    exists (select from treeos.inbox where content like ${`%${salt}%`})
    or exists (select from treeos.moment_decision where encode(salt, 'hex') = ${salt})
    or exists (select from treeos.moment_open o where o::text like ${`%${salt}%`}) as found`.execute(world.db)
  return rows[0]!.found
}

describe('an unsigned act of which the owner of the database says that its person did not make it:', () => {
  // biome-ignore lint/suspicious/noExplicitAny: of an open record
  const rewrite = async (moment: string, forge: (open: any) => void) => {
    const { rows } = await sql<{ open: Buffer; record: Buffer; prev: Buffer; wake: string }>`
      select o.record as open, m.record, m.prev, m.wake from treeos.moment_outcome m
      join treeos.moment_open o on o.moment = m.moment where m.moment = ${moment}`.execute(world.db)
    const { wake, prev, ...stored } = rows[0]!
    const [open, record] = [JSON.parse(String(stored.open)), JSON.parse(String(stored.record))]
    forge(open)
    const { id, kind } = open.wake
    const again = { ...record, wake: id, open: valueHash(open) }
    const hash = `'\\x${momentHash(prev.toString('hex'), again)}'`
    const bytes = (value: Json) => `convert_to('${canonicalJson(value).replaceAll("'", "''")}', 'UTF8')`
    await tamper(
      world,
      `update treeos.moment_open set record = ${bytes(open)}, wake = '${id}' where moment = '${moment}'`,
      `update treeos.moment_outcome set record = ${bytes(again)}, hash = ${hash}, wake = '${id}' where moment = '${moment}'`,
      `update treeos.head set hash = ${hash} where reel = 'moments:ann'`,
      `update treeos.inbox set id = '${id}', kind = '${kind}' where id = '${wake}'`,
    )
  }

  it('no forgery passes, and with the true wake again all is as it was', async () => {
    const moment = await acts('ann', set('planted again', '@ann'), null)
    const { unproven } = await bundle()
    const { rows } = await sql<{ record: Buffer }>`
      select record from treeos.moment_open where moment = ${moment}`.execute(world.db)
    const { wake, cognition } = JSON.parse(String(rows[0]!.record))
    const forgeries = [
      { kind: 'event', id: 'schedule/ann/round/1' },
      { kind: 'event', id: `continue/${moment}`, continues: 1 },
      { kind: 'event', id: `denied/${moment}` },
      { kind: 'event', id: 'note/1' },
      { kind: 'summon', id: 'ben/1/99' },
      { id: 'note/1' },
    ]
    for (const other of IS_NIGHT ? forgeries : forgeries.slice(-2))
      for (const minds of [cognition, { kind: 'llm', script: null }]) {
        await rewrite(moment, (open) => {
          open.wake = { ...wake, ...other }
          open.cognition = minds
        })
        const found = await bundle()
        expect({ other, ...found }).toMatchObject({ status: 'broken' })
        expect(found.broken.map(({ reel }) => reel)).toContain('moments:ann')
        expect((await living()).broken).toContainEqual(
          expect.objectContaining({ reel: 'moments:ann', reason: 'open-mismatch' }),
        )
        await expect(receiptOf(moment)).rejects.toThrow()
      }
    await rewrite(moment, (open) => {
      open.wake = wake
      open.cognition = cognition
    })
    expect(await bundle()).toMatchObject({ status: 'unproven', broken: [], unproven })
    expect((await living()).broken).toEqual([])
    expect(await receiptOf(moment)).toMatchObject({ derived: { signing: { kind: 'unsigned' } } })
  })
})

it('an act that somebody plants with a signature of another key, or one that was given for another act, is broken', async () => {
  const thief = new ActSigner()
  await acts('ann', set('forged', '@ann'), laptop, { signer: thief })
  const { rows } = await sql<{ content: string }>`
    select content from treeos.inbox where being = 'ann' and kind = 'act' and content like '%"calm"%'`.execute(
    world.db,
  )
  const { signed } = JSON.parse(rows[0]!.content)
  const replayed = async () => ({ salt: randomBytes(32).toString('hex'), signed })
  const call = parseCall(set('calm', '@ann'))
  const { act: moment } = await act({ ...world, person: 'ann', sign: replayed }, 'ann', call)
  const { status, broken } = await bundle()
  expect(status).toBe('broken')
  expect(broken).toMatchObject([
    { reason: 'signature-mismatch', reel: 'moments:ann', what: '@ann: its signature is not by its passkey' },
    { reason: 'signature-mismatch', reel: 'moments:ann', what: '@ann: its passkey signed something else' },
  ])
  const told = (await living()).broken.filter(({ reel }) => reel === 'moments:ann')
  expect(told).toMatchObject([{ reason: 'signature-mismatch' }, { reason: 'signature-mismatch' }])
  await expect(receiptOf(String(moment))).rejects.toThrow(
    '@ann did not sign it: its passkey signed something else',
  )
})
