/** A scene with all that bundles and receipts can tell of, and every bundle and receipt of it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { act, erasing, inhabit, plantScene } from '@treeos/client'
import { type Json, type JsonObject, parseCall } from '@treeos/core'
import court from '@treeos/court'
import { type CheckpointedLog, exportBundle, issueReceipt } from '@treeos/proofs'
import { defineExtension, defineRole } from '@treeos/sdk'
import { buildRegistry, seed } from '@treeos/world'
import { afterAll, beforeAll } from 'vitest'
import { ActSigner } from '../support/act-signer.ts'
import { playAskedCalls } from '../support/asked-calls.ts'
import { createSpace, doAs, live, momentOf, play, setFlow, setRole, tell } from '../support/life.ts'
import mail from '../support/mail.ts'
import { type LogKey, naiveLog, newLogKey } from '../support/naive-log.ts'
import { drawn, IS_NIGHT } from '../support/night.ts'
import { playDryRunOutside, playMarkedNote, playWordsFromOutside } from '../support/outside-words.ts'
import { type PostOffice, startPostOffice } from '../support/post-office.ts'
import { stage } from '../support/puppet.ts'
import { useWorld } from '../support/use-world.ts'
import type { World } from '../support/world.ts'

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
const registry = buildRegistry([seed, ...extensions])

/** What an auditor of the scene can be given. */
export interface AuditedScene {
  /** with which its log and its receipts are signed */
  readonly key: LogKey
  /** of the whole reality, of each being, and of parts of some, proven or not */
  readonly bundles: readonly Buffer[]
  readonly receipts: readonly string[]
}

/** Lives the scene before the first test of a file. It has no fields before the first `beforeAll` ends. */
export function useAuditedScene(): AuditedScene {
  const scene = {} as AuditedScene
  const folder = mkdtempSync(join(tmpdir(), 'treeos-second-'))
  let office: PostOffice
  beforeAll(async () => {
    office = await startPostOffice()
    process.env.TREEOS_TEST_OFFICE = office.url
  })
  const world = useWorld({ extensions })
  beforeAll(async () => {
    await liveALittle(world, office)
    const key = newLogKey(world.reality)
    const log = await naiveLog(world.db, key)
    const [bundles, receipts] = [await bundlesOf(world, log, folder), await receiptsOf(world, log, key)]
    Object.assign(scene, { key, bundles, receipts })
  }, 400_000) // it lives a long scene, beside other files
  afterAll(() => office?.close())
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return scene
}

async function bundlesOf(world: World, log: CheckpointedLog, folder: string): Promise<Buffer[]> {
  const file = join(folder, 'audit.jsonl')
  const bundles: Buffer[] = []
  const reels = await world.db.selectFrom('head').select('reel').execute()
  const beings = reels.flatMap(({ reel }) => (reel.startsWith('being:') ? [reel.slice('being:'.length)] : []))
  const parts = [1, 2, 3].map((since) => ({ being: 'clerk', since, until: since + 1 }))
  const all = [{}, ...beings.map((being) => ({ being })), ...parts]
  for (const proven of [true, false])
    for (const of of proven ? all : drawn(all)) {
      await exportBundle(world.db, world.reality, { ...of, log: proven ? async () => log : null, file })
      bundles.push(readFileSync(file))
    }
  return bundles
}

async function receiptsOf(world: World, log: CheckpointedLog, signer: LogKey): Promise<string[]> {
  const receipts: string[] = []
  const calls = await world.db
    .selectFrom('moment_decision')
    .innerJoin('moment_outcome', 'moment_outcome.moment', 'moment_decision.moment')
    .where('moment_decision.kind', '=', 'call')
    .where('moment_decision.bytes', 'is not', null)
    .select('moment_decision.moment')
    .orderBy('moment_decision.moment') // which of them have more receipts is no chance
    .execute()
  const at = { db: world.db, reality: world.reality, registry }
  const ways = [{ log }, { log: null }, { log, longest: 1 }]
  // By day each has one with a log, and every third one those of the other ways.
  for (const [i, { moment }] of calls.entries())
    for (const by of IS_NIGHT || i % 3 === 0 ? ways : ways.slice(0, 1))
      receipts.push(JSON.stringify((await issueReceipt(at, moment, { signer, ...by })).envelope))
  return receipts
}

/**
 * Calls of every verb, with every verdict; people, a driver, effects, flows that read the world, and
 * erasures.
 */
async function liveALittle(world: World, office: PostOffice): Promise<void> {
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
  await playMarkedNote(world)
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
  await lookInward(world)
  await hideALittle(world)
  await signALittle(world)
  const wake = await tell(world, 'bound', 'the word is tiger-milk')
  const { n } = await momentOf(world, wake)
  await act(world, 'operator', await erasing(world.db, `bound/1/${n}`, 'asked to'))
}

/** A being whose role looks inward, so that its lists expand no relation but who woke it. */
async function lookInward(world: World): Promise<void> {
  await world.birth({ cognition: 'scripted', script: 'stage:puppet', name: 'hermit', role: 'hall:hermit' })
  await play(world, 'hermit', { verb: 'summon', content: 'I looked at what I did' })
  await play(world, 'hermit', { verb: 'summon', target: '@hermit', content: 'to myself' })
}

/** A being whose flow reads the place where it is, before and after that is kept from it. */
async function hideALittle(world: World): Promise<void> {
  await world.birth({ cognition: 'scripted', script: 'stage:puppet', name: 'lurker', role: 'stage:free' })
  await createSpace(world, '/vault')
  await doAs(world, 'set-space', '/vault', { field: 'vault.open', value: true })
  await setFlow(world, 'lurker', [
    { when: { 'space.quality.vault.open': true }, role: 'stage:mute', stack: true },
  ])
  await play(world, 'lurker', { verb: 'do', operation: 'move', target: '/vault', args: {} })
  await takeInto(world, '/vault')
  const see = { '*': { requires: ['operator'] } }
  await doAs(world, 'set-space', '/vault', { field: 'permissions', value: { see } })
  await play(world, 'lurker', { verb: 'see', address: '@lurker' })
}

/** Two beings that cannot see the place where they are: one has its flow from its maker, one from itself. */
async function takeInto(world: World, place: string): Promise<void> {
  const asker = [{ rel: 'asker' }]
  await setRole(world, {
    name: 'taken',
    canSee: ['~'],
    canDo: ['move', 'set-roleflow'],
    canSummon: asker,
    prompt: '',
  })
  const flow = [{ when: { 'space.quality.vault.open': true }, role: 'taken', stack: true }]
  for (const name of ['lodger', 'squatter']) {
    await world.birth({ cognition: 'scripted', script: 'stage:puppet', name, role: 'taken' })
    if (name === 'lodger') await setFlow(world, name, flow)
    else
      await play(world, name, { verb: 'do', operation: 'set-roleflow', target: `@${name}`, args: { flow } })
    const inhabitation = await inhabit(world, { being: name, as: 'operator' })
    await doAs(world, 'move', place, {}, name)
    await inhabitation.release()
    await play(world, name, { verb: 'see', address: `@${name}` })
  }
}

/** Acts of persons that passkeys of both kinds sign, and one that none signs. */
async function signALittle(world: World): Promise<void> {
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
