import { explain, moments, see } from '@treeos/client'
import { endExtension } from '@treeos/reality'
import { defineExtension, defineOperation, defineRole, publishSignal, setQuality } from '@treeos/sdk'
import { readRows } from '@treeos/store'
import { buildRegistry, type RoleRow, seed, toolsFor } from '@treeos/world'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  doAs,
  expectRefused,
  live,
  momentOf,
  publish,
  rowOf,
  setRole,
  tell,
  until,
} from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const walking = defineRole({ name: 'trip:walker', prompt: 'You walk.' })
const trip = defineExtension({
  name: 'trip',
  version: '1.0.0',
  roles: [
    defineRole({ name: 'trip:guide', canDo: ['trip:go'], see: ['trip:map'], prompt: 'You guide.' }),
    walking,
  ],
  operations: [
    defineOperation({
      name: 'trip:go',
      description: 'Goes.',
      on: 'space',
      allow: ['anyone'],
      decide: ({ target }) => ({
        facts: [setQuality(target, 'trip.gone', true), publishSignal('trip.under-way', true)],
      }),
    }),
  ],
  see: { 'trip:map': ({ me }) => ({ here: me.space }) },
  scripts: {
    'trip:rest': () => ({ kind: 'see', content: 'resting' }),
    'trip:told': ({ moment, wake }) => ({
      kind: 'see',
      content: `${moment}, by ${wake.correlation}, of ${wake.root}`,
    }),
  },
  spaceTypes: { 'trip:camp': 'where one rests' },
  matterTypes: { 'trip:tent': 'what one rests in' },
  signals: { 'under-way': 'whether anybody walks' },
  schedules: { 'trip:daily': { everySeconds: 86_400, content: 'walk on' } },
  hooks: { 'trip:starts': { field: 'world.trip.under-way', scope: 'everywhere', equals: true } },
})

const world = useWorld({ extensions: [stage, trip], codeWaitSeconds: 0 }) // no worker will come with it
beforeAll(async () => {
  await world.birth({
    name: 'walker',
    cognition: 'scripted',
    script: 'trip:rest',
    role: 'trip:walker',
    roleFlow: [{ when: { 'world.trip.under-way': true }, role: 'trip:guide' }],
  })
  await world.birth({ name: 'bystander', cognition: 'scripted', script: 'echo', role: 'resident' })
})

const refused = (run: () => Promise<unknown>, code: string, says: string | RegExp) =>
  expectRefused(world, run, code, says)
const camp = async () =>
  (await readRows(world.db, world.reality.id, ['space:/camp', 'matter:tent', 'world:trip']))
    .sort((a, b) => (a.key < b.key ? -1 : 1)) // Postgres gives them in any order
    .map(({ state }) => state)
const rolesNow = async () => {
  const rows = await world.db
    .selectFrom('projection')
    .select('state')
    .where('key', 'like', 'role:%')
    .execute()
  return rows
    .map(({ state }) => JSON.parse(state) as RoleRow)
    .filter(({ deleted }) => !deleted)
    .map(({ name }) => name)
    .sort()
}

