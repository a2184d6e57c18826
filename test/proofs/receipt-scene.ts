/** A reality in which calls of all kinds were made, and receipts of them. */
import { createHash } from 'node:crypto'
import { moments, plantScene } from '@treeos/client'
import { type JsonObject, type MomentId, momentId } from '@treeos/core'
import court from '@treeos/court'
import { type CheckpointedLog, issueReceipt } from '@treeos/proofs'
import { defineExtension, defineOperation, defineRole, setQuality } from '@treeos/sdk'
import { type CheckedReceipt, parseKey, verifyReceipt } from '@treeos/verify'
import { buildRegistry, seed } from '@treeos/world'
import { afterAll, beforeAll } from 'vitest'
import { z } from 'zod'
import { playAskedCalls } from '../support/asked-calls.ts'
import { createSpace, doAs, live, play, until } from '../support/life.ts'
import mail from '../support/mail.ts'
import { type LogKey, naiveLog, newLogKey } from '../support/naive-log.ts'
import { startPostOffice } from '../support/post-office.ts'
import { stage } from '../support/puppet.ts'
import { useWorld } from '../support/use-world.ts'
import type { World } from '../support/world.ts'

const ACT_FACTS = 60
/** The key of a test, so that the bytes of a receipt can be compared. */
export const SEED = createHash('sha256').update('a key of a test of receipts').digest()

/** An operation that writes many facts, and a role that sees who else is there. */
const diary = defineExtension({
  name: 'diary',
  version: '1.0.0',
  roles: [
    defineRole({
      name: 'diary:onlooker',
      see: ['occupants', 'conversation'],
      canSee: [{ pattern: '*' }],
      prompt: 'You see who else is there.',
    }),
  ],
  operations: [
    defineOperation({
      name: 'diary:fill',
      description: 'Writes many facts about the being itself.',
      on: 'being',
      allow: ['self'],
      args: z.object({ from: z.number().describe('the first page') }),
      decide: ({ actor, args }) => ({
        facts: Array.from({ length: ACT_FACTS }, (_, i) => setQuality(actor, 'diary.page', args.from + i)),
        result: null,
      }),
    }),
  ],
})

export interface ReceiptScene {
  readonly world: World
  readonly key: LogKey
  /** the log as it is now */
  readonly log: CheckpointedLog
  /** moments by the names of what they tried */
  readonly told: Map<string, MomentId>
  /** Plays a call, and remembers its moment under a name. */
  plays(name: string, being: string, call: JsonObject): Promise<void>
  /** Has a being write many facts, an act at a time. */
  fill(being: string, from: number, count: number): Promise<void>
  /** Takes the log as it is now. */
  relog(): Promise<void>
  newest(being: string): Promise<MomentId>
  /** @param by null: without a log */
  issue(moment: MomentId, by?: CheckpointedLog | null, longest?: number): ReturnType<typeof issueReceipt>
  /** @param by verifier key; null: no signature is checked */
  check(envelope: unknown, by?: string | null): Promise<CheckedReceipt>
}

export const statementIn = (envelope: JsonObject): JsonObject =>
  JSON.parse(Buffer.from(String(envelope.payload), 'base64').toString())

