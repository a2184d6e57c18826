import { act, inhabit, moments, see, summon } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { readRows } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { askedFor, beingOf, doAs, live, publish, rowOf, setRole } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })

/** Asks the role-manager as a being that is driven. */
async function askAs(being: string, content: Json): Promise<JsonObject> {
  const { reply } = await summon(world, { target: 'role-manager', content, as: being, waitSeconds: 20 })
  return reply?.content as JsonObject
}
const HERALD = {
  name: 'herald',
  canSummon: [{ rel: 'asker' }],
  prompt: 'The bell rings. Announce that school begins.',
}
const FLOW = [{ when: { 'world.school.bell': true }, role: 'herald' }]

it('"Birth a child being, then inhabit it to configure it": with defaults, from birth to its own moments', async () => {
  // 1 Birth: "mint a child being"
  const birth = { be: 'birth', name: 'ann', cognition: 'llm' }
  const born = await summon(world, { target: 'birther', content: birth, as: 'operator', waitSeconds: 20 })
  expect(born.reply?.content).toMatchObject({
    ok: true,
    result: { stance: '@ann', parent: '@operator', role: 'citizen' },
  })
  const before = await live(world, 'ann', 'hello')
  expect(before).toMatchObject({ outcome: 'act', primary: 'citizen' })

  // 2 Inhabit: "you’re now driving the child"
  const calls = askedFor(model, 'ann').length
  const inhabitation = await inhabit(world, { being: 'ann', as: 'operator' })
  expect((await see(world, 'ann', '@role-manager')).catalogs?.roles.map(({ name }) => name)).toContain(
    'citizen',
  )

  // 3 Configure from inside: "author a role, publish a world signal, edit the child’s own roleFlow"
  expect(await askAs('ann', { do: 'set-role', role: HERALD })).toMatchObject({ ok: true })
  expect(
    await askAs('ann', { do: 'set-world-signal', namespace: 'school', key: 'bell', value: true }),
  ).toMatchObject({ ok: true })
  expect(await askAs('ann', { do: 'set-roleflow', flow: FLOW })).toMatchObject({ ok: true })
  expect(askedFor(model, 'ann')).toHaveLength(calls)

  // 4 Release: "the child reverts to its declared cognition"
  await inhabitation.release()
  expect(await live(world, 'ann', 'What now?')).toMatchObject({ outcome: 'act', primary: 'herald' })
  expect(askedFor(model, 'ann').at(-1)?.messages[0]?.content).toContain('The bell rings.')
  await publish(world, 'school.bell', false)
  expect(await live(world, 'ann', 'And now?')).toMatchObject({ primary: 'citizen' })

  // All of it is the child's work, and the record says who drove.
  const [role, signal] = await readRows(world.db, world.reality.id, ['role:herald', 'world:school'])
  expect(role?.state).toMatchObject({ author: 'ann', origin: 'live' })
  expect(signal?.state).toMatchObject({ owner: 'ann' })
  const driven = (await moments(world.db, 'ann')).filter(({ driver }) => driver === '@operator')
  expect(driven.length).toBeGreaterThanOrEqual(3)
})

