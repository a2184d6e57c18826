/**
 * The facts of acts, derived from their decisions by both offline verifiers: what was changed, planted or
 * left out shows.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { act, giveFile, moments } from '@treeos/client'
import { canonicalJson, type Json, type JsonObject } from '@treeos/core'
import { envelopeOf, exportBundle, issueReceipt } from '@treeos/proofs'
import { appendSystemFacts, readerOf } from '@treeos/reality'
import { defineExtension, defineOperation, perform, setQuality, silence } from '@treeos/sdk'
import { parseKey, verifyReceipt } from '@treeos/verify'
import { actHash, factHash, momentHash, saltedHash } from '@treeos/verify/parts'
import { buildRegistry, seed } from '@treeos/world'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Random } from '../faults/random.ts'
import { playAskedCalls } from '../support/asked-calls.ts'
import { png } from '../support/files.ts'
import { doAs, live, play, tell, until } from '../support/life.ts'
import { type LogKey, newLogKey } from '../support/naive-log.ts'
import { IS_NIGHT } from '../support/night.ts'
import { tellFromOutside, vouchFor } from '../support/outside-words.ts'
import { stage } from '../support/puppet.ts'
import { useWorld } from '../support/use-world.ts'
import { type Line, linesOf, rehashed, summed, verifyBytes } from './bundle-lines.ts'
import { SecondVerifier, whyNoPython } from './second-opinion.ts'

/**
 * To make a bundle or a receipt anew takes time: the check of each day tries some acts in bundles and some
 * forgeries of each receipt. generated-realities.test.ts forges more of them.
 */
const [EACH, EACH_OF_RECEIPT] = IS_NIGHT ? [1, 1] : [16, 8]

