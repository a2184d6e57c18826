/** Both offline verifiers say the same of every call of realities that are generated, and notice the same forgeries of their records. */
import { canonicalJson, type JsonObject } from '@treeos/core'
import { saltedHash } from '@treeos/verify/parts'
import { seed } from '@treeos/world'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Random } from '../faults/random.ts'
import { IS_NIGHT } from '../support/night.ts'
import { copyOf, type GeneratedReality } from './generated-reality.ts'
import { BEGINNING } from './generated-steps.ts'
import {
  type BothOpinions,
  bothOn,
  disagreementIn,
  drawsOf,
  livedReality,
  MISSING,
  smallestCase,
  UNSEEN,
} from './law-compared.ts'
import { mendedBundle, type Part } from './mutations.ts'
import { SecondVerifier, whyNoPython } from './second-opinion.ts'

const SEED = Number(process.env.TREEOS_GENERATED_SEED ?? 49)
/** Each has about 300 calls. The check of each night lives many more. */
const REALITIES = Number(process.env.TREEOS_GENERATED_REALITIES ?? (IS_NIGHT ? 70 : 5))
const STEPS = 230
const FORGERIES = Number(process.env.TREEOS_GENERATED_FORGERIES ?? (IS_NIGHT ? 240 : 12))

const why = whyNoPython()
const judged = it.skipIf(why !== null)
let second: SecondVerifier
beforeAll(() => {
  if (why === null) second = new SecondVerifier()
})
afterAll(() => second?.close())

const disagreementOn = async (draws: readonly number[], isToured: boolean): Promise<string | null> =>
  disagreementIn(await bothOn((await livedReality(draws, `generated-${SEED}`, isToured)).lines(), second))

const momentsIn = (reality: GeneratedReality): Part[] =>
  (reality.lines() as Part[]).filter(({ kind }) => kind === 'moment')
const keyOf = ({ decision }: Part): string => decision.call.operation ?? decision.call.verb

judged(
  `both judge the calls of ${REALITIES} generated realities alike (seed ${SEED})`,
  async () => {
    const tally = new Map<string, number>()
    const count = (what: string) => tally.set(what, (tally.get(what) ?? 0) + 1)
    const unjudged = new Map<string, number>()
    for (let i = 0; i < REALITIES; i++) {
      const draws = drawsOf(SEED + i, STEPS)
      const reality = await livedReality(draws, `generated-${SEED}`, i === 0)
      const both = await bothOn(reality.lines(), second)
      const found =
        disagreementIn(both) ??
        (both.first.fault === null ? null : `both say ${both.first.fault}: ${both.first.told}`)
      if (found !== null) {
        const small = await smallestCase(
          draws,
          async (fewer) => (await disagreementOn(fewer, i === 0)) !== null,
        )
        const calls = momentsIn(await livedReality(small, `generated-${SEED}`, i === 0)).map(
          ({ record, decision }) => [record.moment, decision.call],
        )
        throw new Error(
          `seed ${SEED + i}: ${found}\nsmallest case, of ${small.length} steps:\n${calls
            .slice(BEGINNING.length)
            .map((one) => JSON.stringify(one))
            .join('\n')}`,
        )
      }
      for (const [of, calls] of Object.entries(both.second.unjudged))
        unjudged.set(of, (unjudged.get(of) ?? 0) + calls)
      for (const moment of momentsIn(reality)) {
        const { record, open } = moment
        count('calls')
        count(
          record.outcome === 'act' || record.outcome === 'see'
            ? `done ${keyOf(moment)}`
            : `not done ${keyOf(moment)}`,
        )
        count(String(record.outcome))
        for (const by of record.by as string[])
          for (const word of ['permissions', 'counts[', 'ceiling', 'approval ', '.outside'])
            if (by.includes(word)) count(word)
        if (record.shadow !== undefined) count('shadow')
        if (open.outside === true) count('outside')
        if (record.being === 'vera')
          count(open.outside === true ? 'beside a mark that it reads' : 'beside others')
        if (open.driver !== null) count('driven')
      }
      for (const { header } of (reality.lines() as Part[]).filter(({ kind }) => kind === 'fact'))
        count(header.kind)
    }
    console.info(Object.fromEntries([...tally].sort()), Object.fromEntries(unjudged))
    expect(tally.get('calls')).toBeGreaterThan(REALITIES * 280)
    for (const what of [
      ...[
        'act',
        'see',
        'failure',
        'waiting',
        'permissions',
        'counts[',
        'ceiling',
        'approval ',
        '.outside',
        'shadow',
        'outside',
        'beside a mark that it reads',
        'beside others',
        'driven',
      ],
      ...[
        'approval:given',
        'approval:denied',
        'approval:expired',
        'approval:used',
        'approval:voided',
        'tally:counted',
        'origin:outside',
        'origin:vouched',
      ],
      ...OPERATIONS.flatMap((name) => (NEVER_DONE.includes(name) ? [] : [`done ${name}`])),
    ])
      expect(tally.get(what) ?? 0, what).toBeGreaterThan(0)
    expect(OPERATIONS.filter((name) => !tally.has(`not done ${name}`)).length).toBeLessThan(4) // nearly all are refused, too
    const all = [...unjudged.values()].reduce((sum, calls) => sum + calls, 0)
    expect(all).toBeLessThan((tally.get('calls') ?? 0) / 20) // of code, of threads and of requests
  },
  600_000,
)

