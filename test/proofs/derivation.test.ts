/**
 * The gates over the reels of a receipt, from which payloads are withheld, answer as over the rows that
 * decided: on random worlds, which hold every kind of rule, lineage, ceiling and owner.
 */
import { type FactDraft, type Json, type JsonObject, VERBS, type Verb } from '@treeos/core'
import { WitnessReels } from '@treeos/verify/parts'
import {
  evolve,
  genesisFacts,
  listGate,
  memoryRows,
  type Row,
  rowKeyOf,
  ruleGate,
  STANDINGS,
  WorldReader,
} from '@treeos/world'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ChainedReels } from '../support/reels.ts'

const RUNS = Number(process.env.TREEOS_DERIVATIONS ?? 400)
const NAMES = ['ann', 'bob', 'cid', 'dot']
const SPACES = ['/house', '/house/cellar', '/yard']
const LIST_OF: Record<Verb, 'canSee' | 'canDo' | 'canSummon' | 'canBe'> = {
  see: 'canSee',
  do: 'canDo',
  summon: 'canSummon',
  be: 'canBe',
}

const role = fc.constantFrom('judge', 'clerk', 'resident')
const property: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(...STANDINGS),
  role.map((name) => ({ role: name })),
)
const properties = fc.array(property, { maxLength: 2 })
const rule: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      { requires: properties, forbid: properties },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Json>,
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Json>(
      true,
      false,
      'yes',
      {},
      { requires: 'anyone' },
      { forbid: ['everybody'] },
    ),
  },
)
const key: Record<Verb, readonly string[]> = {
  see: ['/house', '/yard', '@ann', 'matter:globe'],
  do: ['take', 'set-space', 'set-matter', 'put'],
  summon: ['@ann', '@bob', '@cid', '@dot'],
  be: ['birth', 'home'],
}
const rules = fc
  .tuple(
    ...VERBS.map((verb) =>
      fc
        .dictionary(fc.constantFrom(...key[verb], '*', `${key[verb][0]!.slice(0, 3)}*`), rule, { maxKeys: 3 })
        .map((found) => [verb, found] as const),
    ),
  )
  .map((all) => Object.fromEntries(all) as JsonObject)

const entry: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    '/house',
    'house',
    '~',
    '@ann',
    'yard/@bob',
    'take',
    'birth',
    'matter:globe',
    '@bad name',
    '',
  ),
  fc.constantFrom('*', '@*', '/house*', '*n', 'ta*', 'yard/@b*').map((pattern) => ({ pattern })),
)
const lists = fc.record({
  canSee: fc.array(entry, { maxLength: 3 }),
  canDo: fc.array(entry, { maxLength: 3 }),
  canSummon: fc.array(entry, { maxLength: 3 }),
  canBe: fc.array(entry, { maxLength: 3 }),
})

/** Facts of a world: who made whom, who owns what, and what is forbidden where. */
const scene = fc
  .record({
    parents: fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }),
    beings: fc.array(
      fc.record({
        role,
        home: fc.constantFrom('/', ...SPACES),
        ceiling: fc.option(lists),
        at: fc.constantFrom('/', ...SPACES),
      }),
      { minLength: 4, maxLength: 4 },
    ),
    spaces: fc.array(
      fc.record({
        owner: fc.constantFrom('operator', null, ...NAMES),
        rules: fc.option(rules),
        contributor: fc.option(fc.constantFrom(...NAMES)),
      }),
      { minLength: 3, maxLength: 3 },
    ),
    root: fc.option(rules),
    thing: fc.record({ owner: fc.constantFrom(...NAMES), place: fc.constantFrom('/', '@bob', ...SPACES) }),
  })
  .map(({ parents, beings, spaces, root, thing }): FactDraft[] => [
    ...genesisFacts(),
    ...SPACES.map((path, i) => ({
      reel: `space:${path}`,
      kind: 'space:created',
      payload: { path, type: 'room', owner: spaces[i]!.owner, qualities: {} },
    })),
    ...NAMES.map((name, i) => {
      const { role: defaultRole, home, ceiling } = beings[i]!
      const parent = parents[i]! < i ? NAMES[parents[i]!]! : 'operator'
      const payload = {
        name,
        parent,
        cognition: { kind: 'scripted', script: 'silent' },
        defaultRole,
        home,
        qualities: {},
        ceiling,
      }
      return { reel: `being:${name}`, kind: 'being:born', payload: payload as unknown as JsonObject }
    }),
    ...NAMES.map((name, i) => ({
      reel: `being:${name}`,
      kind: 'being:moved',
      payload: { from: '/', to: beings[i]!.at },
    })),
    ...SPACES.flatMap((path, i) =>
      spaces[i]!.rules === null
        ? []
        : [
            {
              reel: `space:${path}`,
              kind: 'quality:set',
              payload: { path: ['permissions'], value: spaces[i]!.rules!, merge: i === 1 },
            },
          ],
    ),
    ...SPACES.flatMap((path, i) =>
      spaces[i]!.contributor === null
        ? []
        : [
            {
              reel: `space:${path}`,
              kind: 'space:contributor-added',
              payload: { being: spaces[i]!.contributor! },
            },
          ],
    ),
    ...(root === null
      ? []
      : [{ reel: 'space:/', kind: 'quality:set', payload: { path: ['permissions'], value: root } }]),
    {
      reel: 'matter:globe',
      kind: 'matter:created',
      payload: {
        id: 'globe',
        type: 'globe',
        owner: thing.owner,
        place: thing.place,
        content: null,
        qualities: {},
      },
    },
  ])

