/**
 * Another verifier, in Python, which follows docs/formats.md, says of every bundle and receipt what
 * @treeos/verify says.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '@treeos/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { Random } from '../faults/random.ts'
import { newLogKey } from '../support/naive-log.ts'
import { IS_NIGHT } from '../support/night.ts'
import { useAuditedScene } from './audited-scene.ts'
import {
  bundleOfParts,
  type ChangedAudit,
  changedBundle,
  changedReceipt,
  enveloped,
  partsOf,
  statementIn,
} from './changed-audits.ts'
import { fieldChanges } from './changed-fields.ts'
import { bundleOf } from './generated-reality.ts'
import { drawsOf, livedReality } from './law-compared.ts'
import { mendedBundle, mendedStatement, type Part } from './mutations.ts'
import { type Question, SecondVerifier, whyNoPython } from './second-opinion.ts'
import { areAlike, askBoth, firstOn, type TwoOpinions } from './two-opinions.ts'

/** The check of each day tries a part of what the nightly one does. */
const MUTATIONS = Number(process.env.TREEOS_SECOND_MUTATIONS ?? (IS_NIGHT ? 5000 : 100))
/** Of changes of single fields there are about 35,000. */
const FIELDS = Number(process.env.TREEOS_SECOND_FIELDS ?? (IS_NIGHT ? 50_000 : 60))
const SEED = Number(process.env.TREEOS_SECOND_SEED ?? 31)
const SCHEMA = join(import.meta.dirname, '../../packages/verify/src/receipt/receipt.schema.json')

const why = whyNoPython()
const judged = it.skipIf(why !== null)
const scene = useAuditedScene()
let second: SecondVerifier
beforeAll(() => {
  if (why === null) second = new SecondVerifier()
  else console.warn(`no second verifier is asked: ${why}`)
})
afterAll(() => second?.close())
const bothOn = (question: Question) => askBoth(second, question)
const smallBundles = () => scene.bundles.filter((bundle) => bundle.length < 60_000)

/** Of the scene; a key for its log has its name. */
const realityOf = ({ key }: typeof scene): string => key.name.slice('treeos/'.length)