/** Every operation of TreeOS, and those of the extension. */
const OPERATIONS = [
  ...[
    'create-space',
    'set-space',
    'set-size',
    'add-contributor',
    'remove-contributor',
    'create-matter',
    'keep-file',
    'set-matter',
    'write-matter',
  ],
  ...[
    'end-matter',
    'take',
    'put',
    'move',
    'set-being',
    'set-roleflow',
    'set-default-role',
    'pause-being',
    'resume-being',
    'end-being',
    'set-schedule',
  ],
  ...[
    'delete-schedule',
    'subscribe',
    'unsubscribe',
    'set-budget',
    'accept-difference',
    'unpark-being',
    'set-role',
    'delete-role',
    'set-world-signal',
  ],
  ...[
    'grant-namespace',
    'revoke-namespace',
    'vouch',
    'approve',
    'deny',
    'erase',
    'set-hold',
    'lift-hold',
    'mediate',
    'manor:mark',
    'manor:till',
  ],
  ...['birth', 'connect', 'release', 'see', 'summon'],
]
/** Of threads neither verifier judges anything. */
const OF_THREADS = ['cut-thread']
/** Nothing is erased here: `test/proofs/derived-facts.long.test.ts` does that. */
const NEVER_DONE = ['erase']

it('every operation of TreeOS is among the calls that are compared', () => {
  const all = [...seed.operations, ...seed.beOperations].map(({ name }) => name)
  expect(all.filter((name) => !OPERATIONS.includes(name))).toEqual(OF_THREADS)
})

type Forgery = readonly [what: string, forge: (moment: Part, facts: readonly Part[], draw: Random) => boolean]

/** Each rewrites one thing of a moment. @returns false where the moment has no such thing */
const FORGERIES_OF: readonly Forgery[] = [
  [
    'the rules that decided',
    ({ record }) => {
      if (record.by.length === 0) return false
      record.by = [...record.by.slice(0, -1), '/ permissions.do.*']
      return true
    },
  ],
  [
    'a rule more',
    ({ record }) => {
      record.by = [...record.by, 'do move: anyone']
      return true
    },
  ],
  [
    'the reason of a refusal',
    ({ record }) => {
      if (record.outcome !== 'failure') return false
      record.reason = record.reason === 'FORBIDDEN' ? 'RESOURCE_CONFLICT' : 'FORBIDDEN'
      return true
    },
  ],
  [
    'the outcome of a refusal',
    ({ record }) => {
      if (record.outcome !== 'failure') return false
      record.outcome = 'act'
      return true
    },
  ],
  [
    'the outcome of an act',
    ({ record }) => {
      if (record.outcome !== 'act') return false
      record.outcome = 'failure'
      record.reason = 'FORBIDDEN'
      return true
    },
  ],
  [
    'a field of a fact',
    (_, facts, draw) => {
      const fact = facts.find(({ header }) => header.kind !== 'tally:counted')
      const fields = Object.keys(fact?.payload ?? {}).filter(
        (name) => typeof fact?.payload[name] === 'string',
      )
      if (fact === undefined || fields.length === 0) return false
      return says(fact, { ...fact.payload, [draw.pick(fields)]: 'another' })
    },
  ],
  [
    'what a count sums',
    (_, facts) => {
      const fact = facts.find(({ header }) => header.kind === 'tally:counted')
      return fact !== undefined && says(fact, { amounts: { everySeconds: 1 } })
    },
  ],
  [
    'that it was asked of the outside and failed',
    (_, facts) => {
      const fact = facts.find(({ header }) => header.kind === 'tally:counted')
      return fact !== undefined && says(fact, { ...fact.payload, failed: true })
    },
  ],
  [
    'what dry-run rules would have said',
    ({ record }) => {
      if (record.shadow === undefined) return false
      record.shadow = [
        { ...record.shadow[0], would: record.shadow[0].would === 'refused' ? 'allowed' : 'refused' },
      ]
      return true
    },
  ],
  [
    'a rule, with the decision of who set it',
    (moment, facts) => {
      const { args, operation } = moment.decision.call
      if (
        operation !== 'set-space' ||
        moment.record.outcome !== 'act' ||
        args.field !== 'permissions' ||
        args.value === null
      )
        return false
      const value = Object.fromEntries(
        Object.keys(args.value).map((verb) => [verb, { '*': { requires: [{ role: 'nobody' }] } }]),
      )
      args.value = value
      const fact = facts.find(({ header }) => header.kind === 'quality:set')
      return fact !== undefined && says(fact, { ...fact.payload, value })
    },
  ],
  [
    'whom a question asks',
    (_, facts) => {
      const fact = facts.find(({ header }) => header.kind === 'approval:asked')
      return (
        fact !== undefined &&
        says(fact, { ...fact.payload, rules: [{ ...fact.payload.rules[0], who: ['ivy'] }] })
      )
    },
  ],
  [
    'where words are from',
    ({ open }) => {
      if (open.outside !== true) return false
      delete open.outside
      return true
    },
  ],
]

