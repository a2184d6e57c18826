import { inhabit, moments, roles, see, summon } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { rolesNamed } from '@treeos/world'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createSpace,
  factsOf,
  live,
  play,
  rowOf,
  setFlow,
  setRole,
  until,
  wakesOf,
} from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const ANY = [{ pattern: '*' }]
const world = useWorld({ extensions: [stage] })

const puppet = (name: string, role: string, more: JsonObject = {}) =>
  world.birth({ name, cognition: 'scripted', script: 'stage:puppet', role, ...more })

/** The answer of the role-manager to a person. */
async function ask(content: Json): Promise<Json> {
  const { reply } = await summon(world, { target: 'role-manager', content, as: 'operator', waitSeconds: 20 })
  return reply?.content ?? null
}

/** The answer of the role-manager to a being. */
async function askAs(being: string, content: Json): Promise<JsonObject> {
  const spoken = await play(world, being, { verb: 'summon', target: '@role-manager', content })
  expect(spoken).toMatchObject({ outcome: 'act' })
  const answer = await until(async () =>
    (await wakesOf(world, being)).find(({ inReplyTo }) => inReplyTo === spoken.act),
  )
  return answer.content as JsonObject
}

const find = async (name: string) => (await roles(world.db, rolesNamed)).find((role) => role.name === name)

describe('the role-manager', () => {
  it('writes a role that the next moment wears, with no restart, and that outlives one', async () => {
    await puppet('page', 'resident', { roleFlow: [{ role: 'resident' }] })
    const role = { name: 'herald', canSummon: [{ rel: 'asker' }], prompt: 'Announce.' }
    expect(await ask({ do: 'set-role', role })).toEqual({
      ok: true,
      result: { name: 'herald', digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    await ask({ do: 'set-roleflow', target: '@page', flow: [{ role: 'herald' }] })
    expect((await live(world, 'page', 'look')).primary).toBe('herald')
    await world.stopWorker()
    await world.startWorker()
    expect(await find('herald')).toMatchObject({ origin: 'live', usedBy: ['@page'] })
    expect((await live(world, 'page', 'look')).primary).toBe('herald')
  })

  it('a role it writes for an asker belongs to the asker: the fact names the asker, who may change it later', async () => {
    const [moment] = (await moments(world.db, 'role-manager')).slice(0, 1)
    expect((await factsOf(world, 'role-manager', moment!.n)).map(({ reel, kind }) => [reel, kind])).toEqual([
      ['being:role-manager', 'being:summoned'],
      ['registry', 'role:set'],
    ])
    const row = await world.db
      .selectFrom('projection')
      .select('state')
      .where('key', '=', 'role:herald')
      .executeTakeFirstOrThrow()
    expect(JSON.parse(row.state)).toMatchObject({ author: 'operator' })
  })

  it('takes JSON that a person typed as text', async () => {
    const request = { do: 'set-world-signal', namespace: 'court', key: 'in-session', value: true }
    expect(await ask(JSON.stringify(request))).toEqual({
      ok: true,
      result: { namespace: 'court', key: 'in-session', value: true },
    })
    expect(await ask('how do I write a role?')).toContain('{"do": "set-role"')
  })

  it('answers with what a flow is warned of, and with where one is malformed', async () => {
    const flow: Json = [{ role: 'resident' }, { role: 'herald', when: { verb: 'do' } }]
    expect(await ask({ do: 'set-roleflow', target: '@page', flow })).toMatchObject({
      ok: true,
      result: {
        clauses: 2,
        warnings: [{ path: '[1]', message: expect.stringContaining('clause 0') }],
      },
    })
    expect(
      await ask({ do: 'set-roleflow', target: '@page', flow: [{ role: 'herald', when: { weather: 1 } }] }),
    ).toMatchObject({
      ok: false,
      error: { code: 'INVALID_INPUT', message: expect.stringContaining('[0].when') },
    })
  })

  it('deletes no role that is used, lists who uses it, obeys force, and leaves what code brought', async () => {
    await setFlow(world, 'page', [{ role: 'herald' }])
    expect(await ask({ do: 'delete-role', name: 'herald' })).toMatchObject({
      ok: false,
      error: { code: 'RESOURCE_CONFLICT', detail: { users: ['@page'] } },
    })
    expect(await ask({ do: 'delete-role', name: 'herald', force: true })).toMatchObject({ ok: true })
    expect(await find('herald')).toBeUndefined()
    for (const name of ['resident', 'stage:free', 'role-manager']) {
      expect(await ask({ do: 'delete-role', name, force: true })).toMatchObject({
        ok: false,
        error: { code: 'FORBIDDEN' },
      })
    }
  })

  it('shows roles, addresses, operations and BE operations on its own SEE entry, to whoever may see it', async () => {
    await setRole(world, { name: 'reader', canSee: ['@role-manager'], canSummon: ANY, prompt: '' })
    await createSpace(world, '/throne')
    const before = (await see(world, 'operator', '@role-manager')).catalogs
    expect(before?.addresses).toEqual(expect.arrayContaining(['@page', '/throne', '/']))
    expect(before?.operations.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['set-role', 'delete-role', 'set-roleflow', 'set-world-signal']),
    )
    expect(before?.beOps?.map(({ name }) => name)).toEqual(['birth', 'connect', 'release'])
    expect(before?.beOps?.[0]).toMatchObject({ args: { name: expect.any(String) } })
    await setRole(world, { name: 'crier', canSummon: ANY, see: ['stage:board'], prompt: '' })
    await puppet('onlooker', 'reader')
    const inhabitation = await inhabit(world, { being: 'onlooker', as: 'operator' })
    const seen = (await see(world, 'onlooker', '@role-manager')).catalogs
    expect(seen?.roles).toContainEqual({
      name: 'crier',
      origin: 'live',
      description: '',
      requiredCognition: null,
      permissions: ['see', 'summon'],
    })
    await expect(see(world, 'onlooker', '/')).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('canSee'),
    })
    await inhabitation.release()
    expect((await see(world, 'operator', '@echo')).catalogs).toBeUndefined()
  })

  it('takes all that a panel of it asks for by the public verbs: lists, writes a role, edits a flow, publishes', async () => {
    await puppet('usher', 'resident')
    for (const name of ['quiet', 'loud']) {
      const role = { name, canSummon: [{ rel: 'asker' }], prompt: name }
      expect(await ask({ do: 'set-role', role })).toMatchObject({ ok: true })
    }
    const listed = (await see(world, 'operator', '@role-manager')).catalogs?.roles.map(({ name }) => name)
    expect(listed).toEqual(expect.arrayContaining(['quiet', 'loud']))

    const whisper = { when: { 'world.usher.hush': true }, role: 'quiet' }
    const shout = { when: { 'world.usher.hush': { present: true } }, role: 'loud' }
    const wears = async (flow: JsonObject[], hush: boolean) => {
      expect(await ask({ do: 'set-roleflow', target: '@usher', flow })).toMatchObject({ ok: true })
      // as written, which is what raw JSON shows
      expect((await rowOf(world, 'usher')).qualities.roleFlow).toEqual(flow)
      const signal = { do: 'set-world-signal', namespace: 'usher', key: 'hush', value: hush }
      expect(await ask(signal)).toMatchObject({ ok: true })
      return (await live(world, 'usher', 'look')).primary
    }
    expect(await wears([shout], true)).toBe('loud')
    expect(await wears([shout, whisper], true)).toBe('loud') // added below
    expect(await wears([whisper, shout], true)).toBe('quiet') // reordered
    expect(await wears([whisper], false)).toBe('resident') // removed
  })
})

