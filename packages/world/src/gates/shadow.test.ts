import type { FactDraft, Json, JsonObject, VerbCall } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { actingIn, TOUCH } from '../../test/gate-inputs.ts'
import { type Act, decideCall, type ShadowVerdict } from '../../test/inside.ts'
import { born, MemoryWorld, spaceMade } from '../../test/memory-world.ts'
import { requireRules } from './rules.ts'

const SURFACE = { canSee: [{ pattern: '*' }], canDo: [{ pattern: '*' }], canSummon: [], canBe: [] }
const CALL: VerbCall = { verb: 'do', operation: TOUCH, target: '/hall', args: { times: 1 } }
const ANY = { requires: ['anyone'] }

const set = (field: string, value: Json): FactDraft => ({
  reel: 'space:/hall',
  kind: 'quality:set',
  payload: { path: [field], value, merge: true },
})

function hall(rule: Json, shadow: Json): MemoryWorld {
  const world = new MemoryWorld()
  const beings = [born('bob', 'operator'), born('cid', 'bob'), born('dot', 'operator')]
  world.write('$reality', [spaceMade('/hall', 'dot'), ...beings])
  world.write('operator', [set('permissions', { do: { [TOUCH]: rule } }), set('shadow', shadow)])
  return world
}

async function askedOfBoth(world: MemoryWorld, isAsked = true) {
  const shadows: ShadowVerdict[] = []
  const reader = world.reader()
  const acting = { ...actingIn(world, 'cid', SURFACE), reader, ...(isAsked ? { shadows } : {}) }
  const act = await decideCall(CALL, acting).catch((error: unknown) => error as { code: string })
  if ('facts' in act) world.write('cid', act.facts)
  return { act, shadows, reader }
}

const touch = (rule: Json) => ({ do: { [TOUCH]: rule } })
const BY = `/hall shadow.do.${TOUCH}`

describe('a rule in the shadow of another', () => {
  it.each<[was: string, would: string, rule: Json, shadow: JsonObject, by: string]>([
    ['allowed', 'refused', ANY, touch({ forbid: ['anyone'] }), BY],
    ['refused', 'allowed', { forbid: ['anyone'] }, touch(ANY), BY],
    ['allowed', 'refused', ANY, touch({ requires: ['owner'] }), BY],
    ['allowed', 'ask', ANY, touch({ ...ANY, ask: { who: ['operator'] } }), BY],
    ['allowed', 'refused', ANY, touch({ ...ANY, counts: [{ each: 'times', most: 0 }] }), `${BY} counts[0]`],
    ['allowed', 'refused', ANY, { do: { 'carrier:*': { forbid: ['anyone'] } } }, '/hall shadow.do.carrier:*'],
  ])('of what is %s says that it would be %s', async (was, would, rule, shadow, by) => {
    const { act, shadows } = await askedOfBoth(hall(rule, shadow))
    expect(shadows).toEqual([{ verb: 'do', key: TOUCH, on: '/hall', was, would, by }])
    expect('code' in act ? 'refused' : 'allowed').toBe(was)
  })

  it.each<[string, Json, JsonObject]>([
    ['says the same', ANY, touch({ requires: ['home', 'anyone'] })],
    ['is about something else', ANY, { do: { 'carrier:other': { forbid: ['anyone'] } } }],
    ['refuses too', { requires: ['owner'] }, touch({ forbid: ['anyone'] })],
  ])('that %s says nothing', async (_, rule, shadow) => {
    expect((await askedOfBoth(hall(rule, shadow))).shadows).toEqual([])
  })

  it('that is malformed permits nobody, and fails nothing', async () => {
    const { act, shadows } = await askedOfBoth(hall(ANY, touch({ whatever: 1 })))
    expect(act).toMatchObject({ kind: 'act', by: expect.arrayContaining([`/hall permissions.do.${TOUCH}`]) })
    expect(shadows).toMatchObject([{ would: 'refused', by: BY }])
  })

  it('counts on reels of its own what is done', async () => {
    const counts: Json[] = [
      { most: 2, per: ['being'] },
      { sum: 'times', most: 9 },
    ]
    const world = hall({ ...ANY, counts: [{ most: 5 }] }, touch({ ...ANY, counts }))
    const facts = async () => ((await askedOfBoth(world)).act as Act).facts.map(({ reel }) => reel)
    const own = `tally:/hall do.${TOUCH}`
    const tallies = [`tally:/hall shadow.do.${TOUCH}`, `tally:/hall shadow.do.${TOUCH} by @bob`]
    expect(await facts()).toEqual([own, ...tallies])
    expect((await askedOfBoth(world)).shadows).toEqual([])
    expect((await askedOfBoth(world)).shadows).toMatchObject([{ by: `${BY} counts[0]` }])
    const { act, shadows } = await askedOfBoth(world, false)
    expect([shadows, (act as Act).facts.map(({ reel }) => reel)]).toEqual([[], [own]])
  })

  it('makes no act too large, however much it counts', async () => {
    const per = [[], ['being'], ['person'], ['target'], ['being', 'target'], ['person', 'target']]
    const counting = { ...ANY, counts: per.map((each) => ({ most: 1000, per: each })) }
    const patterns = Array.from(TOUCH, (_, i) => `${TOUCH.slice(0, i)}*`)
    const reelsOf = async (rule: Json, shadow: JsonObject) => (await askedOfBoth(hall(rule, shadow))).act
    const many = Object.fromEntries(patterns.map((name) => [name, counting]))
    expect(patterns.length * per.length).toBeGreaterThan(64)
    const act = (await reelsOf(ANY, { do: many })) as Act
    expect(act.facts).toHaveLength(8)
    expect(act.facts.every(({ reel }) => reel.startsWith('tally:/hall shadow.do.'))).toBe(true)
    const own = Object.fromEntries(patterns.map((name) => [name, counting])) as JsonObject
    const world = hall(ANY, {})
    world.write('operator', [set('permissions', { do: own })])
    expect((await askedOfBoth(world)).act).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' }) // control
  })

  it('reads what belongs to the basis, and does not mark the moment by it', async () => {
    const marked = async (rule: Json, shadow: JsonObject) => {
      const world = hall(rule, shadow)
      world.write('dot', [{ reel: 'being:dot', kind: 'origin:outside', payload: {} }])
      const { reader } = await askedOfBoth(world)
      return { isRead: reader.heads.has('being:dot'), isMarked: reader.hasOutside }
    }
    const owners = { requires: ['owner'] }
    expect(await marked(ANY, touch(owners))).toEqual({ isRead: true, isMarked: false })
    expect(await marked(owners, touch(ANY))).toEqual({ isRead: true, isMarked: true }) // control
  })

  it('is checked as it is set, and is none of looks', () => {
    const checked = (rules: Json) => () => requireRules(undefined, rules, 'shadow')
    expect(checked(touch(ANY))).not.toThrow()
    expect(checked(touch({ most: 1 }))).toThrow(`set-space: shadow.do.${TOUCH}.most`)
    expect(checked({ see: { '*': true } })).toThrow('set-space: shadow.see')
  })
})
