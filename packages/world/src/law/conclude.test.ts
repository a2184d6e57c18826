/** What a decided moment comes to, over rows in memory and answers that a test gives. */
import {
  type Cognition,
  type Decision,
  LIMITS,
  newWake,
  PRIORITIES,
  readPath,
  type VerbCall,
  type Wake,
} from '@treeos/core'
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
const ROLE = { respondMode: 'async', selfContinue: false } as const
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
  readonly cognition?: Cognition
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
  cognition = 'scripted',
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
      ...{ cognition: { kind: cognition }, asked: null },
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
    const live = { whyNotErasable: async () => 'others rest on it' }
    expect((await concluded({ live })).kind).toBe('act')
    const wake = newWake({
      id: 'e',
      being: 'operator',
      kind: 'act',
      priority: PRIORITIES.human,
      content: null,
    })
    const args = { moment: 'cid/1/1', why: 'asked for' }
    const erasing = {
      wake,
      decision: calling({ verb: 'do', operation: 'erase', target: '@cid', args }),
      more: { being: 'operator' },
      cognition: 'human',
    } as const
    expect((await concluded(erasing)).kind).toBe('act')
    const refused = { kind: 'failure', beside: 'erasing', detail: 'others rest on it' }
    expect(await concluded({ ...erasing, live })).toMatchObject(refused)
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
      {
        id: 'look/cid/1/1',
        being: 'cid',
        continues: 1,
        answers: 'ann/1/7',
        content: { event: 'look', step: 1 },
      },
    ])
  })

  it('sees there why its look was refused', async () => {
    const { sends } = await concluded({ decision: looking, worn: { surface: NOTHING } })
    expect(sends.goesOn).toMatchObject([{ content: { refused: { code: 'FORBIDDEN' } } }])
  })

  it.each([
    { of: 'a role that does not say', steps: undefined, gone: LIMITS.stepsDefault },
    { of: 'its role', steps: 40, gone: 40 },
    { of: 'a budget', steps: 40, gone: 3, budget: 3 },
  ])('stops after the steps of $of, and the operator is told', async ({ steps, gone, budget }) => {
    const world = hall()
    if (budget !== undefined)
      world.write('operator', [
        {
          reel: 'being:cid',
          kind: 'being:budgeted',
          payload: { budget: { selfContinues: budget, per: 'total' } },
        },
      ])
    const worn = { role: { ...ROLE, selfContinue: true as const, ...(steps === undefined ? {} : { steps }) } }
    const after = (taken: number, decision: Decision) =>
      concluded({ world, worn, decision, live: { continues: async () => taken } })
    const [last, look, act] = [
      await after(gone - 1, looking),
      await after(gone, looking),
      await after(gone, calling(touching)),
    ]
    expect(last.sends.goesOn).toMatchObject([{ continues: gone, content: { step: gone, of: gone } }])
    expect([look.reason, look.sends.goesOn.length]).toEqual(['steps-spent', 0])
    expect([act.reason, act.sends.goesOn.length]).toEqual(['steps-spent', 0])
    expect(look.sends.notices.map(({ being }) => being)).toEqual(['operator'])
  })

  const several = (...addresses: string[]) => calling({ verb: 'see', addresses })
  const both = { surface: { ...SURFACE, canSee: ['/hall', '@ann'] } }

  it('sees each of several addresses by one look, and of one that is hidden why', async () => {
    const decision = several('/hall', '/', '@nobody', '@ann')
    const { kind, reason, by, sends } = await concluded({ decision, worn: both })
    expect([kind, reason]).toEqual(['see', null])
    expect(by).toEqual(['canSee: /hall', 'see /hall: anyone', 'canSee: @ann', 'see @ann: anyone'])
    expect(sends.goesOn).toMatchObject([
      {
        ...{ id: 'look/cid/1/1', continues: 1 },
        content: {
          looks: [
            { address: '/hall', seen: { address: { path: '/hall' } } },
            { address: '/', refused: { code: 'FORBIDDEN', message: expect.stringContaining('canSee') } },
            { address: '@nobody', refused: { code: 'FORBIDDEN' } },
            { address: '@ann', seen: { address: { being: '@ann' } } },
          ],
        },
      },
    ])
    expect(sends.goesOn[0]!.content).not.toHaveProperty('seen')
  })

  it('is told why where all of several are hidden', async () => {
    const found = await concluded({ decision: several('/', '/cellar'), worn: both })
    expect([found.kind, found.reason, found.by]).toEqual(['see', 'FORBIDDEN', ['canSee']])
    expect(found.sends.goesOn).toMatchObject([
      { content: { addresses: ['/', '/cellar'], refused: { code: 'FORBIDDEN' } } },
    ])
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
    { gone: LIMITS.stepsDefault - 1, reason: null },
    { gone: LIMITS.stepsDefault, reason: 'steps-spent' },
  ])('after $gone steps it ends with $reason', async ({ gone, reason }) => {
    const worn = { role: { ...ROLE, selfContinue: true as const } }
    expect((await concluded({ worn, live: { continues: async () => gone } })).reason).toBe(reason)
  })
})