const own = defineExtension({
  name: 'own',
  version: '1.0.0',
  operations: [
    defineOperation({
      name: 'own:mark',
      description: 'Marks the being.',
      on: 'being',
      allow: ['self'],
      args: z.object({}),
      decide: ({ actor }) => ({ facts: [setQuality(actor, 'own.mark', 1)], result: null }),
    }),
  ],
  scripts: {
    /** writes of itself when a change wakes it */
    'own:crier': ({ wake }) =>
      wake.kind === 'change'
        ? perform('set-being', '@crier', { field: 'mood.tone', value: 'loud' })
        : silence,
  },
})
const extensions = [stage, own]
const world = useWorld({ extensions })
const registry = buildRegistry([seed, ...extensions])
const folder = mkdtempSync(join(tmpdir(), 'treeos-facts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let lines: Line[]
let key: LogKey
let second: SecondVerifier | null = null
afterAll(() => second?.close())

const does = (action: string, target: string, args: JsonObject = {}) => doAs(world, action, target, args)
const is = (operation: string, args: JsonObject) => act(world, 'operator', { verb: 'be', operation, args })
const puppet = (name: string, role: string) =>
  world.birth({ name, cognition: 'scripted', script: 'stage:puppet', role })

/** Every operation of TreeOS, by somebody who may. */
async function playEveryOperation(): Promise<void> {
  await puppet('clerk', 'stage:free')
  await does('create-space', '/', { path: '/den', size: { x: 4, y: 4, z: 1 } })
  await does('set-space', '/den', { field: 'den.tone', value: { warm: true } })
  await does('set-size', '/den', { size: { x: 8, y: 8, z: 1 } })
  await does('add-contributor', '/den', { being: '@clerk' })
  await does('create-matter', '/den', {
    id: 'book',
    type: 'document',
    content: ['page'],
    coord: { x: 1, y: 1, z: 0 },
  })
  await does('set-matter', 'matter:book', { field: 'wear.worn', value: 2, merge: false })
  await does('write-matter', 'matter:book', { content: 'new' })
  await does('move', '/den', { coord: { x: 0, y: 0, z: 0 } })
  await does('take', 'matter:book')
  await does('put', 'matter:book')
  await does('end-matter', 'matter:book')
  await does('set-being', '@clerk', { field: 'mood.tone', value: 'calm' })
  const args = { field: 'mood.tone', value: 'as told' }
  await tellFromOutside(world, 'clerk', { verb: 'do', operation: 'set-being', target: '@clerk', args })
  await vouchFor(world, '@clerk')
  await does('subscribe', '@clerk', { name: 'spy', scope: '/den', field: 'den.tone', equals: 1 })
  await does('remove-contributor', '/den', { being: '@clerk' })
  await does('unsubscribe', '@clerk', { name: 'spy' })
  await does('set-schedule', '@clerk', { name: 'round', everySeconds: 3600, content: 'go' })
  await does('delete-schedule', '@clerk', { name: 'round' })
  await does('set-roleflow', '@clerk', { flow: [{ role: 'stage:free' }] })
  await does('pause-being', '@clerk')
  const thread = await tell(world, 'clerk', 'waits')
  await does('cut-thread', `thread:${thread}`)
  await does('resume-being', '@clerk')
  await does('accept-difference', '@clerk', { moment: 'clerk/1/1', given: 'a'.repeat(64) })
  await does('set-budget', '@clerk', { tokens: 1000, births: 9 })
  await does('set-budget', '/', { births: 99, for: 'scripted' })
  await does('unpark-being', '@clerk', { release: true })
  await does('set-role', '/', {
    role: { name: 'walker', canDo: ['move'], prompt: 'Walk.' },
    trial: { moments: 3, same: 0.333333, cost: null },
  })
  await does('delete-role', '/', { name: 'walker' })
  await does('set-world-signal', '/', { namespace: 'bell', key: 'rings', value: true })
  await does('grant-namespace', '/', { namespace: 'bell', being: '@clerk' })
  await does('revoke-namespace', '/', { namespace: 'bell', being: '@clerk' })
  await is('birth', {
    name: 'kid',
    cognition: 'scripted',
    script: 'silent',
    role: 'stage:mute',
    ceiling: { canSee: ['/'] },
  })
  await is('connect', { being: '@kid' })
  await is('release', { being: '@kid' })
  await does('end-being', '@kid')
  await play(world, 'clerk', { verb: 'summon', target: '@operator', content: 'a word' })
  await play(world, 'clerk', { verb: 'summon', target: null, content: 'an answer' })
  await play(world, 'clerk', { verb: 'do', operation: 'own:mark', target: '@clerk', args: {} })
  await live(world, 'role-manager', { do: 'set-world-signal', namespace: 'bell', key: 'again', value: 1 })
  await playAskedCalls(world)
  await denyOne()
  await eraseOne()
  await does('set-hold', '@clerk', { name: 'case-1', why: 'a letter' })
  await does('set-hold', '/', { name: 'audit', why: 'a letter' })
  await does('lift-hold', '/', { name: 'audit', why: 'settled' })
  await cry()
  await giveFile(world, 'operator', { name: 'cat.png', mediaType: null, bytes: png() })
  await does('set-default-role', '@clerk', { role: 'stage:mute' })
}

/** An outage of a model wakes a being, by a fact that no moment wrote. */
async function cry(): Promise<void> {
  await world.birth({
    name: 'crier',
    cognition: 'scripted',
    script: 'own:crier',
    role: 'stage:free',
    roleFlow: [{ when: { 'world.model.first.down': true }, role: 'stage:free' }],
  })
  const payload = { namespace: 'model', key: ['first', 'down'], value: true }
  const at = { db: world.workerDb, reality: world.reality }
  const draft = { reel: 'world:model', kind: 'signal:published', payload }
  expect(await appendSystemFacts(at, [draft], readerOf(at))).toEqual(['crier'])
  await until(async () => (await moments(world.db, 'crier', 1))[0]?.outcome === 'act')
}

async function denyOne(): Promise<void> {
  const { n } = await play(world, 'clerk', {
    verb: 'do',
    operation: 'create-space',
    target: '/till',
    args: { path: '/till/z' },
  })
  await does('deny', '@operator', { id: `clerk/1/${n}`, why: 'not now' })
}

async function eraseOne(): Promise<void> {
  const fact = await world.db
    .selectFrom('fact')
    .select(['reel', 'seq', 'hash'])
    .where('reel', '=', 'being:clerk')
    .where('kind', '=', 'being:summoned')
    .orderBy('seq')
    .limit(1)
    .executeTakeFirstOrThrow()
  const { reel, seq, hash } = fact as unknown as { reel: string; seq: number; hash: Buffer }
  await does('erase', '@clerk', { fact: { reel, seq, hash: hash.toString('hex') }, why: 'asked to' })
}

beforeAll(async () => {
  if (whyNoPython() === null) second = new SecondVerifier()
  key = newLogKey(world.reality)
  await playEveryOperation()
  const file = join(folder, 'all.jsonl')
  await exportBundle(world.db, world.reality, { log: null, file })
  lines = linesOf(readFileSync(file)).map((line) => JSON.parse(line))
})

const keyOf = ({ decision }: Line): string => {
  const { verb, operation } = decision?.call ?? {}
  return operation ?? verb
}
const actsIn = (all: readonly Line[]) =>
  all.filter(
    ({ kind, record, decision }) => kind === 'moment' && record.outcome === 'act' && decision !== null,
  )
/** Acts whose facts follow from what a verifier reads. */
const derivedIn = (all: readonly Line[]) => actsIn(all).filter((moment) => !OF_CODE.includes(keyOf(moment)))
const reasonsOf = (broken: readonly { reason: string }[]) => broken.map(({ reason }) => reason)
const factsOf = (all: readonly Line[], moment: string) =>
  all.filter((line) => line.kind === 'fact' && line.header.moment === moment)

/** Both verifiers. @returns the faults that the first names */
async function faultsOf(forged: readonly Line[]): Promise<readonly { reason: string; what: string }[]> {
  const bytes = summed(forged.map((line) => JSON.stringify(line)))
  const { status, broken } = await verifyBytes(bytes, null)
  if (second !== null) expect((await second.ask({ bundle: bytes, key: null })).status).toBe(status)
  return broken
}

/** With a payload of a fact made anew, and the digest in its header. */
function resalted(fact: Line, payload: JsonObject): void {
  // with its keys in order, as the line of a bundle has them
  fact.payload = JSON.parse(canonicalJson(payload))
  fact.header.payloadHash = saltedHash(fact.salt, fact.payload)
}

/** Another value of the same kind. */
function other(value: Json): Json {
  if (typeof value === 'string') return `${value}x`
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (value === null) return 'x'
  return Array.isArray(value) ? [...value, 'x'] : { ...(value as JsonObject), planted: 1 }
}

/**
 * What no decision says: numbers of leases and revisions, what a being may see of others, and calls that
 * others asked about.
 */
const NOT_DERIVED: ReadonlySet<string> = new Set([
  'epoch',
  'under',
  'expiresAt',
  'rules',
  'ties',
  'roles',
  'person',
])
const OF_CODE = ['own:mark', 'mediate']
const fieldsOf = (moment: Line, payload: JsonObject): string[] =>
  Object.keys(payload).filter(
    (field) => !NOT_DERIVED.has(field) && !(keyOf(moment) === 'unpark-being' && field === 'budget'),
  )

describe('the facts of an act', () => {
  it('control: those of every operation of TreeOS are what its decision yields', async () => {
    expect(await faultsOf(lines)).toEqual([])
    const played = new Set(actsIn(lines).map(keyOf))
    const ours = [...seed.operations, ...seed.beOperations].map(({ name }) => name).concat('summon')
    expect(ours.filter((name) => !played.has(name))).toEqual([])
    expect(actsIn(lines).map(({ being }) => being)).toContain('crier') // woken by a fact of no moment
    const { unproven } = await verifyBytes(summed(lines.map((line) => JSON.stringify(line))), null)
    const ofCalls = unproven.filter((what) => what.startsWith('the permission and the facts of'))
    expect(ofCalls.map((what) => what.split(' calls: ')[1]).sort()).toEqual([
      'both gates were asked, and what code of an extension did is said by their records', // own:mark
      'what their askers could do when they asked is not in the bundle', // mediate
    ])
  })

  it('that says something else is broken, and so is one with a field more', async () => {
    const draw = new Random(31)
    for (const [i, moment] of derivedIn(lines).entries()) {
      if (i % EACH !== 0) continue
      const facts = factsOf(lines, moment.record.moment).filter(({ salt }) => salt !== null)
      if (facts.length === 0) continue
      const { reel, seq, payload } = draw.pick(facts)
      const field = draw.pick([...fieldsOf(moment, payload), 'planted'])
      const forged = structuredClone(lines)
      const fact = forged.find((line) => line.kind === 'fact' && line.reel === reel && line.seq === seq)!
      resalted(fact, { ...payload, [field]: other(payload[field] ?? null) })
      const broken = await faultsOf(rehashed(forged))
      expect(reasonsOf(broken), `${fact.header.kind} of ${moment.record.moment}, ${field}`).toContain(
        'facts-mismatch',
      )
    }
  })

  it('that is of another kind, left out or planted is broken', async () => {
    const tried: Record<string, number> = {}
    for (const [i, { record }] of derivedIn(lines).entries()) {
      if ((i + 1) % EACH !== 0 || factsOf(lines, record.moment).length === 0) continue
      const ways = [asAnother, leftOut, planted]
      const forge = ways[Math.floor(i / EACH) % ways.length]!
      const forged = structuredClone(lines)
      if (!forge(forged, record.moment)) continue
      const broken = await faultsOf(rehashed(forged))
      expect(reasonsOf(broken), `${forge.name} of ${record.moment}`).toContain('facts-mismatch')
      tried[forge.name] = (tried[forge.name] ?? 0) + 1
    }
    expect(Object.keys(tried).sort()).toEqual(['asAnother', 'leftOut', 'planted'])
  })
})

describe('a fact that no moment wrote', () => {
  /** Adds one at the end of a reel. */
  const withOne = (reel: string, kind: string, payload: JsonObject, actor = '$reality'): Line[] => {
    const all = structuredClone(lines)
    const [head] = all.filter((line) => line.kind === 'head' && line.reel === reel)
    const last = all.findLastIndex((line) => line.kind === 'fact' && line.reel === reel)
    const fact = structuredClone(all[last]!)
    head!.seq += 1
    Object.assign(fact, { seq: head!.seq, hash: 'ab'.repeat(32), salt: '00'.repeat(32) })
    const nobodys = { moment: null, driver: null, cause: null, stack: null }
    Object.assign(fact.header, { seq: head!.seq, kind, actor, ...nobodys })
    resalted(fact, payload)
    all.splice(last + 1, 0, fact)
    return rehashed(all)
  }
  const mood = { path: ['mood'], value: 'planted', merge: false }

  it.each([
    ['a quality of a being', 'being:clerk', 'quality:set', mood],
    ['a ceiling', 'being:clerk', 'being:bounded', { ceiling: null }],
    ['a rule of a space', 'space:/den', 'quality:set', { ...mood, path: ['permissions'] }],
    ['a being that is born later', 'being:clerk', 'being:bore', { being: 'ghost' }],
    ['words', 'being:clerk', 'being:summoned', { to: 'operator', content: 'planted' }],
    ['a signal of others', 'world:bell', 'signal:published', { namespace: 'bell', key: ['x'], value: 1 }],
  ])('is broken where TreeOS writes none such: %s', async (_what, reel, kind, payload) => {
    expect((await faultsOf(withOne(reel, kind, payload as JsonObject))).length).toBeGreaterThan(0)
  })

  it('is broken with an actor, and is one of those that TreeOS writes: the control', async () => {
    const down = { namespace: 'model', key: ['other', 'down'], value: true }
    expect(await faultsOf(withOne('world:model', 'signal:published', down))).toEqual([])
    expect(reasonsOf(await faultsOf(withOne('world:model', 'signal:published', down, 'clerk')))).toContain(
      'header-mismatch',
    )
  })
})

function asAnother(all: Line[], moment: string): boolean {
  factsOf(all, moment)[0]!.header.kind = 'own:else'
  return true
}

const momentIn = (all: readonly Line[], moment: string) =>
  all.find((line) => line.kind === 'moment' && line.record.moment === moment)!

/** Takes away a fact at the end of its reel. @returns false where it has none */
function leftOut(all: Line[], moment: string): boolean {
  const facts = factsOf(all, moment)
  const head = all.find(
    (line) => line.kind === 'head' && facts.some(({ reel, seq }) => reel === line.reel && seq === line.seq),
  )
  if (head === undefined || head.seq === 1) return false
  all.splice(
    all.findIndex((line) => line.kind === 'fact' && line.reel === head.reel && line.seq === head.seq),
    1,
  )
  const { record } = momentIn(all, moment)
  record.facts = record.facts.filter(
    ([reel, seq]: [string, number]) => reel !== head.reel || seq !== head.seq,
  )
  head.seq -= 1
  return true
}

/** Adds a fact at the end of the reel of the operator. */
function planted(all: Line[], moment: string): boolean {
  const head = all.find((line) => line.kind === 'head' && line.reel === 'being:operator')!
  const [like] = factsOf(all, moment)
  const last = all.findLastIndex((line) => line.kind === 'fact' && line.reel === head.reel)
  head.seq += 1
  const fact = structuredClone(like!)
  Object.assign(fact, { reel: head.reel, seq: head.seq, hash: 'ab'.repeat(32) })
  fact.salt ??= '00'.repeat(32)
  Object.assign(fact.header, { reel: head.reel, seq: head.seq, kind: 'quality:set' })
  resalted(fact, { path: ['mood'], value: 'planted', merge: false })
  all.splice(last + 1, 0, fact)
  momentIn(all, moment).record.facts.push([head.reel, head.seq, fact.hash])
  return true
}

describe('a receipt', () => {
  it('brings the facts of its act, and is broken where one says something else, is left out or planted', async () => {
    const at = { db: world.db, reality: world.reality, registry }
    const check = async (envelope: unknown) => {
      const text = JSON.stringify(envelope)
      const { broken, status, derived } = await verifyReceipt(text, { key: parseKey(key.verifier) })
      const attested = derived?.attested.filter((what) => what.startsWith('the facts of')) ?? []
      // The second verifier derives facts also where the receipt does not show all that the law reads.
      const due = attested.length === 0 ? [status] : [status, 'broken']
      if (second !== null)
        expect(due, JSON.stringify(broken)).toContain(
          (await second.ask({ receipt: text, key: key.verifier })).status,
        )
      return { broken, attested }
    }
    const tried = { broken: 0, 'not proven': 0 }
    for (const moment of actsIn(lines)) {
      const { envelope } = await issueReceipt(at, moment.record.moment, { signer: key, log: null })
      const { broken, attested } = await check(envelope)
      expect({ of: keyOf(moment), broken }).toEqual({ of: keyOf(moment), broken: [] })
      if (OF_CODE.includes(keyOf(moment))) {
        expect(attested).toHaveLength(1)
        continue
      }
      const statement = JSON.parse(Buffer.from(String(envelope.payload), 'base64').toString())
      const forgeries: [string, (predicate: Predicate) => unknown][] = [
        ['left out', ({ facts }) => facts.pop()],
        ['doubled', ({ facts }) => facts.push(...facts.slice(0, 1))],
        ...rewordings(moment, statement.predicate),
      ]
      expect((await check(envelopeOf(remade(statement), key))).broken).toEqual([]) // the control
      if (statement.predicate.facts.length === 0) continue
      for (const [i, [what, forge]] of forgeries.entries()) {
        if (i % EACH_OF_RECEIPT !== 0) continue
        const forged = structuredClone(statement)
        forge(forged.predicate)
        const found = await check(envelopeOf(remade(forged), key))
        expect(found.broken.length + found.attested.length, `${what} of ${keyOf(moment)}`).toBeGreaterThan(0)
        const how = found.broken.length > 0 ? 'broken' : 'not proven'
        tried[how] += 1
      }
    }
    expect(tried.broken + tried['not proven']).toBeGreaterThan(250 / EACH_OF_RECEIPT)
    expect(tried.broken).toBeGreaterThan(100 / EACH_OF_RECEIPT)
  })
})

interface Predicate {
  facts: [string, JsonObject, string | null, JsonObject | null][]
  moment: { prev: string; record: Line }
}

/** Each field of each fact with another value, and each fact with a field more. */
function* rewordings(
  moment: Line,
  { facts }: Predicate,
): Generator<[string, (predicate: Predicate) => unknown]> {
  for (const [i, [, header, salt, payload]] of facts.entries())
    for (const field of payload === null || salt === null ? [] : [...fieldsOf(moment, payload), 'planted'])
      yield [
        `${header.kind} ${field}`,
        (predicate) => Object.assign(predicate.facts[i]![3]!, { [field]: other(payload![field] ?? null) }),
      ]
}

/** The statement with every hash made again, so that only what does not follow shows. */
function remade(statement: { subject: Line[]; predicate: Predicate }): Json {
  const { facts, moment } = statement.predicate
  const { record, prev } = moment
  for (const [i, [before, header, salt, payload]] of facts.entries()) {
    const said = salt === null || payload === null ? {} : { payloadHash: saltedHash(salt, payload) }
    Object.assign(header, said)
    const at = [header.reel, header.seq, factHash(before, header)]
    if (i < record.facts.length) record.facts[i] = at
    else record.facts.push(at)
  }
  record.facts.length = facts.length
  const hashes = record.facts.map(([, , hash]: string[]) => hash)
  record.act = actHash({ moment: record.moment, decision: record.decision, facts: hashes })
  statement.subject[0]!.digest.sha256 = momentHash(prev, record)
  return statement as unknown as Json
}
