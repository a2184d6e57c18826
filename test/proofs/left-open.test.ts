/**
 * What both offline verifiers leave open in honest records, and what they compare all the same. Each reality
 * is lived in memory.
 */
import { type JsonObject, TreeosError, type VerbCall } from '@treeos/core'
import { saltedHash } from '@treeos/verify/parts'
import { expect } from 'vitest'
import { ActedReality } from './acted-reality.ts'
import { copyOf } from './generated-reality.ts'
import { bothOn, UNSEEN } from './law-compared.ts'
import { manor } from './manor.ts'
import { mendedBundle, type Part } from './mutations.ts'
import { judged, useForgeries } from './use-forgeries.ts'

const forgeries = useForgeries()

const OF_CODE = 'both gates were asked, and what code of an extension did is said by their records'

const [mark, tiller] = manor.operations as NonNullable<typeof manor.operations>
/**
 * The manor, where `manor:till` is the operation of a skill, so that it takes an overlay, and where
 * `manor:drop` always refuses.
 */
const withSkill = {
  ...manor,
  operations: [
    mark,
    { ...tiller, entry: 'manor:tiller' },
    {
      ...{ ...tiller, name: 'manor:drop', ask: undefined },
      decide: () => {
        throw new TreeosError('INVALID_INPUT', 'it is empty')
      },
    },
  ],
} as typeof manor
const till = { verb: 'do', operation: 'manor:till', target: '/den', args: {} } as const

/** What both say: their faults, and by class what they leave open. */
async function toldOf(lines: readonly JsonObject[]) {
  const { first, second: other } = await bothOn(lines, forgeries.second)
  return { faults: [first.fault, other.fault], unjudged: [first.unjudged, other.unjudged] }
}

const bothLeaveOpen = (why: string) => ({ faults: [null, null], unjudged: [{ [why]: 1 }, { [why]: 1 }] })

judged('a call of a skill with an overlay is not proven: no manifest says what takes one', async () => {
  const reality = await ActedReality.begin('overlaid', [withSkill])
  expect(await reality.act({ ...till, overlay: 'handle' })).toBe('act')
  expect(await toldOf(reality.at.lines())).toEqual(bothLeaveOpen(OF_CODE))
})

/** A call that sets the rules of the place for the operations of the manor. */
const rules = (of: JsonObject): VerbCall => ({
  ...{ verb: 'do', operation: 'set-space', target: '/den' },
  args: { field: 'permissions', value: { do: { 'manor:*': of } } },
})

/** The lines, where the rules that were set last are others. */
function withRules(lines: readonly JsonObject[], of: JsonObject): JsonObject[] {
  const copy = copyOf(lines) as Part[]
  const fact = copy.findLast(({ header }) => header?.kind === 'quality:set')
  const setting = copy.find(({ record }) => record?.moment === fact?.header.moment)
  if (fact === undefined || setting === undefined) throw new Error('no rules were set')
  const { args } = rules(of) as Part
  setting.decision.call.args = args
  fact.payload.value = args.value
  fact.header.payloadHash = saltedHash(fact.salt, fact.payload)
  return mendedBundle(copy) as JsonObject[]
}

judged.each<{ title: string; rule: JsonObject; forged: JsonObject; outcome: string }>([
  {
    title: 'the counts',
    rule: { counts: [{ most: 5 }] },
    forged: { outside: 'forbid' },
    outcome: 'act',
  },
  {
    title: 'the questions',
    rule: { ask: { who: ['@ann'] } },
    forged: { ask: { who: ['@ann'], within: 7 } },
    outcome: 'waiting',
  },
])(
  'of a call of an extension $title are compared, and what its code does is not',
  async ({ rule, forged, outcome }) => {
    const reality = await ActedReality.begin('counted', [withSkill])
    await reality.act(rules(rule))
    expect(await reality.act(till)).toBe(outcome)
    expect(await toldOf(reality.at.lines())).toEqual(bothLeaveOpen(OF_CODE))
    const { faults } = await toldOf(withRules(reality.at.lines(), forged))
    expect(faults).toEqual(['facts-mismatch', 'facts-mismatch'])
  },
)

judged('a call that code of an extension refuses before it would wait is not proven', async () => {
  const reality = await ActedReality.begin('refused', [withSkill])
  await reality.act(rules({ ask: { who: ['@ann'] } }))
  expect(await reality.act({ ...till, operation: 'manor:drop' })).toBe('failure')
  expect(await toldOf(reality.at.lines())).toEqual(bothLeaveOpen(OF_CODE))
})

judged('an act that answers what came by no summon is not proven', async () => {
  const reality = await ActedReality.begin('unseen', [withSkill])
  const notice = reality.at.event('operator', 'mail/1', false)
  reality.at.send(notice)
  const call: VerbCall = { verb: 'summon', target: '@cleo', content: 'I saw it', inReplyTo: null }
  expect(await reality.act(call, notice.id)).toBe('act')
  expect(await toldOf(reality.at.lines())).toEqual(bothLeaveOpen(UNSEEN))
})
