import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Json, type JsonObject, readPath } from '@treeos/core'
import { envelopeOf } from '@treeos/proofs'
import {
  PAYLOAD_TYPE,
  parseKey,
  preAuthentication,
  shownReceipt,
  type Verdict,
  verifyReceipts,
} from '@treeos/verify'
import { describe, expect, it } from 'vitest'
import { live } from '../support/life.ts'
import { newLogKey } from '../support/naive-log.ts'
import { mendedStatement, type Part } from './mutations.ts'
import { SEED, statementIn, useReceipts } from './receipt-scene.ts'

/** The receipts that Go's libraries were asked about. With `TREEOS_RECEIPTS_TO` they are written anew. */
const RECORDED = join(import.meta.dirname, '../../packages/verify/test/go-dsse/receipts.json')

const scene = useReceipts()
const { world, told, issue, check } = scene

const SEATS = '/desk permissions.do.set-space'

describe('a receipt', () => {
  it.each<[string, Verdict, (string | RegExp)[]]>([
    ['a rule of a space', 'seen-to-run', [/^canDo: /, '/den permissions.do.create-space']],
    ['a conflict', 'permitted', [/^canDo: /, '/den permissions.do.create-space']],
    ['a look', 'permitted', [/^canSee: /, 'see /den: anyone']],
    ['a summon', 'seen-to-run', [/^canSummon: /, 'summon @bound: anyone']],
    ['a birth', 'seen-to-run', [/^canBe: /, /^be birth: /]],
    ['a birth elsewhere', 'seen-to-run', [/^canBe: /, /^be birth: /]],
    ['a letter', 'seen-to-run', [/^canDo: /, 'do mail:post: self']],
    ['a lost answer', 'not-known', [/^canDo: /, 'do mail:post: self']],
    ['an answer that refuses', 'seen-to-run', [/^canDo: /, 'do mail:post: self']],
    ['a list', 'refused', ['canDo']],
    ['a role in a court', 'seen-to-run', [/^canDo: court:disturb/, /./]],
    ['a ceiling', 'refused', ['the ceiling of @bound in canDo']],
    ['a judge', 'seen-to-run', [/./, /./]],
    ['a question', 'asked', [/^canDo: /, '/till permissions.do.create-space']],
    ['a yes', 'seen-to-run', [/^canDo: /, '/till permissions.do.create-space']],
    ['a yes with other arguments', 'seen-to-run', [/^canDo: /, '/till permissions.do.create-space']],
    ['an act before which another has to come', 'refused', [/^canDo: /, `${SEATS} counts[0]`]],
    ['the act that comes before', 'seen-to-run', [/^canDo: /, '/desk permissions.do.create-space']],
    ['a counted act', 'seen-to-run', [/^canDo: /, SEATS]],
    ['an act beyond its own bound', 'refused', [/^canDo: /, `${SEATS} counts[3]`]],
    ['an act beyond the sum', 'refused', [/^canDo: /, `${SEATS} counts[2]`]],
    ['a second counted act', 'seen-to-run', [/^canDo: /, SEATS]],
    ['an act beyond the count', 'refused', [/^canDo: /, `${SEATS} counts[1]`]],
    ['an act of whom the rule asks', 'seen-to-run', [/^canDo: /, '/till permissions.do.create-space']],
  ])('of %s says %s, and by what, and is checked offline', async (name, verdict, by) => {
    const { envelope } = await issue(told.get(name)!)
    const { ok, broken, derived, signed, checkpoint } = await check(envelope)
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

  it('of a yes that no longer holds says that it was refused', async () => {
    const { envelope } = await issue(told.get('a yes to what changed')!)
    const { ok, broken, derived } = await check(envelope)
    expect({ ok, broken, verdict: derived?.verdict }).toEqual({ ok: true, broken: [], verdict: 'refused' })
  })

  it('of an act that a rule counts is broken where the act was not counted', async () => {
    const { envelope } = await issue(told.get('a counted act')!)
    expect((await check(envelope)).ok).toBe(true) // control
    for (const reels of ['tally:', 'tally:/desk shadow.']) {
      const statement = statementIn(envelope) as unknown as Part
      const { record } = statement.predicate.moment
      record.facts = record.facts.filter(([reel]: [string]) => !reel.startsWith(reels))
      const forged = await check(envelopeOf(mendedStatement(statement) as Json, scene.key), null)
      expect(forged.broken, reels).toMatchObject([{ what: 'a rule counts it, and it was not counted' }])
    }
  })

  it.each<[string, Json, boolean]>([
    ['forbids it to all', { forbid: ['anyone'] }, false],
    ['lets its owner alone', { requires: ['owner'] }, false],
    ['asks about it', { requires: ['anyone'], ask: { who: ['operator'] } }, false],
    ['asks about words from outside', { outside: { ask: { who: ['operator'] } } }, true], // control
  ])('of a birth in a place whose rule about moves %s', async (_what, rule, isHeld) => {
    const { envelope } = await issue(told.get('a birth elsewhere')!)
    expect((await check(envelope)).ok).toBe(true)
    const statement = statementIn(envelope) as unknown as Part
    const links = statement.predicate.reels['space:/den'] as [Part, string | null, Part | null][]
    const set = links.find(([, , payload]) => payload?.path?.[0] === 'permissions')!
    set[2]!.value.do.move = rule
    const { broken } = await check(envelopeOf(mendedStatement(statement) as Json, scene.key), null)
    const what = 'the rules of the place where it gave birth do not let it'
    // no tree holds what was forged
    expect(broken).toMatchObject([isHeld ? { reason: 'proof-mismatch' } : { what }])
  })

  it.each<[string, JsonObject | undefined]>([
    ['the act that comes before', { was: 'allowed', would: 'refused', by: '/desk shadow.do.create-space' }],
    ['an act beyond its own bound', { was: 'refused', would: 'allowed', by: '/desk shadow.do.set-space' }],
    ['a counted act', undefined],
    ['a second counted act', { was: 'allowed', would: 'refused', by: '/desk shadow.do.set-space counts[0]' }],
  ])(
    'of %s holds what dry-run rules would have said, and is broken where they say something else',
    async (name, said) => {
      const { envelope } = await issue(told.get(name)!)
      const forging = async (shadow: Json | undefined) => {
        const statement = statementIn(envelope) as unknown as Part
        const { record } = statement.predicate.moment
        expect(record.shadow).toEqual(said === undefined ? undefined : [expect.objectContaining(said)])
        const [own = { verb: 'do', key: 'set-space', on: '/desk' }] = record.shadow ?? []
        Object.assign(record, { shadow: shadow === undefined ? [] : [{ ...own, ...(shadow as JsonObject) }] })
        return check(envelopeOf(mendedStatement(statement) as Json, scene.key), null)
      }
      const wrong = [{ what: 'the dry-run rules would have said something else' }]
      for (const other of [undefined, { was: 'allowed', would: 'ask', by: 'x' }])
        if (other !== said) expect((await forging(other)).broken).toMatchObject(wrong)
    },
  )

  it.each<[string, (payload: Record<string, Json>) => void]>([
    ['another call', (payload) => Object.assign(payload, { call: null })],
    ['another digest of it', (payload) => Object.assign(payload, { digest: 'd' })],
  ])('of a yes to %s is broken', async (_what, change) => {
    const { envelope } = await issue(told.get('a yes')!)
    const statement = statementIn(envelope) as unknown as {
      predicate: { reels: Record<string, [Json, Json, Record<string, Json>][]> }
    }
    const [reel = ''] = Object.keys(statement.predicate.reels).filter((name) => name.startsWith('approval:'))
    change(statement.predicate.reels[reel]!.at(-1)![2])
    const forged = envelopeOf(statement as never, scene.key)
    expect((await check(forged)).broken).not.toEqual([])
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
    const conflict = await check((await issue(told.get('a conflict')!)).envelope)
    expect(conflict.derived).toMatchObject({
      verdict: 'permitted',
      outcome: 'failure',
      reason: 'RESOURCE_CONFLICT',
    })
    expect(shownReceipt(conflict)).toContain('it ended in failure: RESOURCE_CONFLICT')
    const acted = await check((await issue(told.get('a rule of a space')!)).envelope) // the control
    expect(acted.derived).toMatchObject({ outcome: 'act', reason: null })
    expect(shownReceipt(acted)).not.toContain('failure')
    const odd = await check((await issue(told.get('an answer that refuses')!)).envelope)
    expect(shownReceipt(odd)).toContain('it ended in failure: ')
  })

  it('is checked with others, one a line: the worst status counts', async () => {
    const lines = await Promise.all(
      ['a look', 'a summon', 'a list'].map(async (name) =>
        JSON.stringify((await issue(told.get(name)!)).envelope),
      ),
    )
    const by = { key: parseKey(scene.key.verifier) }
    expect(await verifyReceipts(`${lines.join('\n')}\n`, by)).toMatchObject({
      status: 'ok',
      receipts: [{}, {}, {}],
    })
    const forged = lines.with(1, lines[1]!.replace('"sig":"', '"sig":"A'))
    const { status, receipts } = await verifyReceipts(forged.join('\n'), by)
    expect({ status, each: receipts.map((one) => one.status) }).toEqual({
      status: 'broken',
      each: ['ok', 'broken', 'ok'],
    })
    expect(await verifyReceipts('', by)).toMatchObject({ status: 'broken' })
    expect(await verifyReceipts(lines[0]!, { ...by, strict: true })).toMatchObject({ status: 'unproven' })
  })

  it('says plainly what is not proven without a key, and without a checkpoint', async () => {
    const { envelope } = await issue(told.get('a summon')!, null)
    const { status, unproven } = await check(envelope, null)
    expect(status).toBe('unproven')
    expect(unproven).toContainEqual(expect.stringContaining('no key was given'))
    expect(unproven).toContainEqual(expect.stringContaining('no checkpoint covers the moment'))
  })

  it('is refused for a moment that called nothing, and for one that never was', async () => {
    await live(world, 'clerk', 'nothing to do')
    await expect(issue(await scene.newest('clerk'))).rejects.toMatchObject({ code: 'INVALID_INPUT' })
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
      writeFileSync(target, `${JSON.stringify({ verifier: scene.key.verifier, receipts }, null, 2)}\n`)
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
