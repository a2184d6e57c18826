/** What a decided moment comes to, over rows in memory and answers that a test gives. */
import { type Decision, LIMITS, newWake, PRIORITIES, type VerbCall, type Wake } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { REGISTRY, TOUCH } from '../../test/gate-inputs.ts'
import { born, MemoryWorld, spaceMade } from '../../test/memory-world.ts'
import { conclude } from './conclude.ts'
import type { ConcludedMoment } from './conclusion.ts'
import { type LiveQuestions, nothingLive } from './live.ts'
import type { DecidedMoment } from './moment.ts'

const NOTHING = { canSee: [], canDo: [], canSummon: [], canBe: [] }
const ALL = { pattern: '*' } as const
const SURFACE = { canSee: [ALL], canDo: [ALL], canSummon: [ALL], canBe: [ALL] }
const ROLE = { replyTo: 'asker', respondMode: 'async', selfContinue: false } as const
const STACK = { primary: { name: 'clerk', digest: 'c' }, stacked: [] }

const ASKED: Wake = newWake({
  id: 'ann/1/7',
  being: 'cid',
  kind: 'summon',
  priority: PRIORITIES.interactive,
  content: 'well?',
  caller: { name: 'ann', role: 'citizen', cognition: 'human' },
})

interface MomentOptions {
  readonly wake?: Wake
  readonly answers?: string | null
  readonly decision?: Decision | null
  readonly worn?: Partial<DecidedMoment['worn']>
  readonly more?: Partial<DecidedMoment>
  readonly live?: Partial<LiveQuestions>
  readonly world?: MemoryWorld
  readonly goesOn?: false
}

/** A world with a hall, where the operator made @ann, a person, and @cid. */
function hall(touch: Readonly<Record<string, unknown>> = { requires: ['anyone'] }): MemoryWorld {
  const world = new MemoryWorld()
  world.write('$reality', [
    spaceMade('/hall', 'operator', { do: { [TOUCH]: touch as never } }),
    born('ann', 'operator', { cognition: { kind: 'human', script: null } }),
    born('cid', 'operator', { home: '/hall', space: '/hall' }),
  ])
  return world
}

const calling = (call: VerbCall): Decision => ({ kind: 'call', call, content: null })
const touching: VerbCall = { verb: 'do', operation: TOUCH, target: '/hall', args: {} }
const answering: VerbCall = { verb: 'summon', target: null, content: 'so', inReplyTo: null }

async function concluded({
  wake = ASKED,
  answers = null,
  decision = calling(touching),
  worn = {},
  more = {},
  live = {},
  world = hall(),
  goesOn,
}: MomentOptions = {}): Promise<ConcludedMoment> {
  const moment: DecidedMoment = {
    being: 'cid',
    open: {
      ...{ moment: 'cid/1/1', openedAt: 1000, wake, answers, caller: wake.caller, driver: null },
      ...{ cognition: { kind: 'scripted' }, asked: null },
    },
    content: wake.content,
    worn: { stack: STACK, surface: SURFACE, role: ROLE, ...worn },
    decision,
    ...more,
  }
  const over = { reader: world.reader(), live: nothingLive(live), registry: REGISTRY, digest: world.keep }
  const conclusion = await conclude(moment, { ...over, ...(goesOn === undefined ? {} : { goesOn }) })
  if (conclusion.kind === 'effect-pending') throw new Error('it waits for an effect')
  return conclusion
}

