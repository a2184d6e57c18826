import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { moments, plantScene } from '@treeos/client'
import { type Json, type JsonObject, readPath } from '@treeos/core'
import court from '@treeos/court'
import { type CheckpointedLog, envelopeOf, issueReceipt } from '@treeos/proofs'
import { defineExtension, defineOperation, setQuality } from '@treeos/sdk'
import {
  type CheckedReceipt,
  type Derived,
  PAYLOAD_TYPE,
  parseKey,
  preAuthentication,
  shownReceipt,
  type Verdict,
  verifyReceipt,
  verifyReceipts,
} from '@treeos/verify'
import { OPERATIONS, RELATIONS } from '@treeos/verify/parts'
import { buildRegistry, seed } from '@treeos/world'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Random } from '../faults/random.ts'
import { createSpace, doAs, live, play, until } from '../support/life.ts'
import mail from '../support/mail.ts'
import { type LogKey, naiveLog, newLogKey } from '../support/naive-log.ts'
import { type PostOffice, startPostOffice } from '../support/post-office.ts'
import { stage } from '../support/puppet.ts'
import { useWorld } from '../support/use-world.ts'
import { FORGERS, type ShownFact, type Statement } from './receipt-forgers.ts'

const FORGERIES = Number(process.env.TREEOS_FORGERIES ?? 1000)

/** Facts on the reel of a maker. */
const MAKER_FACTS = Number(process.env.TREEOS_MAKER_FACTS ?? 1020)
const ACT_FACTS = 60
/** The receipts that Go's libraries were asked about. With `TREEOS_RECEIPTS_TO` they are written anew. */
const RECORDED = join(import.meta.dirname, '../../packages/verify/test/go-dsse/receipts.json')
/** The key of a test, so that the bytes of a receipt can be compared. */
const SEED = createHash('sha256').update('a key of a test of receipts').digest()

/** An operation that writes many facts. */
const diary = defineExtension({
  name: 'diary',
  version: '1.0.0',
  operations: [
    defineOperation({
      name: 'diary:fill',
      description: 'Writes many facts about the being itself.',
      on: 'being',
      allow: ['self'],
      args: z.object({ from: z.number() }),
      decide: ({ actor, args }) => ({
        facts: Array.from({ length: ACT_FACTS }, (_, i) => setQuality(actor, 'diary.page', args.from + i)),
        result: null,
      }),
    }),
  ],
})

let office: PostOffice
beforeAll(async () => {
  office = await startPostOffice()
  process.env.TREEOS_TEST_OFFICE = office.url
})
afterAll(() => office?.close())
const world = useWorld({ extensions: [stage, court, mail, diary] })
const registry = buildRegistry([seed, stage, court, mail, diary])
let key: LogKey
let log: CheckpointedLog

/** The newest moment of a being. */
async function newest(being: string): Promise<string> {
  const { rows } = {
    rows: await world.db
      .selectFrom('moment_outcome')
      .select('moment')
      .where('being', '=', being)
      .orderBy('n', 'desc')
      .limit(1)
      .execute(),
  }
  return rows[0]!.moment
}
const told = new Map<string, string>()
/** Plays a call, and remembers its moment under a name. */
async function plays(name: string, being: string, call: JsonObject): Promise<void> {
  const { n } = await play(world, being, call)
  told.set(name, `${being}/1/${n}`)
}

/** Has a being write many facts, an act at a time. */
async function fill(being: string, from: number, count: number): Promise<void> {
  for (let at = from; at < from + count; at += ACT_FACTS)
    await play(world, being, { verb: 'do', action: 'diary:fill', target: null, args: { from: at } })
}

