import type { FactDraft, Json, JsonObject, VerbCall } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { actingIn, TOUCH } from '../../test/gate-inputs.ts'
import {
  type Act,
  type ActInputs,
  type ConsentTerms,
  decideCall,
  ruleGate,
  whyNotAllowed,
  wonderingOf,
} from '../../test/inside.ts'
import { born, MemoryWorld, spaceMade } from '../../test/memory-world.ts'
import { TALLY_KEPT } from '../rows/tallies.ts'
import { requireRules } from './rules.ts'

const SURFACE = { canSee: [{ pattern: '*' }], canDo: [{ pattern: '*' }], canSummon: [], canBe: [] }
const ASKING = {
  stack: { primary: { name: 'clerk', digest: 'c' }, stacked: [] },
  wake: 'w',
} as unknown as ConsentTerms
const ANY = { requires: ['anyone'] }

/**
 * A world with a hall, where @bob made @cid and @dot, and @cid made @kid.
 * @param touch the rule of the hall for a touch
 */
function hall(touch: Json, more: JsonObject = {}): MemoryWorld {
  const world = new MemoryWorld()
  world.write('$reality', [
    spaceMade('/hall', 'operator', { do: { [TOUCH]: touch, ...more } }),
    spaceMade('/hall/nook', 'operator'),
    spaceMade('/hall/den', 'operator'),
    born('bob', 'operator', { cognition: { kind: 'human', script: null } }),
    born('cid', 'bob', { home: '/hall' }),
    born('dot', 'bob', { home: '/hall' }),
    born('kid', 'cid', { home: '/hall' }),
  ])
  return world
}

const touching = (args: JsonObject = {}, target = '/hall/nook', operation: string = TOUCH): VerbCall => ({
  verb: 'do',
  operation,
  target,
  args,
})
const acting = (world: MemoryWorld, who: string, at: number): ActInputs => ({
  ...actingIn(world, who, SURFACE),
  openedAt: at,
  caller: { name: who, role: null, cognition: who === 'bob' ? 'human' : 'scripted' },
  asking: {
    ...ASKING,
    approval: null,
    lease: null,
    caller: null,
    question: null,
    root: 'w',
    askedRole: null,
  },
})

/** Does it, where it is allowed. @returns the facts, or what refused it */
async function done(world: MemoryWorld, who: string, call: VerbCall = touching(), at = 0) {
  try {
    const act = await decideCall(call, acting(world, who, at))
    if (act.kind !== 'act') return act.kind
    world.write(who, act.facts, at)
    return 'done'
  } catch (error) {
    const { code, message, detail } = error as { code: string; message: string; detail: JsonObject }
    return { code, message, by: detail?.by }
  }
}

const times = async (count: number, act: () => Promise<unknown>) => {
  const all: unknown[] = []
  for (let i = 0; i < count; i++) all.push(await act())
  return all
}
const refusedBy = (by: string) => ({ code: 'FORBIDDEN', by: `/hall permissions.do.${TOUCH} ${by}` })