describe('a being that makes the same call again', () => {
  const goingOn = { role: { ...ROLE, selfContinue: true as const } }
  /** Lives moment after moment, each by the wake that the one before sent. */
  async function lives(decisions: readonly Decision[]): Promise<ConcludedMoment[]> {
    const world = hall()
    const lived: ConcludedMoment[] = []
    for (const [i, decision] of decisions.entries()) {
      const wake = lived.at(-1)?.sends.goesOn[0] ?? ASKED
      const open = {
        ...momentOf(decision).open,
        moment: `cid/1/${i + 1}`,
        wake,
        answers: wake.answers ?? null,
      }
      const more = { open, content: wake.content }
      lived.push(
        await concluded({ worn: goingOn, world, decision, more, live: { continues: async () => i } }),
      )
    }
    return lived
  }
  const timesIn = ({ sends }: ConcludedMoment) =>
    readPath(sends.goesOn[0]?.content ?? null, ['same', 'times'])
  const looking = calling({ verb: 'see', address: '/hall' })
  const setting = (value: number) =>
    calling({ verb: 'do', operation: 'set-being', target: null, args: { field: 'note', value } })
  const saying = calling({ ...answering, target: '@ann' })

  it.each([
    ['an act', setting(1), 'act'],
    ['a look', looking, 'see'],
    ['words', saying, 'act'],
  ] as const)('ends after the fourth time: %s', async (_, decision, kind) => {
    const lived = await lives(Array(4).fill(decision))
    expect(lived.map(timesIn)).toEqual([1, 2, 3, undefined])
    expect(lived.map(({ reason }) => reason)).toEqual([null, null, null, 'repeated-call'])
    const { kind: ended, sends, detail } = lived.at(-1)!
    expect([ended, sends.goesOn, detail]).toEqual([kind, [], expect.stringContaining('4 times in a row')])
    expect(sends.notices.map(({ being }) => being)).toEqual(['operator'])
  })

  it('goes on where a call between them was another one', async () => {
    const lived = await lives([setting(1), setting(1), setting(2), setting(1), looking, looking])
    expect(lived.map(timesIn)).toEqual([1, 2, 1, 1, 1, 2])
  })

  it('goes on where what it looks at has changed', async () => {
    const world = hall()
    const first = await concluded({ world, decision: looking })
    world.write('operator', [
      { reel: 'space:/hall', kind: 'quality:set', payload: { path: ['light'], value: 'red', merge: false } },
    ])
    const [wake] = first.sends.goesOn
    const more = {
      open: { ...momentOf(looking).open, moment: 'cid/1/2', wake: wake! },
      content: wake!.content,
    }
    expect(timesIn(await concluded({ world, decision: looking, more }))).toBe(1)
  })

  it('counts through a refusal, after which it begins from the same wake', async () => {
    const { sends } = await concluded({ worn: goingOn, decision: setting(1) })
    const first = { id: 'continue/cid/1/1', kind: 'event', content: sends.goesOn[0]!.content }
    const wake = { ...sends.goesOn[0]!, id: 'refused/cid/1/2', content: { first, refused: [] } as never }
    const more = { open: { ...momentOf(looking).open, moment: 'cid/1/3', wake }, content: wake.content }
    expect(timesIn(await concluded({ worn: goingOn, decision: setting(1), more }))).toBe(2)
  })
})

describe('a being that summons itself', () => {
  const inward = calling({ ...answering, target: '@cid', orientation: 'inward' })
  const said = async (given: Partial<MomentOptions> = {}) =>
    (await concluded({ decision: inward, ...given })).sends.said

  it('still owes the answer for which somebody waits, whatever its role announces', async () => {
    const worn = { role: { ...ROLE, selfContinue: true as const } }
    const { sends } = await concluded({ decision: inward, worn })
    expect(sends.said).toMatchObject([
      { being: 'cid', answers: ASKED.id, inReplyTo: null, priority: ASKED.priority, orientation: 'inward' },
    ])
    expect(sends.said[0]).not.toHaveProperty('expectReply')
    expect(sends.goesOn.map(({ answers }) => answers)).toEqual([undefined]) // one moment answers, not two
  })

  it.each<[string, Partial<MomentOptions>]>([
    ['nobody asked', { wake: newWake({ ...ASKED, id: 'idle/cid/1/1', kind: 'event', caller: null }) }],
    ['no answer is wanted', { wake: { ...ASKED, expectReply: false } }],
    ['it was told an answer', { wake: { ...ASKED, inReplyTo: 'q' } }],
  ])('owes nothing where %s', async (_, given) => {
    expect((await said(given))[0]).not.toHaveProperty('answers')
  })

  const own = { ...ASKED, id: 'cid/1/1', caller: { name: 'cid', role: 'clerk', cognition: 'llm' as const } }
  const turned = (more: Partial<DecidedMoment['open']>): Partial<DecidedMoment> => ({
    open: { ...momentOf(inward).open, moment: 'cid/1/2', wake: own, caller: null, ...more },
  })

  it('answers who asked from the moment that it gave itself', async () => {
    const owed = { id: ASKED.id, caller: ASKED.caller!, hops: ASKED.hops }
    const more = turned({ answers: ASKED.id, caller: ASKED.caller, owed })
    const live = { entry: async () => ({ ...ASKED, closedBy: 'cid/1/1' }) }
    expect((await said({ decision: calling(answering), more, live }))[0]).toMatchObject({
      being: 'ann',
      inReplyTo: ASKED.id,
    })
    const { sends } = await concluded({ worn: { surface: NOTHING }, more, live })
    expect(sends.notices.map(({ being }) => being)).toContain('ann')
  })

  it('has nobody to answer where nobody waits', async () => {
    const found = await concluded({ decision: calling(answering), more: turned({}) })
    expect(found).toMatchObject({ kind: 'failure', reason: 'INVALID_INPUT' })
    expect(found.sends.notices.map(({ being }) => being)).toEqual(['operator'])
  })
})