beforeAll(async () => {
  key = newLogKey(world.reality, SEED)
  await plantScene(world, court)
  await until(async () => (await moments(world.db, 'solomon', 1))[0]?.primary === 'court:judge')
  const puppet = { cognition: 'scripted', script: 'stage:puppet' }
  await world.birth({ ...puppet, name: 'clerk', role: 'stage:free' })
  await world.birth({ ...puppet, name: 'visitor', role: 'court:watcher', home: '/court' })
  const ceiling = { canSee: [{ pattern: '*' }], canDo: ['move'], canSummon: ['@clerk'], canBe: [] }
  await world.birth({ ...puppet, name: 'bound', role: 'stage:free', ceiling })
  await createSpace(world, '/den')
  const rules = {
    do: { 'create-space': { requires: ['contributor'] }, move: { forbid: [{ role: 'court:watcher' }] } },
  }
  await doAs(world, 'set-space', '/den', { field: 'permissions', value: rules })
  await doAs(world, 'add-contributor', '/den', { being: '@clerk' })

  await plays('a rule of a space', 'clerk', {
    verb: 'do',
    action: 'create-space',
    target: '/den',
    args: { path: '/den/a' },
  })
  await plays('a conflict', 'clerk', {
    verb: 'do',
    action: 'create-space',
    target: '/den',
    args: { path: '/den/a' },
  })
  await plays('a look', 'clerk', { verb: 'see', address: '/den' })
  await plays('a summon', 'clerk', { verb: 'summon', target: '@bound', content: 'hello' })
  await plays('a birth', 'clerk', {
    verb: 'be',
    operation: 'birth',
    payload: { name: 'kid', cognition: 'scripted', script: 'silent', role: 'stage:mute' },
  })
  await plays('a letter', 'clerk', {
    verb: 'do',
    action: 'mail:post',
    target: '@clerk',
    args: { text: 'posted' },
  })
  office.moods = [0, 0, 0]
  await plays('a lost answer', 'clerk', {
    verb: 'do',
    action: 'mail:post',
    target: '@clerk',
    args: { text: 'lost' },
  })
  office.moods = [422]
  await plays('an answer that refuses', 'clerk', {
    verb: 'do',
    action: 'mail:post',
    target: '@clerk',
    args: { text: 'odd' },
  })
  await plays('a list', 'visitor', {
    verb: 'do',
    action: 'court:rule',
    target: '/court',
    args: { ruling: 'mine' },
  })
  await plays('a role in a court', 'visitor', {
    verb: 'do',
    action: 'court:disturb',
    target: '/court',
    args: { noise: 'a cough' },
  })
  await plays('a ceiling', 'bound', {
    verb: 'do',
    action: 'create-space',
    target: '/den',
    args: { path: '/den/b' },
  })
  await plays('a rule that requires', 'bound', { verb: 'summon', target: '@clerk', content: 'hello' })
  await live(world, 'solomon', 'the child is mine')
  told.set('a judge', await newest('solomon'))
  await world.birth({ ...puppet, name: 'elder', role: 'stage:free' })
  const heir = { ...puppet, name: 'heir', role: 'stage:free' }
  await play(world, 'elder', { verb: 'be', operation: 'birth', payload: heir })
  await fill('elder', 0, MAKER_FACTS)
  await plays('a maker that wrote much', 'heir', { verb: 'see', address: '/den' })
  log = await naiveLog(world.db, key)
})

const issue = (moment: string, by: CheckpointedLog | null = log, longest?: number) =>
  issueReceipt({ db: world.db, reality: world.reality, registry }, moment, {
    signer: key,
    log: by,
    ...(longest === undefined ? {} : { longest }),
  })
const check = (envelope: unknown, by: string | null = key.verifier): CheckedReceipt =>
  verifyReceipt(JSON.stringify(envelope), by === null ? {} : { key: parseKey(by) })
const statementIn = (envelope: JsonObject): JsonObject =>
  JSON.parse(Buffer.from(String(envelope.payload), 'base64').toString())

/** Whether a receipt holds what its flow read: it does not, and says so. */
const OF_CONTEXT = expect.stringMatching(/^the context: .* is said by its record$/)