describe('a decided moment', () => {
  it('acts where both gates allow it, and says which rules did', async () => {
    const { kind, by, sends, restsOn } = await concluded()
    expect([kind, by]).toEqual(['act', ['canDo: {"pattern":"*"}', '/hall permissions.do.carrier:touch']])
    expect(sends).toEqual({ said: [], asks: [], notices: [], goesOn: [] })
    expect(restsOn).toEqual({ live: ['cut'], code: [TOUCH] })
  })

  it('fails where a list does not hold the call, and tells who asked and the operator', async () => {
    const { kind, reason, by, facts, sends, refusal } = await concluded({ worn: { surface: NOTHING } })
    expect([kind, reason, by, facts, refusal?.code]).toEqual([
      'failure',
      'FORBIDDEN',
      ['canDo'],
      [],
      'FORBIDDEN',
    ])
    expect(sends.notices.map(({ being, notice }) => [being, notice])).toEqual([
      ['operator', 'failure @cid FORBIDDEN'],
      ['ann', 'failure @cid FORBIDDEN'],
    ])
  })

  it('is a see where its call says and changes nothing', async () => {
    const wake = { ...ASKED, expectReply: false as const }
    const { kind, reason, facts } = await concluded({ wake, decision: calling(answering) })
    expect([kind, reason, facts]).toEqual(['see', 'no-reply-expected', []])
  })

  it('answers who asked, in the same thread', async () => {
    const { kind, sends, closes } = await concluded({ decision: calling(answering) })
    expect(kind).toBe('act')
    expect(sends.said).toMatchObject([{ being: 'ann', inReplyTo: 'ann/1/7', root: 'ann/1/7' }])
    expect(closes).toEqual(['ann/1/7'])
  })

  it('is skipped where its flow gave no role', async () => {
    const more = { worn: null, decision: null, skip: { reason: 'role-unresolved', detail: 'why' } }
    expect(await concluded({ more })).toMatchObject({
      kind: 'skipped',
      reason: 'role-unresolved',
      detail: 'why',
    })
  })

  it('fails once its being was ended', async () => {
    const world = hall()
    world.write('operator', [{ reel: 'being:cid', kind: 'being:ended', payload: {} }])
    const { kind, reason, sends } = await concluded({ world })
    expect([kind, reason]).toEqual(['failure', 'BEING_ENDED'])
    expect(sends.notices.map(({ being }) => being)).toEqual(['ann'])
  })

  it('fails where the code of a role is not loaded', async () => {
    const { reason, judged } = await concluded({ more: { missing: 'court:judge' } })
    expect([reason, judged === undefined]).toEqual(['ROLE_UNAVAILABLE', false])
  })

  it('parks its being at a limit of a budget, and tells who may lift it', async () => {
    const breach = { of: 'cid', limit: 'tokens', max: 5, used: 5, asked: 1 } as never
    const { facts, sends } = await concluded({
      decision: { kind: 'failure', code: 'BUDGET_EXCEEDED', message: 'm', breach },
    })
    expect(facts.map(({ reel, kind }) => [reel, kind])).toEqual([['being:cid', 'being:parked']])
    expect(sends.notices.map(({ being, id }) => [being, id])).toEqual([
      ['ann', 'notice/cid/1/1/ann'],
      ['operator', 'parked/cid/1/1'],
    ])
  })

  it('uses up the yes that it brings, when it ends without the act', async () => {
    const world = hall()
    const wake = newWake({ ...ASKED, id: 'approved/cid/1/0', kind: 'event', caller: null })
    world.rows.set('approval:cid/1/0', { state: 'given', asker: 'cid' } as never)
    const { facts } = await concluded({ world, wake, worn: { surface: NOTHING } })
    expect(facts).toEqual([
      { reel: 'approval:cid/1/0', kind: 'approval:voided', payload: { code: 'FORBIDDEN' } },
    ])
  })

  it('is refused for what its caller says beside the gates, and no call of it is judged', async () => {
    const refused = { beside: 'lease', code: 'FORBIDDEN', message: 'over' } as const
    const { kind, beside, detail, judged, restsOn } = await concluded({ more: { refused } })
    expect([kind, beside, detail, judged]).toEqual(['failure', 'lease', 'over', undefined])
    expect(restsOn).toEqual({ live: [], code: [] })
  })
})

describe('what no reel holds', () => {
  const erased = { reel: 'being:cid', kind: 'fact:erased', payload: { seq: 1, hash: 'h' } }
  const refusals: readonly [
    what: string,
    beside: string,
    given: MomentOptions,
    live: Partial<LiveQuestions>,
  ][] = [
    [
      'a thread that was cut',
      'thread',
      {},
      { cut: async () => ({ thread: 'ann/1/7', cutBy: 'ann', at: 1 }) as never },
    ],
    [
      'a question that was answered before',
      'inbox',
      {
        wake: newWake({ ...ASKED, id: 'act/x', kind: 'act', content: { answers: 'ann/1/7' }, caller: null }),
        answers: 'ann/1/7',
        decision: calling({ verb: 'summon', target: '@ann', content: 'so', inReplyTo: null }),
        world: asPerson(),
      },
      { entry: async () => ({ ...ASKED, closedBy: 'cid/1/0' }) },
    ],
    [
      'an inbox that is full',
      'inbox',
      { decision: calling(answering) },
      { room: async () => ({ open: LIMITS.inboxLengthMax, ofSender: 0 }) },
    ],
    [
      'one sender that fills an inbox',
      'inbox',
      { decision: calling(answering) },
      { room: async () => ({ open: LIMITS.inboxPerSenderMax, ofSender: LIMITS.inboxPerSenderMax }) },
    ],
    [
      'a chain that is full',
      'inbox',
      { decision: calling(answering) },
      { chain: async () => LIMITS.chainWakesMax },
    ],
    [
      'a count whose next place is taken',
      'count',
      { world: hall({ requires: ['anyone'], counts: [{ most: 5 }] }) },
      { heldByOther: async (reels) => reels[0] ?? null },
    ],
  ]

  it.each(refusals)('refuses beside the gates: %s', async (_, beside, given, live) => {
    const refused = await concluded({ ...given, live: { ...given.live, ...live } })
    expect([refused.kind, refused.beside, refused.facts]).toEqual(['failure', beside, []])
    expect((await concluded(given)).beside).toBeUndefined() // the control
  })

  it('is asked about a tombstone, and about no other fact', async () => {
    const why = async () => 'others rest on it'
    expect((await concluded({ live: { whyNotErasable: why } })).kind).toBe('act')
    const act = {
      kind: 'act',
      wakes: [],
      closes: [],
      result: null,
      specs: [],
      seen: null,
      remark: null,
      by: [],
    }
    const world = hall()
    const over = { reader: world.reader(), registry: REGISTRY, digest: world.keep }
    const judged = { ...act, facts: [erased] } as never
    const given = momentOf(calling(touching))
    const refused = await conclude(given, { ...over, judged, live: nothingLive({ whyNotErasable: why }) })
    expect(refused).toMatchObject({ kind: 'failure', beside: 'erasing', detail: 'others rest on it' })
  })

  it.each([
    ['of its being', { ofAsker: LIMITS.asksPerBeingMax, ofPerson: 0 }],
    ['of its person', { ofAsker: 0, ofPerson: LIMITS.asksPerPersonMax }],
  ])('refuses to ask a person where too many calls %s wait', async (_, waiting) => {
    const world = hall({ requires: ['anyone'], ask: { who: ['@ann'], within: 3600 } })
    expect((await concluded({ world })).kind).toBe('waiting')
    expect(await concluded({ world, live: { waiting: async () => waiting } })).toMatchObject({
      kind: 'failure',
      reason: 'RATE_LIMITED',
      beside: 'inbox',
    })
  })
})