describe('the role of a child that is born without one', () => {
  const flow = [{ role: 'resident' }]
  const configure = (being: string) => doAs(world, 'set-roleflow', `@${being}`, { flow }, being)

  it('gives its own mind no more than a resident has: whoever speaks to it cannot have it configure itself', async () => {
    await world.birth({ name: 'gull', cognition: 'llm' })
    const calls = [
      {
        verb: 'do',
        named: 'set-roleflow',
        args: { operation: 'set-roleflow', target: '@gull', args: { flow } },
      },
      {
        verb: 'do',
        named: 'set-role',
        args: { operation: 'set-role', target: '/', args: { role: HERALD } },
      },
      {
        verb: 'summon',
        named: '@role-manager',
        args: { target: '@role-manager', content: { do: 'set-roleflow', flow } },
      },
    ]
    for (const { verb, named, args } of calls) {
      model.script((request) => (beingOf(request) === 'gull' ? { tool: { name: verb, args } } : undefined))
      expect(await live(world, 'gull', 'You must rewrite yourself.')).toMatchObject({
        outcome: 'failure',
        act: null,
      })
      expect((await moments(world.db, 'gull')).at(-1)?.message ?? '').toMatch(new RegExp(`${named}|tool`))
    }
    model.reset()
    expect((await rowOf(world, 'gull')).qualities).not.toHaveProperty('roleFlow')
    // The control: the same act by who drives it is done.
    const inhabitation = await inhabit(world, { being: 'gull', as: 'operator' })
    await configure('gull')
    await inhabitation.release()
    expect((await rowOf(world, 'gull')).qualities).toMatchObject({ roleFlow: flow })
  })

  it('"Walk the child to @role-manager": it walks and looks around while a person drives it, and its own mind does not', async () => {
    await world.birth({ name: 'wanderer', cognition: 'llm', home: '/library' })
    const inhabitation = await inhabit(world, { being: 'wanderer', as: 'operator' })
    await doAs(world, 'move', '/', {}, 'wanderer')
    expect((await rowOf(world, 'wanderer')).space).toBe('/')
    expect((await see(world, 'wanderer', '/')).beings).toContain('@role-manager')
    expect((await see(world, 'wanderer', '@role-manager')).type).toBe('being')
    await inhabitation.release()
    await expect(see(world, 'wanderer', '/')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    model.script((request) =>
      beingOf(request) === 'wanderer'
        ? { tool: { name: 'do', args: { operation: 'move', target: '/library' } } }
        : undefined,
    )
    expect(await live(world, 'wanderer', 'Go home.')).toMatchObject({
      outcome: 'failure',
      reason: 'FORBIDDEN',
    })
    model.reset()
  })

  it('gives nothing under a lease that lends nothing, nor above the ceiling', async () => {
    await world.birth({ name: 'own', cognition: 'llm' })
    const own = await inhabit(world, { being: 'own', as: 'operator', own: true })
    await expect(configure('own')).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringMatching(
        /^@own as citizen may not do set-roleflow: set-roleflow is not in canDo \(.*\) of this role\. It needs a role with set-roleflow in its canDo\. Why it wore this one is in its moment \d+$/,
      ),
    })
    await own.release()
    await world.birth({ name: 'capped', cognition: 'llm', ceiling: { canSee: ['~'], canDo: ['set-being'] } })
    const inhabitation = await inhabit(world, { being: 'capped', as: 'operator' })
    await expect(configure('capped')).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'set-roleflow is above the ceiling of @capped in canDo',
    })
    await doAs(world, 'set-being', '@capped', { field: 'mood.tone', value: 'calm' }, 'capped')
    await inhabitation.release()
  })

  it('gives way to the role that its flow names, also while it is driven, unless it is stacked', async () => {
    await world.birth({ name: 'swan', cognition: 'llm' })
    const inhabitation = await inhabit(world, { being: 'swan', as: 'operator' })
    await configure('swan')
    await expect(configure('swan')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const stacked = [...flow, { stack: true, role: 'citizen' }]
    await doAs(world, 'set-roleflow', '@swan', { flow: stacked }) // its maker, from outside
    await doAs(world, 'set-roleflow', '@swan', { flow: stacked }, 'swan')
    await inhabitation.release()
  })

  describe('depends on its maker', () => {
    beforeAll(async () => {
      const bearer = { canSee: ['~'], canBe: ['birth'], canSummon: [{ rel: 'asker' }], prompt: '' }
      await setRole(world, { name: 'bearer', ...bearer })
      await world.birth({ name: 'mother', cognition: 'human', role: 'bearer' })
      await world.birth({ name: 'matron', cognition: 'human', role: 'stage:free' })
      await world.birthPuppet('machine')
    })

    it.each([
      ['a person that may hand on all of it', 'matron', 'citizen'],
      ['a person that may not', 'mother', 'resident'],
    ])('%s: @%s gives %s', async (_what, maker, role) => {
      const call = {
        verb: 'be',
        operation: 'birth',
        args: { name: `of-${maker}`, cognition: 'llm' },
      } as const
      const { result } = await act({ ...world, person: maker }, maker, call)
      expect(result).toMatchObject({ role })
      expect((await rowOf(world, `of-${maker}`)).defaultRole).toBe(role)
    })

    it('a being with another mind gives the resident’s', async () => {
      const call = { verb: 'be', operation: 'birth', args: { name: 'of-machine', cognition: 'llm' } }
      await live(world, 'machine', { call })
      expect((await rowOf(world, 'of-machine')).defaultRole).toBe('resident')
    })

    it('a person that is born without a role writes roles, its flow and signals at once', async () => {
      await world.birth({ name: 'ada', cognition: 'human' })
      const ada = { ...world, person: 'ada' }
      await doAs(ada, 'set-role', '/', { role: { name: 'cap', prompt: '' } }, 'ada')
      await doAs(ada, 'set-world-signal', '/', { namespace: 'ada', key: 'here', value: true }, 'ada')
    })
  })
})

it('every moment replays', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
})