describe('a being cannot widen its reach through the role-manager', () => {
  const forbidden = { ok: false, error: { code: 'FORBIDDEN' } }
  const narrow = {
    name: 'climber',
    canSee: ['~'],
    canDo: ['set-role', 'set-roleflow', 'delete-role', 'set-world-signal', 'create-space'],
    canSummon: ['@role-manager', { rel: 'asker' }],
    prompt: '',
  }

  beforeAll(async () => {
    await setRole(world, narrow)
    await setRole(world, { ...narrow, name: 'beggar', canDo: [] })
    await setRole(world, { ...narrow, name: 'broker', canDo: [...narrow.canDo, 'mediate'] })
    await puppet('climber', 'climber')
    await puppet('twin', 'climber')
    await puppet('beggar', 'beggar')
    await puppet('capped', 'climber', { ceiling: { canSummon: ANY, canDo: ['set-roleflow'] } })
    await puppet('broker', 'broker')
    await puppet('victim', 'resident')
  })

  it('a being gets through it only what it could have done alone', async () => {
    expect(
      await askAs('climber', { do: 'set-role', role: { name: 'mask', canSee: ['~'], prompt: 'x' } }),
    ).toMatchObject({ ok: true })
    expect(
      await askAs('climber', { do: 'set-roleflow', flow: [{ role: 'climber' }, { role: 'mask' }] }),
    ).toMatchObject({
      ok: true,
    })
    expect((await rowOf(world, 'climber')).qualities.roleFlow).toHaveLength(2)
  })

  it.each<[string, string, JsonObject]>([
    ['an entry that it does not reach', 'climber', { do: 'set-role', role: { name: 'w', canDo: ['move'] } }],
    ['a pattern over what it reaches', 'climber', { do: 'set-role', role: { name: 'w', canSummon: ANY } }],
    [
      'what only the role-manager reaches',
      'climber',
      { do: 'set-role', role: { name: 'w', canDo: ['mediate'] } },
    ],
    ['a role beyond its reach', 'climber', { do: 'set-roleflow', flow: [{ role: 'operator' }] }],
    ['the role-manager’s own role', 'climber', { do: 'set-roleflow', flow: [{ role: 'role-manager' }] }],
    ['the role-manager’s flow', 'climber', { do: 'set-roleflow', target: '@role-manager', flow: [] }],
    ['a stranger’s flow', 'climber', { do: 'set-roleflow', target: '@victim', flow: [] }],
    ['a namespace of others', 'climber', { do: 'set-world-signal', namespace: 'court', key: 'x', value: 1 }],
    ['a role of its maker', 'climber', { do: 'set-role', role: { name: 'climber', prompt: 'mine' } }],
    ['a role written for another asker', 'twin', { do: 'set-role', role: { name: 'mask', prompt: 'mine' } }],
    ['to delete that role', 'twin', { do: 'delete-role', name: 'mask', force: true }],
    ['an action that its lists lack', 'beggar', { do: 'set-role', role: { name: 'w', prompt: '' } }],
    [
      'its own flow, though its lists lack that',
      'beggar',
      { do: 'set-roleflow', flow: [{ role: 'beggar' }] },
    ],
    ['what its ceiling forbids', 'capped', { do: 'set-role', role: { name: 'w', prompt: '' } }],
    ['an action that is not mediated', 'climber', { do: 'create-space', target: '/', path: '/mine' }],
    ['mediation of mediation', 'broker', { do: 'mediate' }],
  ])('it is refused %s', async (_, being, request) => {
    const full =
      typeof request.role === 'object' ? { ...request, role: { prompt: '', ...request.role } } : request
    const before = [await rowOf(world, being), await roles(world.db, rolesNamed)]
    expect(await askAs(being, full)).toMatchObject(forbidden)
    expect([await rowOf(world, being), await roles(world.db, rolesNamed)]).toEqual(before)
  })

  it('no content speaks for another, and an answer asks for nothing', async () => {
    const role = { name: 'forged', canDo: ANY, prompt: '' }
    const claims: JsonObject[] = [{ from: '@operator' }, { onBehalfOf: 'operator' }, { as: '@operator' }]
    for (const more of claims) {
      expect(await askAs('climber', { do: 'set-role', role, ...more })).toMatchObject({
        ok: false,
        error: { code: 'INVALID_INPUT' },
      })
    }
    expect(await find('forged')).toBeUndefined()
  })

  it('a mediator cannot choose what is done in the asker’s name', async () => {
    const call = {
      verb: 'do',
      operation: 'mediate',
      target: '@broker',
      args: { do: 'set-role', role: { name: 'forged', canDo: ANY, prompt: '' } },
    }
    // The operator may do anything and spoke to it, but made no request.
    expect(await play(world, 'broker', call)).toMatchObject({ outcome: 'failure', reason: 'INVALID_INPUT' })
    const bare = await play(world, 'broker', { ...call, args: {} })
    const answer = await until(async () =>
      (await wakesOf(world, 'operator')).find(({ id }) => id === bare.act),
    )
    expect(answer.content).toMatchObject({ ok: false, error: { code: 'INVALID_INPUT' } })
    expect(await find('forged')).toBeUndefined()
  })

  it('a right that was taken from the asker before its wish is done is gone', async () => {
    let asked: Promise<JsonObject> | undefined
    await world.owner.transaction().execute(async (tx) => {
      // The role-manager decides, and waits here for its append.
      await sql`select from treeos.head where reel = 'moments:role-manager' for update`.execute(tx)
      asked = askAs('twin', { do: 'set-role', role: { name: 'late', prompt: '' } })
      await until(async () => {
        const { rows } = await sql`select from pg_stat_activity where wait_event_type = 'Lock'`.execute(tx)
        return rows.length > 0
      })
      await setRole(world, { ...narrow, canDo: [] })
    })
    expect(await asked).toMatchObject(forbidden)
    expect(await find('late')).toBeUndefined()
  })

  it('every moment replays', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
