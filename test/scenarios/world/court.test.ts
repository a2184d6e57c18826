import { approvals, explain, moments, plantScene, summon } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import court from '@treeos/court'
import { readerOf } from '@treeos/reality'
import { defineOperation, setQuality } from '@treeos/sdk'
import { describe, expect, it } from 'vitest'
import { createSpace, doAs, live, play, setFlow, until } from '../../support/life.ts'
import { drawn } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage, court] })

const disturbance = async () => (await readerOf(world).world('court'))?.values['recent-disturbance']
const last = async (being: string) => (await moments(world.db, being, 1))[0]

describe('the court', () => {
  it('is planted once, and sits', async () => {
    const lines: string[] = []
    expect(await plantScene(world, court, (line) => lines.push(line))).toBe(true)
    expect(lines).toEqual([1, 2, 3, 4].map((n) => `planting court: ${n} of 4`))
    expect(await plantScene(world, court)).toBe(false)
    // The signal wakes every being whose flow reads it, and makes one of them the judge.
    await until(async () => (await last('solomon'))?.primary === 'court:judge')
    expect(await last('bailiff')).toBeUndefined()
    await expect(doAs(world, 'court:convene', '/court', { case: 'again' })).resolves.toBeDefined()
  })

  it('a disturbance stacks on everyone inside, and the judge asks for silence', async () => {
    const role = 'court:watcher'
    await world.birth({
      name: 'visitor',
      cognition: 'scripted',
      script: 'stage:puppet',
      role,
      home: '/court',
    })
    const noise = { verb: 'do', operation: 'court:disturb', target: '/court', args: { noise: 'a cough' } }
    expect(await play(world, 'visitor', noise)).toMatchObject({ outcome: 'act' })
    expect(await disturbance()).toBe(true)
    for (const being of ['solomon', 'bailiff'])
      await until(async () => (await last(being))?.stacked.includes('court:startled'), {
        what: `${being} startled`,
      })
    expect(await live(world, 'solomon', 'the child is mine')).toMatchObject({
      outcome: 'act',
      primary: 'court:judge',
      stacked: ['court:startled'],
    })
    const { n } = (await last('solomon'))!
    expect((await explain(world.db, 'solomon', n)).surface.canDo).toEqual(['court:rule', 'court:hush'])
    // The call for silence ended it: for those inside, and for whoever reads the signal.
    expect(await disturbance()).toBeUndefined()
  })

  it('a being publishes in the namespace of the court only by a grant', async () => {
    await world.birthPuppet('crier', { home: '/court' })
    const call = {
      verb: 'do',
      operation: 'set-world-signal',
      target: '/',
      args: { namespace: 'court', key: 'recent-disturbance', value: true },
    }
    expect(await play(world, 'crier', call)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    await doAs(world, 'grant-namespace', '/', { namespace: 'court', being: '@crier' })
    expect(await play(world, 'crier', call)).toMatchObject({ outcome: 'act' })
    expect(await disturbance()).toBe(true)
    await doAs(world, 'revoke-namespace', '/', { namespace: 'court', being: '@crier' })
    expect(await play(world, 'crier', call)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
  })

  it('only the judge rules, once; then the court sits no more', async () => {
    const ruling = { verb: 'do', operation: 'court:rule', target: '/court', args: { ruling: 'mine' } }
    expect(await play(world, 'visitor', ruling)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    const { reply } = await summon(world, {
      target: 'solomon',
      content: 'give her the child',
      as: 'operator',
      waitSeconds: 20,
    })
    expect(reply).toEqual({ from: '@solomon', content: 'In the case of again: as operator says.' })
    const facts = await world.db
      .selectFrom('fact')
      .select('kind')
      .where('reel', '=', 'space:/court')
      .execute()
    expect(facts.filter(({ kind }) => kind === 'court:ruled')).toHaveLength(1)
    await until(async () => (await last('solomon'))?.primary === 'court:watcher')
    expect(await live(world, 'solomon', 'one more thing')).toMatchObject({ primary: 'court:watcher' })
  })

  it('whoever holds the actions of the court uses them inside a court room only', async () => {
    await createSpace(world, '/moot')
    const far = { path: '/other-court', type: 'court:room' }
    await doAs(world, 'create-space', '/', far)
    const does = (operation: string, target: string, args: JsonObject) =>
      play(world, 'visitor', { verb: 'do', operation, target, args })
    const disturbs = (target: string) => does('court:disturb', target, { noise: 'a shot' })
    expect(await disturbs('/other-court')).toMatchObject({
      reason: 'FORBIDDEN',
      message: 'court:disturb in /other-court is for beings inside; @visitor is in /court',
    })
    expect(await disturbs('/moot')).toMatchObject({
      reason: 'INVALID_TYPE',
      message: 'court:disturb takes a space of type court:room; /moot is of type room',
    })
    expect(await disturbs('/court')).toMatchObject({ outcome: 'act' }) // so the role holds it
    await expect(doAs(world, 'court:convene', '/moot', { case: 'x' })).rejects.toMatchObject({
      code: 'INVALID_TYPE',
    })
    await world.birth({
      name: 'roaming',
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'court:judge',
      home: '/',
    })
    const rules = (target: string) =>
      play(world, 'roaming', { verb: 'do', operation: 'court:rule', target, args: { ruling: 'mine' } })
    expect(await rules('/court')).toMatchObject({ reason: 'FORBIDDEN' })
    expect(await rules('/other-court')).toMatchObject({ reason: 'FORBIDDEN' })
    expect(await rules('/')).toMatchObject({ reason: 'INVALID_TYPE' })
  })

  it('a ruling to which somebody said no is not asked for again at once', async () => {
    const ask = { requires: ['anyone'], ask: { who: ['operator'] } }
    await doAs(world, 'set-space', '/court', { field: 'permissions.do', value: { 'court:rule': ask } })
    await doAs(world, 'court:convene', '/court', { case: 'the vineyard' })
    const asked = summon(world, { target: 'solomon', content: 'it is mine', as: 'operator', waitSeconds: 30 })
    const waiting = async () => (await approvals(world, 'operator')).map(({ id }) => id)
    const [id = ''] = await until(async () => ((await waiting()).length > 0 ? waiting() : null))
    await doAs(world, 'deny', '@operator', { id, why: 'too soon' })
    expect((await asked).reply?.content).toBe(
      'I may not rule in the case of the vineyard yet: nobody agreed to my ruling.',
    )
    expect(await waiting()).toEqual([])
  })

  it('replays identically', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})

describe('arguments of the wrong shape', () => {
  it.each(
    drawn<[string, JsonObject, RegExp]>([
      ['missing', {}, /court:convene: case is missing; it takes /],
      ['of another type', { case: 7 }, /case is 7: .*string/],
      ['empty', { case: '' }, /case is "": /],
      ['too long', { case: 'x'.repeat(201) }, /case is "x+.*200/],
    ]),
  )('%s: refused by name, and nothing is written', async (_what, args, message) => {
    await expect(doAs(world, 'court:convene', '/court', args)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(message),
    })
  })

  it('on a being: refused, for it takes a space', async () => {
    await expect(doAs(world, 'court:convene', '@solomon', { case: 'x' })).rejects.toMatchObject({
      code: 'INVALID_TYPE',
    })
  })

  it('in a space that is not theirs: refused to whoever did not make it', async () => {
    await world.birthPuppet('squatter')
    await setFlow(world, 'squatter', [])
    const call = { verb: 'do', operation: 'court:convene', target: '/moot', args: { case: 'mine' } }
    expect(await play(world, 'squatter', call)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
  })
})

describe('control: an operation of the court that does not check where it is used', () => {
  const disturb = defineOperation({
    name: 'court:disturb',
    description: 'Makes a noise anywhere.',
    on: 'space',
    allow: ['anyone'],
    decide: ({ target }) => ({ facts: [setQuality(target, 'court.disturbance', 'a shot')] }),
  })
  const open = useWorld({ extensions: [stage, { ...court, scene: [], operations: withOperation(disturb) }] })

  it('reaches a space where the actor is not', async () => {
    await createSpace(open, '/moot')
    await open.birth({
      name: 'visitor',
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'court:watcher',
    })
    const call = { verb: 'do', operation: 'court:disturb', target: '/moot', args: {} }
    expect(await play(open, 'visitor', call)).toMatchObject({ outcome: 'act' })
  })
})

function withOperation(changed: (typeof court.operations)[number]) {
  return court.operations.map((operation) => (operation.name === changed.name ? changed : operation))
}