judged(
  'agrees on every bundle and receipt, with a key, without one, with a wrong one, and strictly',
  async () => {
    const other = newLogKey({ id: realityOf(scene) }).verifier
    const shown = [
      ...scene.bundles.map((bundle) => ({ bundle })),
      ...scene.receipts.map((receipt) => ({ receipt })),
    ]
    const tally: Record<string, number> = {}
    const ways = [scene.key.verifier, null, other].flatMap((by) =>
      [false, true].map((strict) => ({ key: by, strict })),
    )
    // By day each is tried with its key, and in one of the other ways by turns.
    const [first, ...others] = ways
    for (const [at, one] of shown.entries())
      for (const way of IS_NIGHT ? ways : [first!, others[at % others.length]!]) {
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

it('has receipts of the form of their JSON schema, and the schema refuses what is changed in their form', () => {
  const schema = z.fromJSONSchema(JSON.parse(readFileSync(SCHEMA, 'utf8')))
  for (const receipt of scene.receipts) {
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

it('holds beings that cannot see their place: hidden is what their own flow reads there, not what a maker lets it read', () => {
  const hiddenOf = (being: string) =>
    String(scene.bundles[0])
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
      .findLast((line) => line.kind === 'moment' && line.being === being)?.open.hidden
  expect([hiddenOf('lodger'), hiddenOf('squatter')]).toEqual([undefined, true])
})

judged('control: another answer shows, as of a verifier that trusts any key', async () => {
  const asked = { receipt: scene.receipts[0]!, strict: false }
  const first = await firstOn({ ...asked, key: newLogKey({ id: realityOf(scene) }).verifier })
  expect(await second.ask({ ...asked, key: null })).not.toEqual(first)
})

judged('refuses the yes of a person whom the asker made, as ours does', async () => {
  const yes = scene.receipts.find((receipt) => {
    const { record, open } = statementIn(receipt).predicate.moment
    return open.wake.id.startsWith('approved/') && record.outcome === 'act'
  })
  const told = async (forge: (reels: Part) => void) => {
    const statement = statementIn(yes ?? '')
    forge(statement.predicate.reels)
    return bothOn({
      receipt: enveloped(mendedStatement(statement), scene.key),
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

judged('refuses the yes of a person whom no rule asks, whatever was written when it was asked', async () => {
  const receipts = scene.receipts.filter((receipt) => {
    const { record, open } = statementIn(receipt).predicate.moment
    return open.wake.id.startsWith('approved/') && record.outcome === 'act'
  })
  expect(receipts.length).toBeGreaterThan(0)
  for (const receipt of receipts) {
    const told = async (forge: (asked: Part, given: Part[]) => void) => {
      const statement = statementIn(receipt)
      const { reels, moment } = statement.predicate
      const [, own] = moment.open.wake.id.split(/\/(.*)/)
      const links = reels[`approval:${own}`].filter(Array.isArray)
      const [[, , asked], ...others] = links
      forge(
        asked,
        others
          .filter(([header]: Part[]) => header?.kind === 'approval:given')
          .map(([header]: Part[]) => header),
      )
      const by = moment.record.by.filter((text: string) => !text.startsWith('approval '))
      const names = others.flatMap(([header]: Part[]) =>
        header?.kind === 'approval:given' ? [header.actor] : [],
      )
      moment.record.by = [...by, ...names.map((name: string) => `approval ${own}: @${name}`)]
      return bothOn({ receipt: enveloped(mendedStatement(statement), scene.key), key: null, strict: false })
    }
    const honest = await told(() => undefined)
    expect(honest.first.verdict).toBe('seen-to-run') // control
    const byRobin = (asked: Part, given: Part[]) => {
      for (const header of given) header.actor = 'pat'
      for (const rule of asked.rules) Object.assign(rule, { who: ['pat'], count: 1 })
    }
    const found = [
      honest,
      await told(byRobin),
      await told((asked, given) => {
        byRobin(asked, given)
        for (const rule of asked.rules) rule.by = '/ permissions.do.nothing'
      }),
      await told((asked) => {
        asked.rules = []
      }),
    ]
    expect(found.map(({ first }) => first.verdict)).toEqual(['seen-to-run', null, null, null])
    for (const { first, second: other } of found) expect(other).toEqual(first)
  }
})

judged('says of what an unknown law judged that it is not proven, as ours does', async () => {
  const lawIn = (record: Part, law: Json) => {
    record.law = law
  }
  const toldOfBundle = (law: Json) => {
    const parts = partsOf(scene.bundles[0]!).filter(({ kind }) => kind !== 'checkpoint' && kind !== 'proof') // of the hashes before
    lawIn(parts.find(({ kind, record }) => kind === 'moment' && record.outcome === 'act')!.record, law)
    return bothOn({ bundle: bundleOfParts(mendedBundle(parts)), key: null })
  }
  const toldOfReceipt = (law: Json, forge: (statement: Part) => void = () => undefined) => {
    const statement = statementIn(scene.receipts[0]!)
    lawIn(statement.predicate.moment.record, law)
    forge(statement)
    const receipt = enveloped(mendedStatement(statement), scene.key)
    return bothOn({ receipt, key: scene.key.verifier })
  }
  const byOther = (statement: Part) => {
    statement.predicate.moment.record.by = ['nobody']
  }
  const found: [unknown, TwoOpinions][] = [
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

/** What was told of changed audits, by what they were and what the first says. */
interface ComparedChanges {
  readonly tally: Record<string, number>
  readonly differing: string[]
}

/** Asks both about all of them, some at a time. */
async function compare(
  changes: Iterable<{
    readonly changed: ChangedAudit
    readonly key: string | null
    readonly strict?: boolean
  }>,
): Promise<ComparedChanges> {
  const [tally, differing]: [Record<string, number>, string[]] = [{}, []]
  let asked: Promise<void>[] = []
  for (const { changed, ...way } of changes) {
    const { shown, change } = changed
    const of = shown.bundle === undefined ? 'receipt' : 'bundle'
    const ask = async () => {
      const both = await bothOn({ ...shown, ...way })
      const name = `${of} ${both.first.status}`
      tally[name] = (tally[name] ?? 0) + 1
      if (!areAlike(both)) differing.push(JSON.stringify({ of, change, ...way, ...both }))
    }
    asked.push(ask())
    if (asked.length < 50) continue
    await Promise.all(asked)
    asked = []
  }
  await Promise.all(asked)
  console.info(tally)
  return { tally, differing }
}

judged(
  `agrees on ${MUTATIONS} mutations of them (seed ${SEED})`,
  async () => {
    const draw = new Random(SEED)
    const { receipts, key } = scene
    const small = smallBundles()
    function* changes() {
      for (let i = 0; i < MUTATIONS; i++) {
        const way = { key: draw.chance(0.7) ? key.verifier : null, strict: draw.chance(0.2) }
        const changed = draw.chance(0.5)
          ? changedBundle(draw.pick(small), draw)
          : changedReceipt(draw.pick(receipts), key, draw)
        yield { changed, ...way }
      }
    }
    const { tally, differing } = await compare(changes())
    expect(differing).toEqual([])
    for (const what of ['bundle', 'receipt'])
      for (const status of ['ok', 'unproven', 'broken'])
        expect(tally[`${what} ${status}`] ?? 0, `${what} ${status}`).toBeGreaterThan(MUTATIONS / 500)
  },
  600_000,
)

judged(
  `agrees on ${FIELDS} fields that are left out, null or of another type (seed ${SEED})`,
  async () => {
    const draw = new Random(SEED)
    const generated = await livedReality(drawsOf(SEED, 3), 'fields')
    const whole = bundleOf(generated.lines()) // small, and nothing in it depends on what it lacks
    const all = [
      ...fieldChanges([whole], [], scene.key),
      ...fieldChanges(smallBundles(), scene.receipts, scene.key),
    ]
    function* changes() {
      for (const { make } of draw.shuffled(all).slice(0, FIELDS)) {
        const changed = make()
        if (changed !== null) yield { changed, key: null }
      }
    }
    const { tally, differing } = await compare(changes())
    console.info(`${new Set(all.map(({ field }) => field)).size} fields, ${all.length} changes of them`)
    expect(differing).toEqual([])
    for (const what of ['bundle', 'receipt'])
      expect(tally[`${what} broken`] ?? 0, what).toBeGreaterThan(FIELDS / 10)
  },
  3_600_000,
)
