import { act, beings, inbox, inhabit, moments, see, summon } from '@treeos/client'
import { actWakeId, type BeingName, type JsonObject, newWake, PRIORITIES } from '@treeos/core'
import { beingWorkflowId } from '@treeos/protocol'
import { enqueue, findLease, findOutcomeOfWake } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  doAs,
  expectRefused,
  live,
  momentOf,
  play,
  publish,
  ring,
  rowOf,
  setRole,
  tell,
  until,
  wakesOf,
} from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'
import { putWake } from '../../support/wakes.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })

const puppet = (name: string, more: JsonObject = {}) => world.birthPuppet(name, more)
const end = (being: BeingName, as = 'operator') => doAs(world, 'end-being', `@${being}`, {}, as)
const runOf = (being: BeingName) =>
  world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, being)).describe()
const isClosed = (being: BeingName) =>
  until(async () => (await runOf(being)).status.name === 'COMPLETED', {
    what: `the workflow of ${being} closed`,
  })

describe('the end of a being', () => {
  it('closes its workflow, keeps its reel and its past, and its name stays taken', async () => {
    await puppet('elder')
    await live(world, 'elder', 'look')
    expect(await end('elder')).toMatchObject({
      result: { being: '@elder', ended: true },
      facts: [{ kind: 'being:ended' }, { kind: 'space:left' }],
    })
    await isClosed('elder')
    expect(await moments(world.db, 'elder')).toHaveLength(1)
    expect((await see(world, 'operator', '@elder')).identity).toMatchObject({ ended: expect.any(String) })
    expect((await see(world, 'operator', '/')).beings).not.toContain('@elder')
    expect((await beings(world.db)).find(({ being }) => being === 'elder')).toMatchObject({
      ended: expect.any(String),
    })
    await expectRefused(
      world,
      () => world.birth({ name: 'elder', cognition: 'llm' }),
      'RESOURCE_CONFLICT',
      '"elder" is taken',
    )
  })

  it('nothing is done to it any more, and nobody speaks to it', async () => {
    const refused = (run: () => Promise<unknown>) =>
      expectRefused(world, run, 'BEING_ENDED', '@elder was ended at')
    await refused(() => end('elder'))
    await refused(() => tell(world, 'elder', 'hello?'))
    await refused(() => doAs(world, 'set-being', '@elder', { field: 'mood.tone', value: 'sad' }))
    await refused(() => inhabit(world, { being: 'elder', as: 'operator' }))
    await refused(() => doAs(world, 'grant-namespace', '/', { namespace: 'a', being: '@elder' }))
    await refused(() => act({ ...world, person: 'elder' }, 'elder', { verb: 'see', address: '/' }))
  })

  it('its open wakes are answered: each asker gets the outcome, and an asker that is a being a notice', async () => {
    await puppet('busy')
    await puppet('asker')
    // It is driven, so its wakes wait.
    const inhabitation = await inhabit(world, { being: 'busy', as: 'operator' })
    const asked = tell(world, 'busy', 'are you there?')
    const waiting = summon(world, { target: 'busy', content: 'answer me', as: 'operator', waitSeconds: 30 })
    const answered = expect(waiting).rejects.toMatchObject({
      code: 'BEING_ENDED',
      message: '@busy was ended: it answers nobody any more',
    })
    const { act: correlation } = await play(world, 'asker', {
      verb: 'summon',
      target: '@busy',
      content: 'and me?',
    })
    await until(
      async () => (await wakesOf(world, 'busy')).filter(({ kind }) => kind === 'summon').length === 3,
    )
    await end('busy')
    await answered
    for (const wake of [await asked, correlation ?? ''])
      expect(await momentOf(world, wake)).toMatchObject({ outcome: 'skipped', reason: 'being-ended' })
    const notice = await until(async () =>
      (await wakesOf(world, 'asker')).find(({ content }) => (content as JsonObject).code === 'being-ended'),
    )
    expect(notice.content).toMatchObject({ event: 'skipped', actor: '@busy', correlation })
    await isClosed('busy')
    expect((await wakesOf(world, 'busy')).filter(({ closedBy }) => closedBy === null)).toEqual([])
    expect(await inhabitation.over).toBe('lost')
  })

  it('of a person: what waited for an answer is answered, and so is an act that was put in', async () => {
    await world.birth({ name: 'paula', cognition: 'human', role: 'stage:free' })
    const asked = await tell(world, 'paula', 'coming?')
    expect(await inbox(world, 'operator')).toBeDefined()
    await end('paula')
    expect(await momentOf(world, asked)).toMatchObject({ outcome: 'skipped', reason: 'being-ended' })
    await isClosed('paula')
    // An act that comes later is not taken in.
    const content = { call: { verb: 'do', operation: 'move', target: '/library', args: {} }, answers: null }
    const late = { being: 'paula', priority: PRIORITIES.human, content }
    await expect(
      enqueue(world.db, 'act', newWake({ ...late, id: actWakeId('late'), kind: 'act' })),
    ).rejects.toMatchObject({ code: '42501' })
    // An event that was on its way opens a moment that does nothing, and the workflow ends again.
    await putWake(world.owner, newWake({ ...late, id: 'unanswered/late', kind: 'event' }))
    await ring(world, 'paula')
    expect(await momentOf(world, 'unanswered/late')).toMatchObject({
      outcome: 'skipped',
      reason: 'being-ended',
      act: null,
    })
    await isClosed('paula')
    expect((await rowOf(world, 'paula')).space).toBe('/')
  })

  it('while its model thinks: what it then says is not done, and its asker is told', async () => {
    await world.birth({ name: 'thinker', cognition: 'llm', role: 'stage:free' })
    let answer: () => void = () => undefined
    const thinking = new Promise<void>((begun) => {
      model.script(async () => {
        begun()
        await new Promise<void>((done) => {
          answer = done
        })
        return { tool: { name: 'do', args: { operation: 'move', target: '/library', args: {} } } }
      })
    })
    const asked = await tell(world, 'thinker', 'go to the library')
    await thinking
    await end('thinker')
    answer()
    expect(await momentOf(world, asked)).toMatchObject({
      outcome: 'failure',
      reason: 'BEING_ENDED',
      act: null,
    })
    expect((await rowOf(world, 'thinker')).space).toBe('/')
    await isClosed('thinker')
    model.reset()
  })

  it('ends what would wake it: changes, silence, schedules; and the leases that it holds', async () => {
    await puppet('watcher', {
      roleFlow: [{ stack: true, when: { 'world.fire.lit': true }, role: 'stage:mode-0' }],
    })
    await doAs(world, 'set-schedule', '@watcher', { name: 'rounds', everySeconds: 1 })
    await doAs(world, 'set-being', '@watcher', { field: 'wake.idle', value: 1 })
    await world.birth({ name: 'holder', cognition: 'human', role: 'stage:free' })
    const ofHolder = { ...world, person: 'holder' }
    const args = { name: 'held', cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' }
    await act(ofHolder, 'holder', { verb: 'be', operation: 'birth', args })
    const inhabitation = await inhabit(ofHolder, { being: 'held', as: 'holder' })
    await end('watcher')
    await end('holder')
    await isClosed('watcher')
    const lived = (await moments(world.db, 'watcher')).length
    await publish(world, 'fire.lit', true)
    expect(
      await world.db.selectFrom('watch').select('path').where('being', '=', 'watcher').execute(),
    ).toEqual([])
    expect(await findLease(world.db, 'held')).toBeNull()
    expect(await inhabitation.over).toBe('lost')
    await until(async () => (await rowOf(world, 'held')).inhabited?.by === null, { what: 'held freed' })
    expect(await live(world, 'held', 'look')).toMatchObject({ outcome: 'see' }) // its children go on
    await isClosed('watcher')
    expect(
      (await moments(world.db, 'watcher')).slice(lived).every(({ outcome }) => outcome === 'skipped'),
    ).toBe(true)
  })

  it('what it held may be taken from where it was, by whoever may take it there', async () => {
    await puppet('porter')
    await doAs(world, 'create-matter', '/', { id: 'lantern' })
    await doAs(world, 'set-space', '/', { field: 'permissions.do.take', value: true })
    expect(
      await play(world, 'porter', { verb: 'do', operation: 'take', target: 'matter:lantern' }),
    ).toMatchObject({
      outcome: 'act',
    })
    await expect(doAs(world, 'take', 'matter:lantern', {})).rejects.toMatchObject({
      code: 'RESOURCE_CONFLICT',
    })
    await end('porter')
    await doAs(world, 'take', 'matter:lantern', {})
    expect((await see(world, 'operator', '@operator')).matters).toContain('matter:lantern')
    await doAs(world, 'set-space', '/', { field: 'permissions.do.take', value: null })
  })
})

describe('who may end whom', () => {
  beforeAll(async () => {
    await puppet('mother')
    await puppet('stranger')
    const args = { name: 'daughter', cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' }
    await play(world, 'mother', { verb: 'be', operation: 'birth', args })
    await play(world, 'daughter', {
      verb: 'be',
      operation: 'birth',
      args: { ...args, name: 'grandchild' },
    })
    await setRole(world, { name: 'meek', canSee: ['~'], prompt: '' })
    await puppet('meek', { role: 'meek' })
  })
  const ending = (being: string) => ({ verb: 'do', operation: 'end-being', target: `@${being}` })

  it.each([
    ['a stranger', 'stranger', 'daughter', /end-being needs ancestor or operator/],
    ['its child', 'daughter', 'mother', /end-being needs ancestor or operator/],
    ['itself', 'mother', 'mother', /end-being needs ancestor or operator/],
    ['the operator', 'mother', 'operator', /end-being needs ancestor or operator/],
    ['without the action in its lists', 'meek', 'meek', /end-being is not in canDo/],
  ])('not %s: @%s ends @%s is refused', async (_what, actor, being, says) => {
    expect(await play(world, actor, ending(being))).toMatchObject({
      outcome: 'failure',
      reason: 'FORBIDDEN',
      message: expect.stringMatching(says),
      act: null,
    })
    expect((await rowOf(world, being)).ended).toBeUndefined()
  })

  it('a maker, at any distance', async () => {
    expect(await play(world, 'mother', ending('grandchild'))).toMatchObject({ outcome: 'act' })
    expect(await play(world, 'mother', ending('daughter'))).toMatchObject({ outcome: 'act' })
  })

  it('a delegate does nothing any more that an ended being asked for', async () => {
    for (const name of ['parent', 'ended-parent']) await puppet(name)
    const inhabitation = await inhabit(world, { being: 'birther', as: 'operator' }) // its wakes wait
    for (const name of ['parent', 'ended-parent']) {
      const content = { be: 'birth', name: `of-${name}`, cognition: 'scripted', script: 'silent' }
      const call = { verb: 'summon', target: '@birther', content, expectReply: false }
      expect(await play(world, name, call)).toMatchObject({ outcome: 'act' })
    }
    await end('ended-parent')
    await inhabitation.release()
    const asked = async () =>
      (await wakesOf(world, 'birther')).filter(({ caller }) => caller?.name !== 'operator')
    const lived = await until(async () => {
      const wakes = await asked()
      return wakes.length === 2 && wakes.every(({ closedBy }) => closedBy !== null) && wakes
    })
    const results = await Promise.all(lived.map(({ id }) => findOutcomeOfWake(world.db, id)))
    expect(results.map((outcome) => outcome?.result)).toMatchObject([
      { being: 'of-parent' },
      { ok: false, error: { code: 'BEING_ENDED' } },
    ])
    const born = (await beings(world.db)).map(({ being }) => being)
    expect(born).toContain('of-parent') // the control
    expect(born).not.toContain('of-ended-parent')
  })

  it.each(['operator', 'birther', 'role-manager'])('nobody ends @%s', async (being) => {
    await expectRefused(world, () => end(being), 'FORBIDDEN', 'belongs to every reality')
  })
})

it('every moment replays', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
})