describe('the parts of an extension', () => {
  it('are roles, operations, types, signals, schedules and hooks, by one manifest', async () => {
    await doAs(world, 'create-space', '/', { path: '/camp', type: 'trip:camp' })
    await doAs(world, 'create-matter', '/camp', { id: 'tent', type: 'trip:tent' })
    await doAs(world, 'set-schedule', '@walker', { name: 'daily', preset: 'trip:daily', everySeconds: 3600 })
    await doAs(world, 'subscribe', '@walker', { name: 'starts', preset: 'trip:starts' })
    expect((await rowOf(world, 'walker')).qualities).toMatchObject({
      schedule: { daily: { everySeconds: 3600, content: 'walk on', priority: 'background' } },
      subscription: { starts: { field: 'world.trip.under-way', scope: 'everywhere', equals: [true] } },
    })
    await doAs(world, 'trip:go', '/camp', {})
    await until(async () => (await moments(world.db, 'walker', 1))[0]?.primary === 'trip:guide')
    expect((await explain(world.db, 'walker', 1)).surface.canDo).toEqual(['trip:go'])
  })

  it('what is made with it is seen by SEE, with its qualities, and brings no tool', async () => {
    await doAs(world, 'set-matter', 'matter:tent', { field: 'trip.pitched', value: true })
    expect(await see(world, 'operator', '/camp')).toMatchObject({
      type: 'trip:camp',
      matters: ['matter:tent'],
      qualities: { trip: { gone: true } },
    })
    expect(await see(world, 'operator', 'matter:tent')).toMatchObject({
      type: 'trip:tent',
      address: { path: '/camp' },
      qualities: { trip: { pitched: true } },
    })
    expect(await see(world, 'operator', '@walker')).toMatchObject({
      type: 'being',
      identity: { defaultRole: 'trip:walker' },
      qualities: { subscription: { starts: { field: 'world.trip.under-way' } } },
    })
    const all = { canSee: ['/camp'], canDo: ['trip:go'], canSummon: ['@walker'], canBe: ['birth'] }
    const tools = toolsFor({ surface: all }, { respondMode: 'async' }, world.registry)
    expect(tools.map((tool) => tool.function.name)).toEqual(['see', 'do', 'summon', 'be'])
    // A prompt shows the arguments of the actions in its reach, and of no others.
    const [, doing, , being] = tools.map((tool) => tool.function.description)
    expect(doing).toContain('trip:go')
    expect(doing).not.toContain('set-space')
    expect(being).toMatch(/^birth: .* Args: name, cognition, /m) // the schema of the tool has their words
  })

  it.each([
    [
      'a type of space',
      'create-space',
      '/',
      { path: '/inn', type: 'trip:inn' },
      'INVALID_TYPE',
      /there is trip:camp/,
    ],
    [
      'a type of thing',
      'create-matter',
      '/camp',
      { id: 'bed', type: 'trip:bed' },
      'INVALID_TYPE',
      /there is trip:tent/,
    ],
    [
      'a schedule',
      'set-schedule',
      '@walker',
      { name: 'x', preset: 'trip:hourly' },
      'INVALID_INPUT',
      /trip:daily/,
    ],
    ['a hook', 'subscribe', '@walker', { name: 'x', preset: 'trip:ends' }, 'INVALID_INPUT', /trip:starts/],
    ['a malformed hook', 'subscribe', '@walker', { name: 'x', preset: 7 }, 'INVALID_INPUT', /preset is 7/],
    ['a malformed type', 'create-space', '/', { path: '/inn', type: 'An Inn' }, 'INVALID_INPUT', /"An Inn"/],
  ])('%s that it does not bring is refused by name', async (_what, action, target, args, code, says) => {
    await refused(() => doAs(world, action, target, args), code, says)
  })

  it('a script gets its moment, and the wake that its chain began with', async () => {
    const scripts = { told: 'trip:told', between: 'stage:puppet' }
    for (const [name, script] of Object.entries(scripts))
      await world.birth({ name, cognition: 'scripted', script, role: 'stage:free' })
    const root = await tell(world, 'between', { call: { verb: 'summon', target: '@told', content: 'well?' } })
    expect((await momentOf(world, 'between/1/1')).content).toBe(`told/1/1, by between/1/1, of ${root}`)
    const own = await tell(world, 'told', 'well?')
    expect((await momentOf(world, own)).content).toBe(`told/1/2, by ${own}, of ${own}`)
  })

  it('are gone with it, and nothing else is', async () => {
    await setRole(world, { name: 'keeper', canSee: ['~'], prompt: 'You keep.' })
    const before = await rolesNow()
    expect(before).toEqual(expect.arrayContaining(['keeper', 'stage:free', 'trip:guide', 'trip:walker']))
    const lasting = await camp()
    await world.stopWorker()
    await world.startWorker([stage])
    await refused(() => doAs(world, 'trip:go', '/camp', {}), 'ACTION_NOT_SUPPORTED', '"trip:go"')
    await refused(
      () => doAs(world, 'create-space', '/', { path: '/camp2', type: 'trip:camp' }),
      'INVALID_TYPE',
      'there is none',
    )
    expect(await live(world, 'bystander', 'still here?')).toMatchObject({ outcome: 'act' })
    expect(await camp()).toEqual(lasting) // things made with it belong to the world
    // another worker may have loaded it: a worker ends the roles of its own extensions only
    expect(await rolesNow()).toEqual(before)
  })

  it('leave a being that still wears one with a reason by name', async () => {
    expect(await live(world, 'walker', 'go on')).toMatchObject({
      outcome: 'failure',
      reason: 'ROLE_UNAVAILABLE',
      primary: 'trip:guide',
      message: 'role trip:guide needs code that is not loaded in this worker: was its extension removed?',
      act: null,
    })
  })

  it('end for good when somebody says so: exactly its roles', async () => {
    const at = { ...world, db: world.owner, registry: buildRegistry([seed, stage]) } // as its command does
    await expect(endExtension(at, 'stage')).rejects.toMatchObject({ code: 'RESOURCE_CONFLICT' })
    for (const name of ['nobody', 'live'])
      await expect(endExtension(at, name)).rejects.toMatchObject({ code: 'EXTENSION_NOT_FOUND' })
    const before = await rolesNow()
    expect(await endExtension(at, 'trip')).toEqual(['trip:guide', 'trip:walker'])
    expect(await rolesNow()).toEqual(before.filter((name) => !name.startsWith('trip:')))
    await refused(
      () => doAs(world, 'set-roleflow', '@bystander', { flow: [{ role: 'trip:walker' }] }),
      'ROLE_UNAVAILABLE',
      'trip:walker',
    )
    expect(await live(world, 'walker', 'go on')).toMatchObject({
      outcome: 'skipped',
      reason: 'role-unavailable',
      message: 'the flow names trip:guide, trip:walker, which is not registered: was its extension removed?',
    })
  })

  it('end one by one when a new version brings them no more', async () => {
    const next = defineExtension({ name: 'trip', version: '2.0.0', roles: [walking] })
    await world.stopWorker()
    await world.startWorker([stage, next])
    await until(async () => (await rolesNow()).includes('trip:walker'), { what: 'the role it still brings' })
    expect(await rolesNow()).not.toContain('trip:guide')
    await live(world, 'bystander', 'here?')
    await world.stopWorker()
    await world.startWorker()
    await until(async () => (await rolesNow()).includes('trip:guide'), { what: 'its roles' })
    await live(world, 'bystander', 'here?') // a worker cannot be stopped before it has started
    await world.stopWorker()
    await world.startWorker([stage, next])
    await until(async () => !(await rolesNow()).includes('trip:guide'), { what: 'the end of one' })
    expect(await rolesNow()).toContain('trip:walker')
    await live(world, 'bystander', 'here?')
  })

  it('are back with it', async () => {
    await world.stopWorker()
    await world.startWorker()
    await until(async () => (await rolesNow()).includes('trip:guide'), { what: 'its roles' })
    expect(await live(world, 'walker', 'go on')).toMatchObject({ outcome: 'see', primary: 'trip:guide' })
    await publish(world, 'stage-left.x', 1)
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