describe('a model whose call is refused', () => {
  const refusing = { surface: NOTHING }
  const mind = { cognition: { kind: 'llm' } } as const
  const byModel = (given: Partial<DecidedMoment['open']> = {}): Partial<DecidedMoment> => ({
    open: { ...momentOf(calling(touching)).open, ...mind, ...given },
  })
  const MISCALL = { kind: 'failure', code: 'LLM_FAILED', message: 'no call', miscall: true } as const
  const told = ({ sends }: ConcludedMoment) => [sends.goesOn.length, sends.notices.length]

  it('decides again about the same wake, and nobody is told', async () => {
    const found = await concluded({ worn: refusing, more: byModel() })
    expect([found.kind, found.reason, ...told(found)]).toEqual(['failure', 'FORBIDDEN', 1, 0])
    expect(found.sends.goesOn).toMatchObject([
      {
        ...{ id: 'refused/cid/1/1', kind: 'event', being: 'cid', caller: ASKED.caller, answers: ASKED.id },
        ...{ root: ASKED.root, priority: ASKED.priority, continues: 1, refusals: 1, cause: ASKED.cause },
        content: {
          ...{ event: 'refused', actor: '@cid', prior: 'cid/1/1', step: 1, of: 2 },
          first: { id: ASKED.id, kind: 'summon', content: 'well?' },
          refused: [{ call: expect.stringContaining(TOUCH), code: 'FORBIDDEN', message: found.detail }],
        },
      },
    ])
  })

  it('keeps the first wake and each refusal when it is refused once more', async () => {
    const [again] = (await concluded({ worn: refusing, more: byModel() })).sends.goesOn
    const more = {
      ...byModel({ wake: again!, answers: again!.answers!, moment: 'cid/1/2' }),
      content: again!.content,
    }
    const found = await concluded({ worn: refusing, more })
    expect(found.sends.goesOn).toMatchObject([
      {
        id: 'refused/cid/1/2',
        answers: ASKED.id,
        refusals: 2,
        content: { first: { id: ASKED.id }, refused: [{ code: 'FORBIDDEN' }, { code: 'FORBIDDEN' }] },
      },
    ])
  })

  it('decides again where its answer could not be read', async () => {
    const found = await concluded({ decision: MISCALL, more: byModel() })
    expect(found.sends.goesOn).toMatchObject([{ content: { refused: [{ call: null, code: 'LLM_FAILED' }] } }])
  })

  it.each<[string, Partial<MomentOptions>]>([
    ['it was refused twice before', { more: byModel({ wake: { ...ASKED, refusals: LIMITS.refusalsMax } }) }],
    ['its steps are used up', { live: { continues: async () => LIMITS.stepsDefault } }],
    ['its chain is full', { live: { chain: async () => LIMITS.chainWakesMax } }],
    ['a script decides', { more: byModel({ cognition: { kind: 'scripted' } }) }],
    ['it was done outside', { more: { ...byModel(), hasEffect: true } }],
    ['its model gave no answer', { decision: { kind: 'failure', code: 'LLM_FAILED', message: 'model 500' } }],
    [
      'it was refused beside the gates',
      { more: { ...byModel(), refused: { beside: 'storage', code: 'FORBIDDEN', message: 'no' } } },
    ],
    ['its role needs code that is not there', { decision: MISCALL, more: { ...byModel(), missing: 'x:y' } }],
  ])('fails for good where %s, and its asker is told once', async (_, given) => {
    const found = await concluded({ worn: refusing, more: byModel(), ...given })
    expect(found.kind).toBe('failure')
    expect([
      found.sends.goesOn.length,
      found.sends.notices.filter(({ being }) => being === 'ann').length,
    ]).toEqual([0, 1])
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