describe('a rule that counts', () => {
  it('allows at most so many acts, whoever does them, and names the count that refuses', async () => {
    const world = hall({ ...ANY, counts: [{ most: 3 }] })
    expect(await times(2, () => done(world, 'cid'))).toEqual(['done', 'done'])
    expect(await done(world, 'dot')).toBe('done')
    expect(await done(world, 'dot')).toEqual({
      ...refusedBy('counts[0]'),
      message: `not granted by /hall permissions.do.${TOUCH} counts[0]: do ${TOUCH} was done 3 times, and at most 3 is allowed`,
    })
  })

  it('counts for each target by itself', async () => {
    const world = hall({ ...ANY, counts: [{ most: 1, per: ['target'] }] })
    expect(await done(world, 'cid')).toBe('done')
    expect(await done(world, 'cid', touching({}, '/hall/den'))).toBe('done')
    expect(await done(world, 'dot')).toMatchObject(refusedBy('counts[0]'))
  })

  it('counts what a being made with the being, so that nobody gets more by making others', async () => {
    const world = hall({ ...ANY, counts: [{ most: 1, per: ['being'] }] })
    expect(await done(world, 'kid')).toBe('done')
    expect(await done(world, 'cid')).toMatchObject(refusedBy('counts[0]'))
    expect(await done(world, 'dot')).toBe('done')
    expect(await done(world, 'bob')).toBe('done') // a person counts for itself
  })

  it('counts all that a person made with the person, and what that made', async () => {
    const world = hall({ ...ANY, counts: [{ most: 1, per: ['person'] }] })
    world.write('$reality', [
      born('eve', 'bob', { cognition: { kind: 'human', script: null } }),
      born('imp', 'eve', { home: '/hall' }),
      born('odd', 'operator', { home: '/hall' }),
    ])
    expect(await done(world, 'imp')).toBe('done')
    for (const one of ['bob', 'cid', 'dot', 'kid'])
      expect(await done(world, one)).toMatchObject(refusedBy('counts[0]'))
    expect(await done(world, 'odd')).toBe('done')
    // Each of the two ways has a count of its own.
    const both = hall({
      ...ANY,
      counts: [
        { most: 1, per: ['being'] },
        { most: 2, per: ['person'] },
      ],
    })
    expect([await done(both, 'bob'), await done(both, 'cid')]).toEqual(['done', 'done'])
    expect(await done(both, 'dot')).toMatchObject(refusedBy('counts[1]'))
  })

  it('lets acts go that are older than its time', async () => {
    const world = hall({ ...ANY, counts: [{ most: 1, within: 60 }] })
    expect(await done(world, 'cid', touching(), 1000)).toBe('done')
    expect(await done(world, 'cid', touching(), 60_999)).toMatchObject(refusedBy('counts[0]'))
    expect(await done(world, 'cid', touching(), 61_000)).toBe('done')
  })

  it('sums an argument up to its bound, and takes nothing but numbers from 0 on', async () => {
    const world = hall({ ...ANY, counts: [{ sum: 'euros', most: 100 }] })
    const pays = (euros: Json) => done(world, 'cid', touching({ euros }))
    expect(await pays(60)).toBe('done')
    expect(await pays(40.5)).toMatchObject(refusedBy('counts[0]'))
    for (const odd of [-50, '5', null, [1]]) expect(await pays(odd)).toMatchObject(refusedBy('counts[0]'))
    expect(await done(world, 'cid', touching())).toMatchObject(refusedBy('counts[0]'))
    expect(await pays(40)).toBe('done')
    expect(await pays(0)).toBe('done')
    expect(await pays(1)).toMatchObject(refusedBy('counts[0]'))
  })

  it.each(['constructor', 'toString', 'valueOf'])('sums an argument that is called %s', async (name) => {
    const world = hall({ ...ANY, counts: [{ sum: name, most: 3 }] })
    const pays = (amount: number) => done(world, 'cid', touching({ [name]: amount }))
    expect(await times(3, () => pays(1))).toEqual(['done', 'done', 'done'])
    expect(await pays(1)).toMatchObject(refusedBy('counts[0]'))
  })

  it('bounds an argument of each act', async () => {
    const world = hall({ ...ANY, counts: [{ each: 'euros', most: 50 }] })
    expect(await done(world, 'cid', touching({ euros: 50 }))).toBe('done')
    expect(await done(world, 'cid', touching({ euros: 51 }))).toMatchObject(refusedBy('counts[0]'))
    expect([...world.rows.keys()].filter((key) => key.startsWith('tally:'))).toEqual([])
  })

  it('wants another act before, about the same target', async () => {
    const after = { after: { do: 'take' }, per: ['target'], within: 60 }
    const world = hall({ ...ANY, counts: [after] }, { 'create-space': ANY })
    const wanted = hall(
      { ...ANY, counts: [{ ...after, after: { do: 'create-space' } }] },
      { 'create-space': ANY },
    )
    expect(await done(world, 'cid')).toMatchObject(refusedBy('counts[0]'))
    const makes = (path: string) => touching({ path }, '/hall/nook', 'create-space')
    expect(await done(wanted, 'dot', makes('/hall/nook/a'), 1000)).toBe('done')
    expect(await done(wanted, 'cid', touching({}, '/hall/den'), 1000)).toMatchObject(refusedBy('counts[0]'))
    expect(await done(wanted, 'cid', touching(), 60_999)).toBe('done')
    expect(await done(wanted, 'cid', touching(), 61_000)).toMatchObject(refusedBy('counts[0]'))
  })

  it('takes no act for done whose moment failed, though it counts', async () => {
    const world = hall({ ...ANY, counts: [{ after: { do: 'take' } }, { sum: 'euros', most: 100 }] })
    const fact = (more: JsonObject): FactDraft => ({
      reel: more.reel as string,
      kind: 'tally:counted',
      payload: {
        amounts: { euros: 60, odd: 'x', minus: -9 },
        ...(more.failed === true ? { failed: true } : {}),
      },
    })
    world.write('cid', [fact({ reel: 'tally:/hall do.take', failed: true })])
    expect(await done(world, 'cid', touching({ euros: 1 }))).toMatchObject(refusedBy('counts[0]'))
    world.write('cid', [
      fact({ reel: 'tally:/hall do.take' }),
      fact({ reel: `tally:/hall do.${TOUCH}`, failed: true }),
    ])
    expect(await done(world, 'cid', touching({ euros: 41 }))).toMatchObject(refusedBy('counts[1]'))
    expect(await done(world, 'cid', touching({ euros: 40 }))).toBe('done')
    expect(world.rows.get(`tally:/hall do.${TOUCH}`)).toMatchObject({ sums: { euros: 100 } })
  })

  it('counts from every space around the target, and an inner one lifts nothing', async () => {
    const world = hall({ counts: [{ most: 1 }] })
    world.write('operator', [
      {
        reel: 'space:/hall/nook',
        kind: 'quality:set',
        payload: { path: ['permissions'], value: { do: { [TOUCH]: true } }, merge: false },
      },
    ])
    expect(await done(world, 'cid')).toBe('done')
    expect(await done(world, 'cid')).toMatchObject(refusedBy('counts[0]'))
  })

  it('asks only beyond its counts, and counts what is done either way', async () => {
    const ask = { who: ['@bob'], beyond: [{ sum: 'euros', most: 50 }] }
    const world = hall({ ...ANY, ask })
    expect(await done(world, 'cid', touching({ euros: 50 }))).toBe('done')
    expect(await done(world, 'cid', touching({ euros: 1 }))).toBe('waiting')
    expect(await done(world, 'bob', touching({ euros: 1 }))).toBe('done') // whom it asks says yes by doing it
    expect(world.rows.get(`tally:/hall do.${TOUCH}`)).toMatchObject({ total: 2, sums: { euros: 51 } })
  })

  it(`refuses beyond ${TALLY_KEPT} acts in its time, which are not told apart any more`, async () => {
    const world = hall({ ...ANY, counts: [{ sum: 'euros', most: 1e9, within: 60 }] })
    const fact: FactDraft = {
      reel: `tally:/hall do.${TOUCH}`,
      kind: 'tally:counted',
      payload: { amounts: { euros: 1 } },
    }
    world.write(
      'cid',
      Array.from({ length: TALLY_KEPT }, () => fact),
      1000,
    )
    expect(await done(world, 'cid', touching({ euros: 1 }), 1000)).toBe('done')
    expect(await done(world, 'cid', touching({ euros: 1 }), 1000)).toMatchObject(refusedBy('counts[0]'))
    expect(await done(world, 'cid', touching({ euros: 1 }), 61_001)).toBe('done')
  })

  it('refuses where an act cannot be counted', async () => {
    const world = hall({ ...ANY, counts: [{ most: 9 }] })
    const [actor, space] = [world.being('cid'), '/hall/nook']
    const question = { actor, verb: 'do', key: TOUCH, target: { being: null, space }, fallback: [] } as const
    expect(await ruleGate(world.reader(), question)).toMatchObject({ answer: 'not-granted', isCounted: true })
  })

  it('says which count would have to go', async () => {
    const world = hall({ ...ANY, counts: [{ most: 5 }, { each: 'euros', most: 1 }] })
    const at = acting(world, 'cid', 0)
    expect(await whyNotAllowed(touching({ euros: 2 }), wonderingOf(at, world.source))).toEqual({
      changes: [
        {
          path: `/hall permissions.do.${TOUCH}`,
          from: { ...ANY, counts: [{ most: 5 }, { each: 'euros', most: 1 }] },
          to: { ...ANY, counts: [{ most: 5 }] },
        },
      ],
    })
  })

  it('costs a place without counts nothing: no fact and no reel', async () => {
    const world = hall(ANY)
    const at = acting(world, 'cid', 0)
    const { facts } = (await decideCall(touching(), at)) as Act
    expect(facts).toEqual([])
    expect([...at.reader.heads.keys()].filter((reel) => reel.startsWith('tally:'))).toEqual([])
  })
})

