/**
 * Another verifier, in Python, which follows docs/formats.md, says of every bundle and receipt what
 * @treeos/verify says.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { act, erasing, inhabit, plantScene } from '@treeos/client'
import { type Json, type JsonObject, parseCall } from '@treeos/core'
import court from '@treeos/court'
import { type CheckpointedLog, envelopeOf, exportBundle, issueReceipt } from '@treeos/proofs'
import { defineExtension, defineRole } from '@treeos/sdk'
import { type BundleReport, parseKey, verifyReceipt } from '@treeos/verify'
import { buildRegistry, seed } from '@treeos/world'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { Random } from '../faults/random.ts'
import { ActSigner } from '../support/act-signer.ts'
import { playAskedCalls } from '../support/asked-calls.ts'
import { createSpace, doAs, live, momentOf, play, setFlow, tell } from '../support/life.ts'
import mail from '../support/mail.ts'
import { type LogKey, naiveLog, newLogKey } from '../support/naive-log.ts'
import { playDryRunOutside, playWordsFromOutside } from '../support/outside-words.ts'
import { type PostOffice, startPostOffice } from '../support/post-office.ts'
import { stage } from '../support/puppet.ts'
import { useWorld } from '../support/use-world.ts'
import { linesOf, summed, textOf, verifyBytes } from './bundle-lines.ts'
import { changeOne, mendedBundle, mendedStatement, type Part } from './mutations.ts'
import { type Opinion, type Question, SecondVerifier, whyNoPython } from './second-opinion.ts'

/** The check of each day tries a part of what the nightly one does. */
const MUTATIONS = Number(process.env.TREEOS_SECOND_MUTATIONS ?? (process.env.TREEOS_NIGHTLY ? 5000 : 400))
const SEED = Number(process.env.TREEOS_SECOND_SEED ?? 31)
const SCHEMA = join(import.meta.dirname, '../../packages/verify/src/receipt/receipt.schema.json')

