import type { Json } from '@treeos/core'
import { parseRole } from '@treeos/roles'
import { describe, expect, it } from 'vitest'
import { actingIn } from '../../test/gate-inputs.ts'
import { decideCall, WorldReader } from '../../test/inside.ts'
import { born, MemoryWorld, spaceMade } from '../../test/memory-world.ts'

const LINE = 40

/**
 * A line of beings: each has two children, and the line goes on from one of them.
 * @param births that the standard budget allows
 */
function lineWith(births: number): MemoryWorld {
  const world = new MemoryWorld()
  const resident = parseRole({ name: 'resident', prompt: '' })
  const role = {
    name: 'resident',
    digest: world.keep(resident as never),
    origin: 'live',
    spec: resident as never,
  }
  world.write('operator', [
    { reel: 'registry', kind: 'role:set', payload: role },
    {
      reel: 'space:/',
      kind: 'quality:set',
      payload: { path: ['budget'], value: { scripted: { births, per: 'day', revision: 1 } }, merge: false },
    },
    ...Array.from({ length: LINE }, (_, i) => [
      born(`line-${i}`, i === 0 ? 'operator' : `line-${i - 1}`),
      born(`side-${i}`, `line-${i}`),
    ]).flat(),
  ])
  return world
}

/** The last of the line gives birth. @returns how many lists of children were read */
async function birth(world: MemoryWorld): Promise<number> {
  let lists = 0
  const keysOfChildren = (being: string) => {
    lists += 1
    return world.source.keysOfChildren(being)
  }
  const reader = new WorldReader({ ...world.source, keysOfChildren })
  const surface = { canSee: [], canDo: [], canSummon: [], canBe: ['birth'] }
  const args = { name: 'child', cognition: 'scripted', script: 'silent' }
  await decideCall(
    { verb: 'be', operation: 'birth', args },
    { ...actingIn(world, `line-${LINE - 1}`, surface), reader },
  )
  return lists
}

/** What the first of the line has made: the others of the line, and a child of each. */
const MADE = LINE - 1 + LINE

describe('the standard budget of births', () => {
  it('counts the offspring of every maker, and refuses the birth that would be one too many', async () => {
    await expect(birth(lineWith(MADE))).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining(`@line-0 and its offspring have made ${MADE} beings`),
    })
    await expect(birth(lineWith(MADE + 1))).resolves.toBeGreaterThan(0)
  })

  it('reads the children of each being once or twice, however long the line is', async () => {
    expect(await birth(lineWith(MADE + 1))).toBeLessThanOrEqual(2 * (MADE + 1))
  })
})

/** A rule of a space about moving there holds for a birth that has its home there. */
describe('the home of a birth', () => {
  const bear = (outside: Json, fromOutside: boolean) => {
    const world = lineWith(1000)
    world.write('operator', [
      spaceMade('/vault', 'operator', { do: { move: { requires: ['anyone'], outside } } }),
    ])
    const surface = { canSee: ['/vault'], canDo: [], canSummon: [], canBe: ['birth'] }
    const args = { name: 'child', cognition: 'scripted', script: 'silent', home: '/vault' }
    return decideCall(
      { verb: 'be', operation: 'birth', args },
      { ...actingIn(world, 'line-0', surface), fromOutside },
    )
  }

  it.each([['forbid'], [{ ask: { who: ['operator'] } }]])(
    'is refused in a moment with words from outside, where the rule says %j',
    async (outside) => {
      await expect(bear(outside, true)).rejects.toMatchObject({ code: 'FORBIDDEN' })
      await expect(bear(outside, false)).resolves.toMatchObject({ kind: 'act' })
    },
  )

  it.each<[rule: Json, code: string | null]>([
    [{ requires: ['anyone'] }, null], // control
    [{ requires: ['operator'] }, 'FORBIDDEN'],
    [{ forbid: ['self', { role: 'resident' }] }, 'FORBIDDEN'],
    [{ requires: ['anyone'], ask: { who: ['operator'] } }, 'FORBIDDEN'],
  ])('that is the home of its maker is under the rule %j, too', async (move, code) => {
    const world = lineWith(1000)
    const value = { do: { move } } as Json
    const payload = { path: ['permissions'], value, merge: false }
    world.write('operator', [{ reel: 'space:/', kind: 'quality:set', payload }])
    const surface = { canSee: [], canDo: [], canSummon: [], canBe: ['birth'] }
    const args = { name: 'child', cognition: 'scripted', script: 'silent' }
    const given = decideCall({ verb: 'be', operation: 'birth', args }, actingIn(world, 'line-0', surface))
    if (code === null) await expect(given).resolves.toMatchObject({ kind: 'act' })
    else await expect(given).rejects.toMatchObject({ code })
  })
})