/** With another payload, and the digest of it in its header. */
function says(fact: Part, payload: JsonObject): boolean {
  fact.payload = JSON.parse(canonicalJson(payload))
  fact.header.payloadHash = saltedHash(fact.salt, fact.payload)
  return true
}

/**
 * The first names the call that was forged as not proven, and the second judges it: the first judges none that rests on a reel without facts, and
 * no yes that wakes who asked again in a moment which no summon began.
 */
const isLeftOpen = ({ first, second: other }: BothOpinions, forged: Part): boolean =>
  first.fault === null &&
  other.fault === 'law-mismatch' &&
  [MISSING, ...(keyOf(forged) === 'approve' ? [UNSEEN] : [])].some(
    (reason) => (first.unjudged[reason] ?? 0) > (other.unjudged[reason] ?? 0),
  )

judged(
  `both notice the same of ${FORGERIES} forgeries of each of their records, with true hashes (seed ${SEED})`,
  async () => {
    const draw = new Random(SEED)
    const small = (
      await Promise.all(
        [0, 1, 2].map((i) => livedReality(drawsOf(SEED + 100 + i, 40), `forged-${i}`, i === 0)),
      )
    ).map((one) => one.lines())
    const tally: Record<string, number> = {}
    const differing: string[] = []
    for (let i = 0; i < FORGERIES; i++) {
      const [what, forge] = FORGERIES_OF[i % FORGERIES_OF.length] as Forgery
      const found = draw.shuffled(small).flatMap((one) => {
        const lines = copyOf(one) as Part[]
        const moments = draw.shuffled(lines.filter(({ kind }) => kind === 'moment').slice(BEGINNING.length))
        const factsOf = (moment: Part) =>
          lines.filter(({ kind, header }) => kind === 'fact' && header.moment === moment.record.moment)
        const forged = moments.find((moment) => forge(moment, factsOf(moment), draw))
        return forged === undefined ? [] : [{ lines, forged }]
      })[0]
      if (found === undefined) throw new Error(`no record has ${what}`)
      const { lines, forged } = found
      const both = await bothOn(mendedBundle(lines) as JsonObject[], second)
      const told = both.first.fault ?? 'nothing'
      tally[`${what}: ${told}`] = (tally[`${what}: ${told}`] ?? 0) + 1
      if (both.first.fault !== both.second.fault && !isLeftOpen(both, forged))
        differing.push(JSON.stringify([what, forged.record.moment, forged.decision.call, both]))
    }
    console.info(tally)
    expect(differing).toEqual([])
    for (const [what] of FORGERIES_OF)
      expect(
        Object.keys(tally).some((told) => told.startsWith(`${what}: `) && !told.endsWith(': nothing')),
        what,
      ).toBe(true)
  },
  600_000,
)