const why = whyNoPython()
const judged = it.skipIf(why !== null)
const folder = mkdtempSync(join(tmpdir(), 'treeos-second-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let office: PostOffice
beforeAll(async () => {
  office = await startPostOffice()
  process.env.TREEOS_TEST_OFFICE = office.url
})
afterAll(() => office?.close())
/** Roles and flows with what other beings of the scene do not have. */
const hall = defineExtension({
  name: 'hall',
  version: '1.0.0',
  roles: [
    defineRole({
      name: 'hall:usher',
      canSee: [{ rel: 'self' }, { rel: 'asker' }, '/den'],
      canSummon: ['clerk', { rel: 'asker' }],
      prompt: 'You show people in.',
    }),
    defineRole({
      name: 'hall:hermit',
      defaultOrientation: 'inward',
      canSummon: [{ rel: 'self' }, { rel: 'asker' }, { rel: 'parent' }],
      prompt: 'You look at what you did.',
    }),
  ],
})
const extensions = [stage, court, mail, hall]
const world = useWorld({ extensions })
const registry = buildRegistry([seed, ...extensions])
let key: LogKey
let log: CheckpointedLog
let second: SecondVerifier
/** of the whole reality, of each being, and of parts of some, proven or not */
const bundles: Buffer[] = []
const receipts: string[] = []

beforeAll(async () => {
  if (why === null) second = new SecondVerifier()
  else console.warn(`no second verifier is asked: ${why}`)
  key = newLogKey(world.reality)
  await liveALittle()
  log = await naiveLog(world.db, key)
  const reels = await world.db.selectFrom('head').select('reel').execute()
  const beings = reels.flatMap(({ reel }) => (reel.startsWith('being:') ? [reel.slice('being:'.length)] : []))
  for (const proven of [true, false]) {
    bundles.push(await bundleOf({}, proven))
    for (const being of beings) bundles.push(await bundleOf({ being }, proven))
    for (const since of [1, 2, 3])
      bundles.push(await bundleOf({ being: 'clerk', since, until: since + 1 }, proven))
  }
  const calls = await world.db
    .selectFrom('moment_decision')
    .innerJoin('moment_outcome', 'moment_outcome.moment', 'moment_decision.moment')
    .where('moment_decision.kind', '=', 'call')
    .where('moment_decision.bytes', 'is not', null)
    .select('moment_decision.moment')
    .execute()
  for (const { moment } of calls)
    for (const by of [{ log }, { log: null }, { log, longest: 1 }]) receipts.push(await receiptOf(moment, by))
}, 400_000) // it lives a long scene, beside other files
afterAll(() => second?.close())

async function bundleOf(
  of: { being?: string; since?: number; until?: number },
  proven: boolean,
): Promise<Buffer> {
  const file = join(folder, 'audit.jsonl')
  await exportBundle(world.db, world.reality, { ...of, log: proven ? async () => log : null, file })
  return readFileSync(file)
}

async function receiptOf(
  moment: string,
  by: { log: CheckpointedLog | null; longest?: number },
): Promise<string> {
  const at = { db: world.db, reality: world.reality, registry }
  return JSON.stringify((await issueReceipt(at, moment, { signer: key, ...by })).envelope)
}

/**
 * Calls of every verb, with every verdict; people, a driver, effects, flows that read the world, and
 * erasures.
 */
async function liveALittle(): Promise<void> {
  await plantScene(world, court)
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
  const make = (path: string): JsonObject => ({
    verb: 'do',
    operation: 'create-space',
    target: '/den',
    args: { path },
  })
  await play(world, 'clerk', make('/den/a'))
  await play(world, 'clerk', make('/den/a'))
  await play(world, 'bound', make('/den/b'))
  await play(world, 'clerk', { verb: 'see', address: '/den' })
  await playAskedCalls(world)
  await playWordsFromOutside(world)
  await playDryRunOutside(world)
  await play(world, 'clerk', { verb: 'summon', target: '@bound', content: 'hello' })
  const kid = { name: 'kid', cognition: 'scripted', script: 'silent', role: 'stage:mute' }
  await play(world, 'clerk', { verb: 'be', operation: 'birth', args: kid })
  await play(world, 'clerk', {
    verb: 'be',
    operation: 'birth',
    args: { ...kid, name: 'denned', home: '/den' },
  })
  const post = (text: string): JsonObject => ({
    verb: 'do',
    operation: 'mail:post',
    target: '@clerk',
    args: { text },
  })
  await play(world, 'clerk', post('posted'))
  office.moods = [0, 0, 0]
  await play(world, 'clerk', post('lost'))
  await play(world, 'visitor', {
    verb: 'do',
    operation: 'court:rule',
    target: '/court',
    args: { ruling: 'mine' },
  })
  await play(world, 'visitor', { verb: 'do', operation: 'move', target: '@visitor', args: { to: '/den' } })
  await setFlow(world, 'visitor', [
    { when: { 'world.weather.rain': true, 'me.quality.mood': { ne: 'grim' } }, role: 'stage:free' },
    { when: { 'space.quality.permissions': { present: true } }, role: 'stage:mute', stack: true },
  ])
  await doAs(world, 'set-world-signal', '/', { namespace: 'weather', key: 'rain', value: true })
  await play(world, 'visitor', { verb: 'see', address: '~' })
  await live(world, 'solomon', 'the child is mine')
  const inhabitation = await inhabit(world, { being: 'clerk', as: 'operator' })
  await act(world, 'clerk', { verb: 'see', address: '/' })
  await inhabitation.release()
  await world.birth({ ...puppet, name: 'usher', role: 'hall:usher' })
  await setFlow(world, 'usher', [{ when: { 'wake.kind': ['message', 'look'] }, role: 'hall:usher' }])
  for (const address of ['@usher', '/den', '@bound', '/court'])
    await play(world, 'usher', { verb: 'see', address })
  await play(world, 'usher', { verb: 'summon', target: '@clerk', content: 'come in' })
  await play(world, 'usher', { verb: 'summon', content: 'welcome' })
  await lookInward()
  await hideALittle()
  await signALittle()
  const wake = await tell(world, 'bound', 'the word is tiger-milk')
  const { n } = await momentOf(world, wake)
  await act(world, 'operator', await erasing(world.db, `bound/1/${n}`, 'asked to'))
}

/** A being whose role looks inward, so that its lists expand no relation but who woke it. */
async function lookInward(): Promise<void> {
  await world.birth({ cognition: 'scripted', script: 'stage:puppet', name: 'hermit', role: 'hall:hermit' })
  await play(world, 'hermit', { verb: 'summon', content: 'I looked at what I did' })
  await play(world, 'hermit', { verb: 'summon', target: '@hermit', content: 'to myself' })
}

/** A being whose flow reads the place where it is, before and after that is kept from it. */
async function hideALittle(): Promise<void> {
  await world.birth({ cognition: 'scripted', script: 'stage:puppet', name: 'lurker', role: 'stage:free' })
  await createSpace(world, '/vault')
  await doAs(world, 'set-space', '/vault', { field: 'vault.open', value: true })
  await setFlow(world, 'lurker', [
    { when: { 'space.quality.vault.open': true }, role: 'stage:mute', stack: true },
  ])
  await play(world, 'lurker', { verb: 'do', operation: 'move', target: '/vault', args: {} })
  const see = { '*': { requires: ['operator'] } }
  await doAs(world, 'set-space', '/vault', { field: 'permissions', value: { see } })
  await play(world, 'lurker', { verb: 'see', address: '@lurker' })
}

/** Acts of persons that passkeys of both kinds sign, and one that none signs. */
async function signALittle(): Promise<void> {
  for (const name of ['ann', 'ben']) await world.birth({ name, cognition: 'human', role: 'stage:free' })
  const [laptop, phone, other] = [new ActSigner(), new ActSigner('Ed25519'), new ActSigner()]
  const acts = (person: string, call: JsonObject, by: ActSigner | null) => {
    const sign = by === null ? {} : { sign: by.signing(world.reality.id) }
    return act({ ...world, person, ...sign }, person, parseCall(call))
  }
  const set = (being: string, field: string, value: Json): JsonObject => ({
    ...{ verb: 'do', operation: 'set-being', target: `@${being}` },
    args: { field, value },
  })
  await acts('ann', laptop.enrolling('@ann'), null)
  await acts('ann', phone.enrolling('@ann'), laptop)
  await acts('ann', set('ann', 'mood', 'calm'), phone)
  await acts('ann', set('ann', `passkeys.${laptop.id}`, null), phone)
  await acts('ann', { verb: 'see', address: '/den' }, phone)
  await acts('ben', other.enrolling('@ben'), null)
  await acts('ben', set('ben', 'mood', 'glad'), null)
}

/**
 * Of what a worker cannot have written, such as a field of another type, one may say `broken` where the other
 * leaves it open.
 */
const OPEN_TO_ONE_MAX = MUTATIONS / 50
const isOpenToOne = (first: Opinion, other: Opinion): boolean =>
  [first.status, other.status].sort().join() === 'broken,unproven'

/** Of what is broken no verdict counts. */
const areAlike = (first: Opinion, other: Opinion): boolean =>
  first.status === 'broken' && other.status === 'broken'
    ? true
    : JSON.stringify(first) === JSON.stringify(other)

/** What both say of it. */
async function bothOn(question: Question): Promise<{ first: Opinion; second: Opinion }> {
  const [first, other] = await Promise.all([firstOn(question), second.ask(question)])
  return { first, second: other }
}

async function firstOn({ bundle, receipt, key: by, strict = false }: Question): Promise<Opinion> {
  if (bundle !== undefined) {
    const verified = await verifyBytes(bundle, by, strict)
    return { status: verified.status, found: verified.status === 'broken' ? null : foundIn(verified) }
  }
  const checking = { key: by === null ? null : parseKey(by), strict }
  const { status, derived } = await verifyReceipt(String(receipt), checking)
  return { status, verdict: derived?.verdict ?? null }
}

const foundIn = ({ facts, moments, covered, erased }: BundleReport): Json => ({
  facts,
  moments,
  covered: covered ?? 0,
  erased: erased.map(({ reel, seq, what, by, why: reason, at }) => [reel, seq, what, by, reason, at]),
})

judged(
  'agrees on every bundle and receipt, with a key, without one, with a wrong one, and strictly',
  async () => {
    const other = newLogKey(world.reality).verifier
    const shown = [...bundles.map((bundle) => ({ bundle })), ...receipts.map((receipt) => ({ receipt }))]
    const tally: Record<string, number> = {}
    const ways = [key.verifier, null, other].flatMap((by) =>
      [false, true].map((strict) => ({ key: by, strict })),
    )
    // By day each is tried with the key, and in one of the other ways by turns.
    for (const [at, one] of shown.entries())
      for (const way of process.env.TREEOS_NIGHTLY ? ways : [ways[0]!, ways[1 + (at % (ways.length - 1))]!]) {
        const both = await bothOn({ ...one, ...way })
        expect(both.second).toEqual(both.first)
        const { status, verdict } = both.first
        for (const told of [status, verdict ?? 'none']) tally[String(told)] = (tally[String(told)] ?? 0) + 1
      }
    for (const told of [
      'ok',
      'unproven',
      'broken',
      'refused',
      'permitted',
      'asked',
      'seen-to-run',
      'not-known',
    ])
      expect(tally[told], told).toBeGreaterThan(0)
  },
)

const statementIn = (receipt: string): Part =>
  JSON.parse(Buffer.from(JSON.parse(receipt).payload, 'base64').toString())

it('has receipts of the form of their JSON schema, and the schema refuses what is changed in their form', () => {
  const schema = z.fromJSONSchema(JSON.parse(readFileSync(SCHEMA, 'utf8')))
  for (const receipt of receipts) {
    const { predicate } = statementIn(receipt)
    expect(schema.safeParse(predicate).error?.issues ?? []).toEqual([])
    for (const field of [...Object.keys(predicate), 'more']) {
      const { [field]: told, ...others } = predicate
      expect([field, schema.safeParse(told === undefined ? { ...others, more: 1 } : others).success]).toEqual(
        [field, false],
      )
    }
    const [first] = Object.values<Json[][]>(predicate.reels)[0] ?? []
    first?.push(null)
    expect(schema.safeParse(predicate).success).toBe(false)
  }
})

judged('control: another answer shows, as of a verifier that trusts any key', async () => {
  const asked = { receipt: receipts[0]!, strict: false }
  const first = await firstOn({ ...asked, key: newLogKey(world.reality).verifier })
  expect(await second.ask({ ...asked, key: null })).not.toEqual(first)
})

function changedBytes(bytes: Buffer, draw: Random): Buffer {
  const copy = Buffer.from(bytes)
  const place = draw.between(0, copy.length - 1)
  copy[place] = draw.chance(0.5) ? copy[place]! ^ (1 << draw.between(0, 7)) : draw.between(32, 126)
  return copy
}

/** A line out, twice, or at another place, with true numbers and sums again. */
function moved(lines: string[], draw: Random): string[] {
  const copy = [...lines]
  const [from, to] = [draw.between(0, lines.length - 1), draw.between(0, lines.length - 1)]
  const [line = ''] = copy.splice(from, draw.between(0, 1))
  if (draw.chance(0.6)) copy.splice(to, 0, line === '' ? lines[from]! : line)
  return copy
}

judged('refuses the yes of a person whom the asker made, as ours does', async () => {
  const yes = receipts.find((receipt) => {
    const { record, open } = statementIn(receipt).predicate.moment
    return open.wake.id.startsWith('approved/') && record.outcome === 'act'
  })
  const told = async (forge: (reels: Part) => void) => {
    const statement = statementIn(yes ?? '')
    forge(statement.predicate.reels)
    return bothOn({
      receipt: JSON.stringify(envelopeOf(mendedStatement(statement) as Json, key)),
      key: null,
      strict: false,
    })
  }
  const byPat = (reels: Part) => {
    const [reel = ''] = Object.keys(reels).filter((name) => name.startsWith('approval:'))
    for (const [header] of reels[reel]) if (header.kind === 'approval:given') header.actor = 'pat'
  }
  const ofPat = await told(byPat)
  // control: a yes of @pat is one, where the operator made @pat
  expect(ofPat.first.verdict).toBe('seen-to-run')
  const ofSock = await told((reels) => {
    byPat(reels)
    reels['being:pat'][0][2].parent = 'clerk'
  })
  expect(ofSock.first.verdict).toBeNull()
  for (const { first, second: other } of [ofPat, ofSock]) expect(other).toEqual(first)
})

judged('says of what an unknown law judged that it is not proven, as ours does', async () => {
  const lawIn = (record: Part, law: Json) => {
    record.law = law
  }
  const toldOfBundle = (law: Json) => {
    const parts: Part[] = linesOf(bundles[0]!)
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind !== 'checkpoint' && kind !== 'proof') // of the hashes before
    lawIn(parts.find(({ kind, record }) => kind === 'moment' && record.outcome === 'act')!.record, law)
    const bundle = summed(mendedBundle(parts).map((part) => JSON.stringify(sorted(part))))
    return bothOn({ bundle, key: null })
  }
  const toldOfReceipt = (law: Json, forge: (statement: Part) => void = () => undefined) => {
    const statement = statementIn(receipts[0]!)
    lawIn(statement.predicate.moment.record, law)
    forge(statement)
    const receipt = JSON.stringify(envelopeOf(mendedStatement(statement) as Json, key))
    return bothOn({ receipt, key: key.verifier })
  }
  const byOther = (statement: Part) => {
    statement.predicate.moment.record.by = ['nobody']
  }
  const found: [unknown, { first: Opinion; second: Opinion }][] = [
    ['unproven', await toldOfBundle(2)],
    ['broken', await toldOfBundle(0)],
    ['broken', await toldOfBundle('1')],
    ['broken', await toldOfReceipt(1, byOther)], // control: the rules that allow it are judged
    ['unproven', await toldOfReceipt(2, byOther)],
    ['unproven', await toldOfReceipt(2)],
    ['broken', await toldOfReceipt(null)],
  ]
  for (const [status, { first, second: other }] of found) {
    expect(first.status).toBe(status)
    expect(other).toEqual(first)
  }
})

/** What was changed last. */
let change = ''

/** A field of one line changed; with `mends` every hash is computed again. */
function edited(lines: string[], draw: Random, mends: boolean): string[] {
  const parts: Part[] = lines.map((line) => JSON.parse(line))
  change = changeOne(draw.pick(parts), draw)
  return (mends ? mendedBundle(parts) : parts).map((part) => JSON.stringify(sorted(part)))
}
const sorted = (part: Part): Part =>
  Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))

