import { explain, type MomentView, see } from '@treeos/client'
import { canonicalJson, type Json, type JsonObject } from '@treeos/core'
import { readRows, refold } from '@treeos/store'
import { FOLD } from '@treeos/world'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSpace, doAs, groundOf, play, rowOf, setRole } from '../../support/life.ts'
import { drawn } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const ANY = [{ pattern: '*' }]
const everything = { canSee: ANY, canDo: ANY, canSummon: ANY, canBe: ANY, prompt: '' }

/** An inn of a landlord's, in a street of the operator's; every role there lists everything. */
describe('the substrate refuses what the target forbids even when can* lists it', () => {
  let rooms = 0

  const puppet = (name: string, role: string, home: string) =>
    world.birth({ name, cognition: 'scripted', script: 'stage:puppet', role, home })
  const bears = (maker: string, name: string, role: string) =>
    play(world, maker, {
      verb: 'be',
      operation: 'birth',
      args: { name, cognition: 'scripted', script: 'stage:puppet', role, home: '/street/inn' },
    })
  const rule = (action: string, value: Json) =>
    doAs(world, 'set-space', '/street/inn', { field: `permissions.do.${action}`, value })
  /** Who may make a room in the inn; everybody's lists say so. */
  const builds = (being: string): Promise<MomentView> => {
    rooms += 1
    const path = `/street/inn/room-${rooms}`
    return play(world, being, {
      verb: 'do',
      operation: 'create-space',
      target: '/street/inn',
      args: { path },
    })
  }
  const calls = (being: string, target: string) =>
    play(world, being, { verb: 'summon', target, content: { return: { kind: 'see', content: null } } })
  const explained = async (being: string, { n }: MomentView) => (await explain(world.db, being, n)).gates

  const world = useWorld({ extensions: [stage] })
  beforeAll(async () => {
    await createSpace(world, '/street')
    for (const name of ['landlord', 'guest', 'rogue']) await setRole(world, { name, ...everything })
    await puppet('lou', 'landlord', '/street')
    await doAs(world, 'set-space', '/street', {
      field: 'permissions.do.create-space',
      value: { requires: [{ role: 'landlord' }] },
    })
    expect(
      await play(world, 'lou', {
        verb: 'do',
        operation: 'create-space',
        target: '/street',
        args: { path: '/street/inn' },
      }),
    ).toMatchObject({ outcome: 'act' })
    await doAs(world, 'set-space', '/street', { field: 'permissions', value: null })
    await puppet('ann', 'guest', '/street/inn')
    await puppet('ben', 'guest', '/street')
    await puppet('rob', 'rogue', '/street/inn')
    await bears('ann', 'tot', 'guest')
    await bears('ben', 'imp', 'landlord') // with a role and a home that its maker has not
  })

  it.each(
    drawn<[string, Json, string, string]>([
      ['anyone', true, 'ben', ''],
      ['nobody', false, '', 'lou'],
      ['owner', { requires: ['owner'] }, 'lou', 'ann'],
      ['home', { requires: ['home'] }, 'ann', 'ben'],
      ['home, given on', { requires: ['home'] }, 'tot', 'imp'],
      ['role', { requires: [{ role: 'landlord' }] }, 'lou', 'rob'],
      ['role, given on', { requires: [{ role: 'landlord' }, { role: 'guest' }] }, 'tot', 'imp'],
      ['forbid a role', { requires: ['home'], forbid: [{ role: 'rogue' }] }, 'ann', 'rob'],
      ['forbid the operator nothing', { requires: ['anyone'], forbid: ['home'] }, 'ben', 'tot'],
    ]),
  )('%s: %j permits @%s and not @%s', async (_, value, permitted, refused) => {
    await rule('create-space', value)
    if (permitted !== '') {
      const built = await builds(permitted)
      expect(built).toMatchObject({ outcome: 'act' })
      expect(await explained(permitted, built)).toEqual({
        allowed: true,
        by: ['canDo: {"pattern":"*"}', '/street/inn permissions.do.create-space'],
      })
    }
    if (refused === '') return
    const moment = await builds(refused)
    expect(moment).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN', act: null })
    expect(await explained(refused, moment)).toEqual({
      allowed: false,
      by: ['/street/inn permissions.do.create-space'],
      reason: 'FORBIDDEN',
      message: expect.stringMatching(
        /^(not granted|forbidden) by \/street\/inn permissions\.do\.create-space: /,
      ),
    })
  })

  it('operator: what only it may, the owner may not', async () => {
    await rule('create-space', { requires: ['operator'] })
    expect(await builds('lou')).toMatchObject({
      reason: 'FORBIDDEN',
      message: 'not granted by /street/inn permissions.do.create-space: it takes operator, not @lou',
    })
    await createSpace(world, '/street/inn/office')
  })

  it('self, parent, ancestor: of the being that is meant', async () => {
    // The operator tells them to speak, so the rules must let the operator in.
    const may = (requires: Json) =>
      doAs(world, 'set-space', '/street/inn', {
        field: 'permissions.summon',
        value: { '@tot': { requires } },
        merge: false,
      })
    const outcomes = async () => {
      const all = []
      for (const being of ['tot', 'ann', 'ben']) all.push((await calls(being, '@tot')).outcome)
      return all
    }
    await may(['self', 'operator'])
    expect(await outcomes()).toEqual(['act', 'failure', 'failure'])
    await may(['parent', 'operator'])
    expect(await outcomes()).toEqual(['failure', 'act', 'failure'])
    await may(['ancestor'])
    expect(await outcomes()).toEqual(['failure', 'act', 'failure'])
    await doAs(world, 'set-space', '/street/inn', { field: 'permissions.summon', value: null })
  })

  it('contributor: whom the owner adds, for as long as it is there', async () => {
    await rule('create-space', null)
    expect(await builds('ben')).toMatchObject({
      message: 'not granted: do create-space needs owner or contributor or operator of the target',
    })
    const list = (operation: string, being: string, as: string) =>
      play(world, as, { verb: 'do', operation, target: '/street/inn', args: { being } })
    expect(await list('add-contributor', '@ben', 'ann')).toMatchObject({ reason: 'FORBIDDEN' })
    expect(await list('add-contributor', '@ben', 'lou')).toMatchObject({ outcome: 'act' })
    expect(await list('add-contributor', '@ben', 'lou')).toMatchObject({ reason: 'RESOURCE_CONFLICT' })
    expect(await list('add-contributor', '@nobody', 'lou')).toMatchObject({ reason: 'BEING_NOT_FOUND' })
    expect(await builds('ben')).toMatchObject({ outcome: 'act' })
    expect(await builds('imp')).toMatchObject({ reason: 'FORBIDDEN' })
    expect(await see(world, 'operator', '/street/inn')).toMatchObject({
      owner: '@lou',
      contributors: ['@ben'],
    })
    await rule('take', { requires: ['contributor'] })
    await doAs(world, 'create-matter', '/street/inn', { id: 'key' })
    await play(world, 'ben', { verb: 'do', operation: 'move', target: '/street/inn' })
    const takes = (being: string) =>
      play(world, being, { verb: 'do', operation: 'take', target: 'matter:key' })
    expect(await takes('ann')).toMatchObject({ reason: 'FORBIDDEN' })
    expect(await takes('ben')).toMatchObject({ outcome: 'act' })
    await doAs(world, 'remove-contributor', '/street/inn', { being: '@ben' })
    await expect(doAs(world, 'remove-contributor', '/street/inn', { being: '@ben' })).rejects.toMatchObject({
      code: 'RESOURCE_CONFLICT',
    })
    expect(await builds('ben')).toMatchObject({ reason: 'FORBIDDEN' })
  })

  it('a forbid of a space around is not lifted inside, not by the owner there; a permit not given is', async () => {
    const around = (value: Json) =>
      doAs(world, 'set-space', '/street', {
        field: 'permissions.do',
        value: { 'create-*': value },
        merge: false,
      })
    await rule('create-space', true)
    await around(false)
    expect(await builds('rob')).toMatchObject({ outcome: 'act' })
    await around({ forbid: [{ role: 'rogue' }, { role: 'landlord' }] })
    for (const [being, role] of [
      ['rob', 'rogue'],
      ['lou', 'landlord'],
    ] as const) {
      const moment = await builds(being)
      expect(moment).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
      expect(await explained(being, moment)).toEqual({
        allowed: false,
        by: ['/street permissions.do.create-*'],
        reason: 'FORBIDDEN',
        message: `forbidden by /street permissions.do.create-*: it forbids role ${role}, as @${being} is`,
      })
    }
    expect(await builds('ann')).toMatchObject({ outcome: 'act' })
    // The operator can always change the rules, and is bound by them until it does.
    await around({ forbid: ['anyone'] })
    await expect(createSpace(world, '/street/inn/loft')).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'forbidden by /street permissions.do.create-*: it forbids anyone, as @operator is',
    })
    await doAs(world, 'set-space', '/street', { field: 'permissions', value: null })
    await createSpace(world, '/street/inn/loft')
  })

  it('the lists refuse too, and it is shown which', async () => {
    await setRole(world, { name: 'clerk', canDo: ['move'], prompt: '' })
    await puppet('cleo', 'clerk', '/street/inn')
    await rule('create-space', true)
    const moment = await builds('cleo')
    expect(await explained('cleo', moment)).toEqual({
      allowed: false,
      by: ['canDo'],
      reason: 'FORBIDDEN',
      message: 'create-space is not in canDo (move)',
    })
  })

  it.each(
    drawn<[string, Json, string]>([
      ['permissions', 'open', 'permissions: "open" is not a set of rules'],
      ['permissions.speak', {}, 'permissions.speak: "speak" is not a verb'],
      [
        'permissions.do.take',
        { requires: ['ownr'] },
        'permissions.do.take.requires[0]: "ownr" is not a property',
      ],
      [
        'permissions.do',
        { put: { deny: ['anyone'] } },
        'permissions.do.put.deny: a rule has no field "deny"',
      ],
      ['permissions.do.take.forbid', 'rogue', 'permissions.do.take.forbid: "rogue" is not a list'],
    ]),
  )('a malformed rule is refused as it is written: %s %j', async (field, value, says) => {
    const before = await groundOf(world)
    await expect(doAs(world, 'set-space', '/street/inn', { field, value })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(says),
    })
    expect(await groundOf(world)).toEqual(before)
  })

  it('a space with contributors is a row that its reel gives back to the byte; all replays', async () => {
    const [row] = await readRows(world.db, world.reality.id, ['space:/street/inn'])
    const folded = await refold(world.db, 'space:/street/inn', FOLD)
    const state = folded.get('space:/street/inn')?.state as unknown as JsonObject
    expect(canonicalJson(state)).toBe(canonicalJson(row?.state ?? null))
    expect(await rowOf(world, 'imp')).toMatchObject({ parent: 'ben', defaultRole: 'landlord' })
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