describe('a receipt', () => {
  it.each<[string, Verdict, (string | RegExp)[]]>([
    ['a rule of a space', 'seen-to-run', [/^canDo: /, '/den permissions.do.create-space']],
    ['a conflict', 'permitted', [/^canDo: /, '/den permissions.do.create-space']],
    ['a look', 'permitted', [/^canSee: /, 'see /den: anyone']],
    ['a summon', 'seen-to-run', [/^canSummon: /, 'summon @bound: anyone']],
    ['a birth', 'seen-to-run', [/^canBe: /, /^be birth: /]],
    ['a letter', 'seen-to-run', [/^canDo: /, 'do mail:post: self']],
    ['a lost answer', 'not-known', [/^canDo: /, 'do mail:post: self']],
    ['an answer that refuses', 'seen-to-run', [/^canDo: /, 'do mail:post: self']],
    ['a list', 'refused', ['canDo']],
    ['a role in a court', 'seen-to-run', [/^canDo: court:disturb/, /./]],
    ['a ceiling', 'refused', ['the ceiling of @bound in canDo']],
    ['a judge', 'seen-to-run', [/./, /./]],
    ['a maker that wrote much', 'permitted', [/^canSee: /, 'see /den: anyone']],
  ])('of %s says %s, and by what, and is checked offline', async (name, verdict, by) => {
    const { envelope } = await issue(told.get(name)!)
    const { ok, broken, derived, signed, checkpoint } = check(envelope)
    expect(broken).toEqual([])
    expect({ ok, signed, verdict: derived?.verdict, moment: derived?.moment }).toEqual({
      ok: true,
      signed: true,
      verdict,
      moment: told.get(name),
    })
    expect(checkpoint).toMatchObject({ origin: `treeos/${world.reality.id}` })
    expect(derived!.gates.map((gate) => gate.by)).toEqual(
      by.map((rule) => (typeof rule === 'string' ? rule : expect.stringMatching(rule))),
    )
    expect(derived!.gates.at(-1)!.allowed).toBe(verdict !== 'refused')
  })

  it('names the clause that chose each role', async () => {
    const { derived } = await issue(told.get('a judge')!)
    expect(derived.roles).toContainEqual({ role: 'court:judge', clause: expect.any(Number) })
  })

  it('names no child of a maker, unless a role reaches for its children', async () => {
    for (const [name, moment] of told) {
      const { reels } = statementIn((await issue(moment)).envelope).predicate as {
        reels: Record<string, Json>
      }
      const shown = Object.values(reels).flatMap((links) => (Array.isArray(links) ? links : []))
      const bore = shown.filter((link) => readPath((link as Json[])[0] as Json, ['kind']) === 'being:bore')
      expect({ name, named: bore.filter((link) => (link as Json[])[2] !== null) }).toEqual({
        name,
        named: [],
      })
    }
  })

  it('says that the run ended in failure, and why it was refused where no gate refused it', async () => {
    const conflict = check((await issue(told.get('a conflict')!)).envelope)
    expect(conflict.derived).toMatchObject({
      verdict: 'permitted',
      outcome: 'failure',
      reason: 'RESOURCE_CONFLICT',
    })
    expect(shownReceipt(conflict)).toContain('it ended in failure: RESOURCE_CONFLICT')
    const acted = check((await issue(told.get('a rule of a space')!)).envelope) // the control
    expect(acted.derived).toMatchObject({ outcome: 'act', reason: null })
    expect(shownReceipt(acted)).not.toContain('failure')
    const odd = check((await issue(told.get('an answer that refuses')!)).envelope)
    expect(shownReceipt(odd)).toContain('it ended in failure: ')
  })

  it('is checked with others, one a line: the worst status counts', async () => {
    const lines = await Promise.all(
      ['a look', 'a summon', 'a list'].map(async (name) =>
        JSON.stringify((await issue(told.get(name)!)).envelope),
      ),
    )
    const by = { key: parseKey(key.verifier) }
    expect(verifyReceipts(`${lines.join('\n')}\n`, by)).toMatchObject({
      status: 'ok',
      receipts: [{}, {}, {}],
    })
    const forged = lines.with(1, lines[1]!.replace('"sig":"', '"sig":"A'))
    const { status, receipts } = verifyReceipts(forged.join('\n'), by)
    expect({ status, each: receipts.map((one) => one.status) }).toEqual({
      status: 'broken',
      each: ['ok', 'broken', 'ok'],
    })
    expect(verifyReceipts('', by)).toMatchObject({ status: 'broken' })
    expect(verifyReceipts(lines[0]!, { ...by, strict: true })).toMatchObject({ status: 'unproven' })
  })

  it('has the rules and relations of TreeOS itself as its tables say', () => {
    const core = buildRegistry([seed])
    const rulesOf = (operations: ReadonlyMap<string, { readonly allow: readonly string[] }>) =>
      Object.fromEntries([...operations].map(([name, { allow }]) => [name, [...allow]]))
    expect(OPERATIONS).toEqual({ do: rulesOf(core.operations), be: rulesOf(core.beOperations) })
    expect(Object.keys(RELATIONS).sort()).toEqual([...core.relations.keys()].sort())
  })

  it('says plainly what is not proven without a key, and without a checkpoint', async () => {
    const { envelope } = await issue(told.get('a summon')!, null)
    const { status, unproven } = check(envelope, null)
    expect(status).toBe('unproven')
    expect(unproven).toContainEqual(expect.stringContaining('no key was given'))
    expect(unproven).toContainEqual(expect.stringContaining('no checkpoint covers the moment'))
  })

  it('is refused for a moment that called nothing, and for one that never was', async () => {
    await live(world, 'clerk', 'nothing to do')
    await expect(issue(await newest('clerk'))).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    await expect(issue('clerk/1/999')).rejects.toMatchObject({ code: 'MOMENT_NOT_FOUND' })
  })

  it('is read by the rules of DSSE and in-toto', async () => {
    const { envelope } = await issue(told.get('a summon')!)
    const body = Buffer.from(String(envelope.payload), 'base64')
    expect(envelope.payloadType).toBe('application/vnd.in-toto+json')
    expect(preAuthentication(PAYLOAD_TYPE, body).toString()).toBe(
      `DSSEv1 28 application/vnd.in-toto+json ${body.length} ${body}`,
    )
    expect(statementIn(envelope)).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://treeos.dev/receipt/v1',
      subject: [{ name: told.get('a summon'), digest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } }],
    })
  })
})

