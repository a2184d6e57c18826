import { inhabit, see } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSpace, doAs, live, play, rowOf, setFlow, setRole } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replaying.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })
const SECRET: JsonObject[] = [
  { stack: true, when: { 'space.quality.vault.open': true }, role: 'stage:mode-0' },
]

beforeAll(async () => {
  for (const path of ['/vault', '/hall']) await createSpace(world, path)
  await doAs(world, 'set-space', '/vault', { field: 'vault.open', value: true })
  const walker = {
    canDo: ['move', 'set-roleflow'],
    canSummon: [{ rel: 'asker' }, '@role-manager'],
    prompt: '',
  }
  await setRole(world, { name: 'walker', ...walker, canSee: ['~', '/hall'] })
  await setRole(world, { name: 'blind', ...walker })
  for (const [name, role] of [
    ['walker', 'walker'],
    ['blind', 'blind'],
    ['guest', 'walker'],
  ])
    await world.birth({ name: name!, cognition: 'scripted', script: 'stage:puppet', role: role! })
  // Put where it cannot see, by its maker, which can.
  await world.birth({
    name: 'inmate',
    cognition: 'scripted',
    script: 'stage:puppet',
    role: 'blind',
    home: '/vault',
  })
})

const go = (to: string) => ({ verb: 'do', action: 'move', target: to }) as const
const own = (being: string, flow: JsonObject[] = SECRET, role = 'blind'): JsonObject => ({
  verb: 'do',
  action: 'set-roleflow',
  target: `@${being}`,
  args: { flow: [{ role }, ...flow.map((clause) => ({ ...clause, role }))] },
})

describe('a being learns nothing of a place that it cannot see by going there', () => {
  it('it is refused, by the place and the list that does not hold it', async () => {
    expect(await play(world, 'walker', go('/vault'))).toMatchObject({
      outcome: 'failure',
      reason: 'FORBIDDEN',
      message: '@walker cannot see /vault, so it may not go there: its canSee has to hold /vault',
      act: null,
    })
    expect((await rowOf(world, 'walker')).space).toBe('/')
  })

  it('the control: a place that it sees, and its home, let it in', async () => {
    expect(await play(world, 'walker', go('/hall'))).toMatchObject({ outcome: 'act' })
    expect(await play(world, 'walker', go('/'))).toMatchObject({ outcome: 'act' })
  })

  it('who drives it may take it where the driver sees, and with --own not even then', async () => {
    const own = await inhabit(world, { being: 'guest', as: 'operator', own: true })
    await expect(doAs(world, 'move', '/vault', {}, 'guest')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await own.release()
    const hands = await inhabit(world, { being: 'guest', as: 'operator' })
    await doAs(world, 'move', '/vault', {}, 'guest')
    await hands.release()
    expect((await rowOf(world, 'guest')).space).toBe('/vault')
  })

  it('a role that the moment does not wear gives no sight, and a ceiling takes it', async () => {
    await world.birth({
      name: 'capped',
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'walker',
      ceiling: { canSee: ['~'], canDo: ['move'], canSummon: [{ pattern: '*' }] },
    })
    expect(await play(world, 'capped', go('/hall'))).toMatchObject({ reason: 'FORBIDDEN' })
  })
})

describe('a being learns nothing of a place that it cannot see by looking at a being there', () => {
  it('SEE shows the being, and neither who else is there nor the spaces inside', async () => {
    await createSpace(world, '/vault/safe')
    for (const [name, canSee] of [
      ['spy', ['@inmate']],
      ['keeper', ['@inmate', '/vault']],
    ] as const) {
      await setRole(world, { name, canSee, prompt: '' })
      await world.birth({ name, cognition: 'human', role: name })
    }
    const seenBy = (name: string) => see({ ...world, person: name }, name, '@inmate')
    const inmate = { type: 'being', address: { path: '/vault', being: '@inmate' } }
    expect(await seenBy('spy')).toMatchObject({ ...inmate, beings: [], children: [] })
    // The controls: one who may see the place is shown it, until a rule of the place forbids that.
    const around = { beings: expect.arrayContaining(['@guest', '@inmate']), children: ['/vault/safe'] }
    expect(await seenBy('keeper')).toMatchObject({ ...inmate, ...around })
    const rules = { see: { '/vault': { forbid: [{ role: 'keeper' }] } } }
    await doAs(world, 'set-space', '/vault', { field: 'permissions', value: rules })
    expect(await seenBy('keeper')).toMatchObject({ ...inmate, beings: [], children: [] })
    await doAs(world, 'set-space', '/vault', { field: 'permissions', value: null })
  })
})

describe('a being learns nothing of a place that it cannot see by letting its flow test it', () => {
  it('it may not set a flow that reads the place where it is, by itself or through the role-manager', async () => {
    expect(await play(world, 'guest', own('guest'))).toMatchObject({
      outcome: 'failure',
      reason: 'FORBIDDEN',
      message:
        'the flow reads space.quality.vault.open, and @guest cannot see /vault, where @guest is: ' +
        'let somebody set it who can see /vault',
    })
    const { flow } = own('guest').args as JsonObject
    const content = { do: 'set-roleflow', flow: flow ?? null }
    await play(world, 'guest', { verb: 'summon', target: '@role-manager', content })
    expect((await rowOf(world, 'guest')).qualities).not.toHaveProperty('roleFlow')
  })

  it('nor one that reads its home, when it cannot see that', async () => {
    expect(await play(world, 'inmate', own('inmate'))).toMatchObject({ reason: 'FORBIDDEN' })
  })

  it('the controls: a flow that does not read the place, and one in a place that it sees, are set', async () => {
    const other = [{ stack: true, when: { 'world.vault.open': true }, role: 'blind' }]
    expect(await play(world, 'blind', own('blind', other))).toMatchObject({ outcome: 'act' })
    expect(await play(world, 'walker', own('walker', SECRET, 'walker'))).toMatchObject({ outcome: 'act' })
  })

  it('what its flow reads is for who may set it and sees the place: the being then wears what the place says', async () => {
    await setFlow(world, 'guest', [{ role: 'blind' }, ...SECRET])
    expect(await live(world, 'guest', 'look')).toMatchObject({ primary: 'blind', stacked: ['stage:mode-0'] })
  })
})

it('every moment replays', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
})