/** @param makerFacts how many facts @elder writes, which makes @heir; 0: neither is born */
export function useReceipts({ makerFacts = 0 }: { readonly makerFacts?: number } = {}): ReceiptScene {
  const extensions = [stage, court, mail, diary]
  const world = useWorld({ extensions })
  const registry = buildRegistry([seed, ...extensions])
  const told = new Map<string, MomentId>()
  const scene = { world, told } as { -readonly [Part in keyof ReceiptScene]: ReceiptScene[Part] }
  scene.newest = async (being) => {
    const { moment } = await world.db
      .selectFrom('moment_outcome')
      .select('moment')
      .where('being', '=', being)
      .orderBy('n', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    return moment
  }
  scene.plays = async (name, being, call) => {
    const { n } = await play(world, being, call)
    told.set(name, `${being}/1/${n}`)
  }
  scene.fill = async (being, from, count) => {
    for (let at = from; at < from + count; at += ACT_FACTS)
      await play(world, being, { verb: 'do', operation: 'diary:fill', target: null, args: { from: at } })
  }
  scene.relog = async () => {
    scene.log = await naiveLog(world.db, scene.key)
  }
  scene.issue = (moment, by = scene.log, longest) =>
    issueReceipt({ db: world.db, reality: world.reality, registry }, moment, {
      signer: scene.key,
      log: by,
      ...(longest === undefined ? {} : { longest }),
    })
  scene.check = (envelope, by = scene.key.verifier) =>
    verifyReceipt(JSON.stringify(envelope), by === null ? {} : { key: parseKey(by) })
  beforeAll(async () => {
    scene.key = newLogKey(world.reality, SEED)
    const office = await startPostOffice()
    afterAll(() => office.close())
    process.env.TREEOS_TEST_OFFICE = office.url
    await playAll(scene, office)
    if (makerFacts > 0) await playHeir(scene, makerFacts)
    await scene.relog()
  })
  return scene
}

const PUPPET = { cognition: 'scripted', script: 'stage:puppet' } as const

type Office = Awaited<ReturnType<typeof startPostOffice>>

async function playAll(scene: ReceiptScene, office: Office): Promise<void> {
  await plant(scene)
  await playPermitted(scene)
  await playLetters(scene, office)
  await playOthers(scene)
  for (const [name, moment] of await playAskedCalls(scene.world)) scene.told.set(name, moment)
}

async function plant({ world }: ReceiptScene): Promise<void> {
  await plantScene(world, court)
  await until(async () => (await moments(world.db, 'solomon', 1))[0]?.primary === 'court:judge')
  await world.birth({ ...PUPPET, name: 'clerk', role: 'stage:free' })
  await world.birth({ ...PUPPET, name: 'visitor', role: 'court:watcher', home: '/court' })
  const ceiling = { canSee: [{ pattern: '*' }], canDo: ['move'], canSummon: ['@clerk'], canBe: [] }
  await world.birth({ ...PUPPET, name: 'bound', role: 'stage:free', ceiling })
  await createSpace(world, '/den')
  const rules = {
    do: { 'create-space': { requires: ['contributor'] }, move: { forbid: [{ role: 'court:watcher' }] } },
  }
  await doAs(world, 'set-space', '/den', { field: 'permissions', value: rules })
  await doAs(world, 'add-contributor', '/den', { being: '@clerk' })
}

async function playPermitted({ plays }: ReceiptScene): Promise<void> {
  await plays('a rule of a space', 'clerk', {
    verb: 'do',
    operation: 'create-space',
    target: '/den',
    args: { path: '/den/a' },
  })
  await plays('a conflict', 'clerk', {
    verb: 'do',
    operation: 'create-space',
    target: '/den',
    args: { path: '/den/a' },
  })
  await plays('a look', 'clerk', { verb: 'see', address: '/den' })
  await plays('a summon', 'clerk', { verb: 'summon', target: '@bound', content: 'hello' })
  await plays('a birth', 'clerk', {
    verb: 'be',
    operation: 'birth',
    args: { name: 'kid', cognition: 'scripted', script: 'silent', role: 'stage:mute' },
  })
  await plays('a birth elsewhere', 'clerk', {
    verb: 'be',
    operation: 'birth',
    args: { name: 'denned', cognition: 'scripted', script: 'silent', role: 'stage:mute', home: '/den' },
  })
}

async function playLetters({ plays }: ReceiptScene, office: Office): Promise<void> {
  await plays('a letter', 'clerk', {
    verb: 'do',
    operation: 'mail:post',
    target: '@clerk',
    args: { text: 'posted' },
  })
  office.moods = [0, 0, 0]
  await plays('a lost answer', 'clerk', {
    verb: 'do',
    operation: 'mail:post',
    target: '@clerk',
    args: { text: 'lost' },
  })
  office.moods = [422]
  await plays('an answer that refuses', 'clerk', {
    verb: 'do',
    operation: 'mail:post',
    target: '@clerk',
    args: { text: 'odd' },
  })
}

async function playOthers({ world, plays, told }: ReceiptScene): Promise<void> {
  await plays('a list', 'visitor', {
    verb: 'do',
    operation: 'court:rule',
    target: '/court',
    args: { ruling: 'mine' },
  })
  await plays('a role in a court', 'visitor', {
    verb: 'do',
    operation: 'court:disturb',
    target: '/court',
    args: { noise: 'a cough' },
  })
  await plays('a ceiling', 'bound', {
    verb: 'do',
    operation: 'create-space',
    target: '/den',
    args: { path: '/den/b' },
  })
  await plays('a rule that requires', 'bound', { verb: 'summon', target: '@clerk', content: 'hello' })
  await live(world, 'solomon', 'silence') // the judge calls for it after a disturbance
  const { n } = await live(world, 'solomon', 'the child is mine')
  told.set('a judge', momentId('solomon', 1, n))
}

async function playHeir({ world, fill, plays }: ReceiptScene, makerFacts: number): Promise<void> {
  await world.birth({ ...PUPPET, name: 'elder', role: 'stage:free' })
  const heir = { ...PUPPET, name: 'heir', role: 'stage:free' }
  await play(world, 'elder', { verb: 'be', operation: 'birth', args: heir })
  await fill('elder', 0, makerFacts)
  await plays('a maker that wrote much', 'heir', { verb: 'see', address: '/den' })
}