describe('how a being goes on', () => {
  const looking = calling({ verb: 'see', address: '/hall' })

  it('sees in its next moment what it looked at', async () => {
    const { kind, sends } = await concluded({ decision: looking })
    expect(kind).toBe('see')
    expect(sends.goesOn).toMatchObject([
      { id: 'look/cid/1/1', being: 'cid', looks: 1, answers: 'ann/1/7', content: { event: 'look', step: 1 } },
    ])
  })

  it('sees there why its look was refused', async () => {
    const { sends } = await concluded({ decision: looking, worn: { surface: NOTHING } })
    expect(sends.goesOn).toMatchObject([{ content: { refused: { code: 'FORBIDDEN' } } }])
  })

  it('stops once it has looked as often as it may, and the operator is told', async () => {
    const wake = { ...ASKED, looks: LIMITS.looksMax }
    const { reason, sends } = await concluded({ decision: looking, wake })
    expect([reason, sends.goesOn.length]).toEqual(['looks-spent', 0])
    expect(sends.notices.map(({ being }) => being)).toEqual(['operator'])
  })

  it('is not asked where nobody records what a look reads', async () => {
    const { sends } = await concluded({ decision: looking, goesOn: false })
    expect(sends.goesOn).toEqual([])
  })

  it.each([
    { selfContinue: false, call: touching, steps: 0 },
    { selfContinue: true, call: touching, steps: 1 },
    { selfContinue: 'until-answered', call: touching, steps: 1 },
    { selfContinue: 'until-answered', call: answering, steps: 0 },
  ] as const)('a role with selfContinue $selfContinue goes on $steps times after $call.verb', async (one) => {
    const worn = { role: { ...ROLE, selfContinue: one.selfContinue } }
    const { sends } = await concluded({ worn, decision: calling(one.call) })
    expect(sends.goesOn.map(({ id, continues }) => [id, continues])).toEqual(
      Array.from({ length: one.steps }, () => ['continue/cid/1/1', 1]),
    )
  })

  it('prose ends a sequence, also in a role that always goes on', async () => {
    const worn = { role: { ...ROLE, selfContinue: true as const } }
    const said = { ...calling(answering), prose: true as const }
    expect((await concluded({ worn, decision: said })).sends.goesOn).toEqual([])
    expect((await concluded({ worn, decision: calling(answering) })).sends.goesOn).toHaveLength(1)
  })

  it.each([
    { gone: LIMITS.selfContinuesMax - 1, reason: null },
    { gone: LIMITS.selfContinuesMax, reason: 'self-continues-spent' },
  ])('after $gone steps it ends with $reason', async ({ gone, reason }) => {
    const worn = { role: { ...ROLE, selfContinue: true as const } }
    expect((await concluded({ worn, live: { continues: async () => gone } })).reason).toBe(reason)
  })
})

const momentOf = (decision: Decision): DecidedMoment => ({
  being: 'cid',
  open: {
    ...{ moment: 'cid/1/1', openedAt: 1000, wake: ASKED, answers: null, caller: ASKED.caller, driver: null },
    ...{ cognition: { kind: 'scripted' }, asked: null },
  },
  content: ASKED.content,
  worn: { stack: STACK, surface: SURFACE, role: ROLE },
  decision,
})

/** The hall with @cid as a person, whose own acts need no lease. */
function asPerson(): MemoryWorld {
  const world = hall()
  world.write('$reality', [born('cid', 'operator', { cognition: { kind: 'human', script: null } })])
  return world
}