describe('a receipt of a being whose maker wrote much', () => {
  const bytesOf = (envelope: JsonObject) => JSON.stringify(envelope).length
  const gapOf = ({ gaps }: Derived) => gaps.find(({ reel }) => reel === 'being:elder')!
  /** bytes of what a receipt shows of the maker */
  const elderIn = (envelope: JsonObject) =>
    JSON.stringify(readPath(statementIn(envelope), ['predicate', 'reels', 'being:elder'])).length
  const ofHeir = () => told.get('a maker that wrote much')!
  const wholeOf = async (moment: string) => (await issue(moment, log, Number.POSITIVE_INFINITY)).envelope

  it('does not grow with the facts of the maker, and names those that it leaves out', async () => {
    const [short, whole] = [(await issue(ofHeir())).envelope, await wholeOf(ofHeir())]
    const { ok, unproven, derived } = check(short)
    expect(ok).toBe(true)
    const { from, to } = gapOf(derived!)
    expect(from).toBe(2) // all but its birth
    expect(to - from).toBeGreaterThanOrEqual(MAKER_FACTS - 1)
    expect(unproven).toContainEqual(
      `facts ${from} to ${to} of being:elder are left out: that the permission does not depend on them is said by the signer`,
    )
    // The control: with all of them nothing of the kind is unproven, and it is many times larger.
    expect(check(whole)).toMatchObject({ ok: true, unproven: [OF_CONTEXT], derived: { gaps: [] } })
    expect(bytesOf(whole)).toBeGreaterThan(400 * MAKER_FACTS)
    expect(bytesOf(short)).toBeLessThan(60_000)
    console.log(`a maker of ${to} facts: ${bytesOf(whole)} bytes with all of them, ${bytesOf(short)} without`)

    await fill('elder', MAKER_FACTS, MAKER_FACTS / 2)
    await plays('a maker that wrote more', 'heir', { verb: 'see', address: '/den' })
    log = await naiveLog(world.db, key)
    const later = (await issue(told.get('a maker that wrote more')!)).envelope
    expect(gapOf(check(later).derived!)).toMatchObject({ from: 2 })
    expect(elderIn(later) - elderIn(short)).toBeLessThan(10) // a longer number
    told.delete('a maker that wrote more')
  })

  it('shows every fact while the log does not hold them: a gap needs the log', async () => {
    const { envelope } = await issue(ofHeir(), null)
    expect(check(envelope, null)).toMatchObject({ broken: [], derived: { gaps: [] } })
  })

  it('names what it leaves out also when that counts, and is refused where the log does not show what stands before', async () => {
    await play(world, 'elder', { verb: 'do', action: 'move', target: '/den', args: {} }) // a place counts
    const { n } = await play(world, 'heir', { verb: 'see', address: '/den' })
    log = await naiveLog(world.db, key)
    const statement = statementIn(await wholeOf(`heir/1/${n}`)) as unknown as Statement
    const reel = statement.predicate.reels['being:elder'] as ShownFact[]
    const moved = 1 + reel.findIndex(([header]) => header.kind === 'being:moved')
    expect(moved).toBeGreaterThan(MAKER_FACTS)
    const { index, path } = (await log.prove('being:elder', 1))!
    const { hash } = await world.db
      .selectFrom('fact')
      .select('hash')
      .where('reel', '=', 'being:elder')
      .where('seq', '=', reel.length)
      .executeTakeFirstOrThrow()
    const { proof, ...predicate } = statement.predicate as unknown as { proof: JsonObject; reels: JsonObject }
    const gap = { to: reel.length, hash: hash.toString('hex') }
    const signed = (more: JsonObject) => {
      const reels = { ...predicate.reels, 'being:elder': [reel[0] as Json, gap] }
      const forged = { ...statement, predicate: { ...predicate, reels, proof: { ...proof, ...more } } }
      return check(envelopeOf(forged as unknown as Json, key))
    }
    const cuts = { '1 being:elder': [index, [...path]] }
    const { ok, unproven } = signed({ cuts })
    expect(ok).toBe(true) // whoever signs could do that: so it is said
    expect(unproven).toContainEqual(
      expect.stringContaining(`facts 2 to ${reel.length} of being:elder are left out`),
    )
    expect(signed({}).broken).toMatchObject([{ reason: 'proof-mismatch' }])
    expect(signed({ cuts: { '1 being:elder': [index + 1, [...path]] } }).ok).toBe(false)
  })
})