function mutatedBundle(bytes: Buffer, draw: Random): Buffer {
  const lines = linesOf(bytes)
  const kind = draw.between(0, 9)
  try {
    if (kind === 0) return changedBytes(bytes, draw)
    if (kind === 1) return textOf(moved(lines, draw))
    if (kind <= 3) return summed(moved(lines, draw))
    return summed(edited(lines, draw, kind > 5))
  } catch {
    return changedBytes(bytes, draw) // it has no lines that could be summed
  }
}

function mutatedReceipt(receipt: string, draw: Random): string {
  if (draw.chance(0.1)) return changedBytes(Buffer.from(receipt), draw).toString()
  const statement = statementIn(receipt)
  const part = draw.chance(0.7) ? draw.pick(Object.keys(statement.predicate)) : null
  change = `${part}${changeOne(part === null ? statement : statement.predicate[part], draw)}`
  try {
    return JSON.stringify(
      envelopeOf((draw.chance(0.8) ? mendedStatement(statement) : statement) as Json, key),
    )
  } catch {
    return mutatedReceipt(receipt, draw) // what was changed has no hashes
  }
}

judged(
  `agrees on ${MUTATIONS} mutations of them (seed ${SEED})`,
  async () => {
    const draw = new Random(SEED)
    const small = bundles.filter((bundle) => bundle.length < 60_000)
    const told = receipts
    const tally: Record<string, number> = {}
    const differing: string[] = []
    const openToOne: string[] = []
    for (let from = 0; from < MUTATIONS; from += 50) {
      const changes: string[] = []
      const questions = Array.from({ length: Math.min(50, MUTATIONS - from) }, (): Question => {
        const by = draw.chance(0.7) ? key.verifier : null
        const strict = draw.chance(0.2)
        change = 'bytes or lines'
        const shown = draw.chance(0.5)
          ? { bundle: mutatedBundle(draw.pick(small), draw) }
          : { receipt: mutatedReceipt(draw.pick(told), draw) }
        changes.push(change)
        return { ...shown, key: by, strict }
      })
      const answers = await Promise.all(questions.map((question) => bothOn(question)))
      for (const [i, both] of answers.entries()) {
        const of = questions[i]!.bundle === undefined ? 'receipt' : 'bundle'
        const name = `${of} ${both.first.status}`
        tally[name] = (tally[name] ?? 0) + 1
        if (areAlike(both.first, both.second)) continue
        const list = isOpenToOne(both.first, both.second) ? openToOne : differing
        list.push(JSON.stringify({ of, change: changes[i], ...both }))
      }
    }
    console.info(tally, openToOne)
    expect(differing).toEqual([])
    expect(openToOne.length).toBeLessThanOrEqual(OPEN_TO_ONE_MAX)
    for (const what of ['bundle', 'receipt'])
      for (const status of ['ok', 'unproven', 'broken'])
        expect(tally[`${what} ${status}`] ?? 0, `${what} ${status}`).toBeGreaterThan(9)
  },
  600_000,
)