it.each([
  [[], ''],
  ['x', ''],
  [[{}], '[0]'],
  [[{ most: 0 }], '[0].most'],
  [[{ most: TALLY_KEPT + 1 }], '[0].most'],
  [[{ most: 1, per: ['maker'] }], '[0].per'],
  [[{ most: 1, per: ['being', 'being'] }], '[0].per'],
  [[{ most: 1, within: 0 }], '[0].within'],
  [[{ most: 1 }, { sum: '__proto__', most: 1 }], '[1].sum'],
  [[{ sum: 'euros' }], '[0].most'],
  [[{ sum: 'euros', most: -1 }], '[0].most'],
  [[{ each: 'euros', most: 1, within: 5 }], '[0].within'],
  [[{ after: { see: '/hall' } }], '[0].after'],
  [[{ after: { do: 'a', be: 'b' } }], '[0].after'],
  [[{ after: { do: 'a' }, most: 2 }], '[0].most'],
] as [Json, string][])('%j is refused where it is written, at %s', (counts, at) => {
  const write = (rule: JsonObject) => () => requireRules(undefined, { do: { [TOUCH]: rule } })
  const where = (field: string) => `permissions.do.${TOUCH}.${field}${at}: `
  expect(write({ counts })).toThrow(where('counts'))
  expect(write({ ask: { who: ['operator'], beyond: counts } })).toThrow(where('ask.beyond'))
  expect(() => requireRules(undefined, { see: { '*': { counts: [{ most: 1 }] } } })).toThrow(
    'could be counted',
  )
})