describe('receipts of all four statuses', () => {
  const statuses = [
    ['refused', 'a list'],
    ['permitted', 'a look'],
    ['seen-to-run', 'a letter'],
    ['not-known', 'a lost answer'],
  ] as const

  it('have the form of those that Go’s securesystemslib and in-toto were asked about', async () => {
    const receipts = []
    for (const [status, name] of statuses)
      receipts.push({ status, envelope: (await issue(told.get(name)!)).envelope })
    const target = process.env.TREEOS_RECEIPTS_TO
    if (target !== undefined) {
      writeFileSync(target, `${JSON.stringify({ verifier: key.verifier, receipts }, null, 2)}\n`)
    }
    const recorded = JSON.parse(readFileSync(RECORDED, 'utf8'))
    for (const [i, { status, envelope }] of receipts.entries()) {
      const known = recorded.receipts[i]
      expect({ status, fields: shapeOf(statementIn(envelope)) }).toEqual({
        status: known.status,
        fields: shapeOf(statementIn(known.envelope)),
      })
      expect(Object.keys(envelope).sort()).toEqual(Object.keys(known.envelope).sort())
      // The same statement, signed today, is the same to the byte as what Go accepted.
      const name = known.envelope.signatures[0].keyid.split('+')[0]
      const signer = newLogKey({ id: name.slice('treeos/'.length) }, SEED)
      expect(envelopeOf(statementIn(known.envelope) as Json, signer)).toEqual(known.envelope)
    }
  })
})

/** The fields of a statement, down to the parts of its predicate. */
const shapeOf = (statement: JsonObject): unknown => [
  ...Object.keys(statement).sort(),
  ...Object.keys(statement.predicate as JsonObject).sort(),
  ...Object.keys((statement.predicate as JsonObject).moment as JsonObject).sort(),
]

describe('a forged receipt', () => {
  it('that the key did not sign is refused, whichever byte is changed', async () => {
    const { envelope } = await issue(told.get('a list')!)
    const text = JSON.stringify(envelope)
    const draw = new Random(7)
    for (let i = 0; i < 300; i++) {
      const at = draw.between(0, text.length - 1)
      const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
      const isName = /"keyid":"[^"]*$/.test(text.slice(0, at)) // says which key to try, and is not signed
      if (!isName)
        expect(verifyReceipt(changed, { key: parseKey(key.verifier) }).ok, `byte ${at}`).toBe(false)
    }
    expect(check(envelope, newLogKey(world.reality).verifier).broken).toMatchObject([
      { reason: 'envelope-mismatch' },
    ])
    expect(check(envelope, newLogKey(world.reality).verifier).broken).toHaveLength(1)
  })

  it(`is refused ${FORGERIES} times although the right key signed it: it does not follow from its specs and facts`, async () => {
    const genuine = await Promise.all(
      [...told]
        .filter(([name]) => name !== 'a rule that requires')
        .map(async ([name, moment]) => ({ name, envelope: (await issue(moment)).envelope })),
    )
    const draw = new Random(18)
    const kinds: Record<string, number> = {}
    for (let i = 0; i < FORGERIES; i++) {
      const { name, envelope } = draw.pick(genuine)
      const statement = structuredClone(statementIn(envelope)) as unknown as Statement
      const [kind, forge] = draw.pick(FORGERS)
      const what = forge(statement, draw)
      if (what === false) {
        i -= 1
        continue
      }
      kinds[kind] = (kinds[kind] ?? 0) + 1
      const { ok } = check(envelopeOf(statement as unknown as Json, key))
      expect(ok, `the receipt of ${name} with ${kind}: ${what}`).toBe(false)
    }
    for (const { name, envelope } of genuine) // the control: signed again by the same way, they hold
      expect({ name, broken: check(envelopeOf(statementIn(envelope) as Json, key)).broken }).toEqual({
        name,
        broken: [],
      })
    expect(Object.keys(kinds).sort()).toEqual(FORGERS.map(([kind]) => kind).sort())
  })
})