function worldsOf(facts: readonly FactDraft[]) {
  const chained = new ChainedReels()
  chained.write('$reality', facts)
  const rows = new Map<string, Row>()
  for (const fact of facts) {
    const at = rowKeyOf(fact)
    const row = at === null ? null : evolve(rows.get(at) ?? null, { ...fact, actor: '$reality', at: 0 })
    if (at !== null && row !== null) rows.set(at, row)
  }
  const shown = new WitnessReels(chained.reality, chained.reels)
  return { reader: new WorldReader(memoryRows(rows)), shown: new WorldReader(shown.source()) }
}

const question = fc.constantFrom(...VERBS).chain((verb) =>
  fc.record({
    actor: fc.constantFrom('operator', ...NAMES),
    verb: fc.constant(verb),
    key: fc.constantFrom(...key[verb]),
    target: fc.constantFrom('operator', ...NAMES, '/', ...SPACES, 'thing'),
    fallback: fc.uniqueArray(fc.constantFrom(...STANDINGS), { maxLength: 2 }),
  }),
)

it(`the rule gate is derived as it decides, in ${10 * RUNS} questions to ${RUNS} worlds`, async () => {
  const answers = { allowed: 0, 'not-granted': 0, forbidden: 0 }
  await fc.assert(
    fc.asyncProperty(
      scene,
      fc.array(question, { minLength: 10, maxLength: 10 }),
      async (facts, questions) => {
        const { reader, shown } = worldsOf(facts)
        for (const { actor, verb, key, target, fallback } of questions) {
          const ask = async (over: WorldReader) => {
            const being = target === 'operator' || NAMES.includes(target) ? await over.being(target) : null
            const matter = target === 'thing' ? (await over.matter('globe'))! : null
            const holder = matter?.place?.startsWith('@') ? await over.being(matter.place.slice(1)) : null
            const space = being?.space ?? holder?.space ?? matter?.place ?? target
            const of = { being, space, ...(matter === null ? {} : { owner: matter.owner }) }
            return ruleGate(over, { actor: (await over.being(actor))!, verb, key, fallback, target: of })
          }
          const told = await ask(reader)
          const { answer, by } = await ask(shown)
          answers[told.answer as keyof typeof answers] += 1 // no rule here asks
          expect({ answer, by }).toEqual({ answer: told.answer, by: told.by })
        }
      },
    ),
    { numRuns: RUNS, seed: 18 },
  )
  for (const count of Object.values(answers)) expect(count).toBeGreaterThan(RUNS / 4)
})

it(`the list gate is derived as it decides, in ${10 * RUNS} questions`, async () => {
  const answers = { allowed: 0, refused: 0, ceiling: 0 }
  const asked = fc.record({
    actor: fc.constantFrom(...NAMES),
    verb: fc.constantFrom(...VERBS),
    surface: lists,
    target: fc.constantFrom('/house', '/yard', '@ann', '@bob', 'take', 'birth', 'matter:globe'),
  })
  await fc.assert(
    fc.asyncProperty(scene, fc.array(asked, { minLength: 10, maxLength: 10 }), async (facts, questions) => {
      const { reader, shown } = worldsOf(facts)
      for (const { actor, verb, surface, target } of questions) {
        const ask = async (over: WorldReader) => {
          const makers = [(await over.being(actor))!, ...(await over.lineage(actor))]
          const ceilings = makers.flatMap(({ name, home, ceiling }) =>
            ceiling === null ? [] : [{ being: name, home, lists: ceiling }],
          )
          return listGate(surface as never, ceilings, LIST_OF[verb], target)
        }
        const told = await ask(reader)
        const derived = await ask(shown)
        answers[told.allowed ? 'allowed' : told.by.startsWith('the ceiling') ? 'ceiling' : 'refused'] += 1
        expect({ allowed: derived.allowed, by: derived.by }).toEqual({ allowed: told.allowed, by: told.by })
      }
    }),
    { numRuns: RUNS, seed: 18 },
  )
  for (const count of Object.values(answers)) expect(count).toBeGreaterThan(RUNS / 20)
})
