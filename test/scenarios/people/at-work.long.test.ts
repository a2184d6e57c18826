/** A being at work: its call is cancelled, or it is paused and resumed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { act, beings, cancel, inbox, inhabit, moments, see, summon } from '@treeos/client'
import { type BeingName, momentId } from '@treeos/core'
import { cancelCall, findOutcome, listUnclaimed } from '@treeos/store'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  askedFor,
  beingOf,
  doAs,
  expectRefused,
  live,
  momentOf,
  publish,
  rowOf,
  tell,
  until,
  wakesOf,
} from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model, shortMindMs: 500 })

beforeAll(async () => {
  await world.birth({ name: 'ann', cognition: 'human', role: 'stage:free' })
  await world.birth({ name: 'bob', cognition: 'human', role: 'stage:free' })
  for (const name of ['thinker', 'other']) await world.birth({ name, cognition: 'llm', role: 'resident' })
  await world.birthPuppet('puppet')
})
afterEach(() => model.reset())

const as = (person: BeingName) => ({ ...world, person })

describe('a call under way', () => {
  /** Lets the model of a being hang until the answer is let through. */
  function hanging(being: BeingName) {
    const gate = Promise.withResolvers<void>()
    model.script(async (request) => {
      if (beingOf(request) === being) await gate.promise
      return undefined
    })
    return gate
  }
  const asked = (being: BeingName, times = 1) => until(() => askedFor(model, being).length >= times)

  it('is cancelled by the first operator: its moment fails as CANCELLED, is not tried again, and the asker is told', async () => {
    const gate = hanging('thinker')
    const sent = await summon(as('ann'), { target: 'thinker', content: 'go', as: 'ann', waitSeconds: null })
    await asked('thinker')
    const cancelled = await cancel(world, { as: 'operator', being: 'thinker' })
    expect(cancelled).toMatchObject({ being: 'thinker', reason: 'CANCELLED' })
    const moment = await momentOf(world, sent.correlation, 10) // although the model never answers
    expect(moment).toMatchObject({ n: cancelled.n, outcome: 'failure', reason: 'CANCELLED', act: null })
    expect(
      await until(async () => (await inbox(as('ann'), 'ann')).find(({ notice }) => notice)),
    ).toMatchObject({
      content: { code: 'CANCELLED', actor: '@thinker', message: '@operator cancelled the call of its mind' },
    })
    gate.resolve()
    await sleep(1000)
    expect(askedFor(model, 'thinker')).toHaveLength(1)
    expect((await findOutcome(world.db, cancelled.moment))?.reason).toBe('CANCELLED')
    model.reset()
    expect(await live(world, 'thinker', 'and now?')).toMatchObject({ outcome: 'act' })
  })

  it('of a mind that is known to be slow, too, by whoever asked; the next call is not touched', async () => {
    const gate = hanging('thinker')
    const sent = await summon(as('ann'), { target: 'thinker', content: 'go', as: 'ann', waitSeconds: null })
    await asked('thinker')
    await cancel(as('ann'), { as: 'ann', being: 'thinker' })
    expect(await momentOf(world, sent.correlation, 10)).toMatchObject({ reason: 'CANCELLED' })
    const next = await tell(world, 'thinker', 'again')
    await asked('thinker', 2)
    gate.resolve()
    expect(await momentOf(world, next)).toMatchObject({ outcome: 'act' })
  })

  it('is cancelled by nobody else, and a stranger is told the same when no call is under way', async () => {
    const refused = () =>
      expectRefused(
        world,
        () => cancel(as('bob'), { as: 'bob', being: 'thinker' }),
        'FORBIDDEN',
        'not by @bob',
      )
    const began = performance.now()
    await refused()
    // it is refused at once, and not after the wait for a call
    expect(performance.now() - began).toBeLessThan(1_500)
    const gate = hanging('thinker')
    const sent = await summon(as('ann'), { target: 'thinker', content: 'go', as: 'ann', waitSeconds: null })
    await asked('thinker')
    await refused()
    await expect(cancel(as('bob'), { as: 'operator', being: 'thinker' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    gate.resolve()
    expect(await momentOf(world, sent.correlation)).toMatchObject({ outcome: 'act' })
  })

  it('that is over, or never was, is told so', async () => {
    const request = { as: 'operator', being: 'thinker' }
    await expect(cancel(world, request)).rejects.toMatchObject({ code: 'MOMENT_NOT_FOUND' })
    const { n } = await live(world, 'thinker', 'once more')
    const moment = momentId('thinker', 1, n)
    await expect(cancel(world, { ...request, moment })).rejects.toMatchObject({ code: 'RESOURCE_CONFLICT' })
    await expect(cancel(world, { ...request, moment: 'thinker/1/999' })).rejects.toMatchObject({
      code: 'MOMENT_NOT_FOUND',
    })
    expect(await cancelCall(world.db, moment, 'operator')).toBe('over')
  })

  it('goes on when its worker dies, and then ends as cancelled all the same', async () => {
    const gate = hanging('other')
    const wake = await tell(world, 'other', 'go')
    await asked('other')
    await sleep(700) // its open record is stored
    await cancel(world, { as: 'operator', being: 'other' })
    await world.stopWorker()
    await world.startWorker()
    expect(await momentOf(world, wake)).toMatchObject({ outcome: 'failure', reason: 'CANCELLED' })
    gate.resolve()
  })
})

describe('a paused being', () => {
  const pause = (being: BeingName) => doAs(world, 'pause-being', `@${being}`, {})
  const resume = (being: BeingName) => doAs(world, 'resume-being', `@${being}`, {})
  const waiting = async (being: BeingName) =>
    (await wakesOf(world, being)).filter(({ closedBy }) => closedBy === null)

  it('lives no moment while its inbox fills, and all of them once it is resumed', async () => {
    expect(await pause('puppet')).toMatchObject({ facts: [{ kind: 'being:paused' }] })
    const before = (await moments(world.db, 'puppet')).length
    const wakes = [await tell(world, 'puppet', 'one'), await tell(world, 'puppet', 'two')]
    await sleep(1500)
    expect(await moments(world.db, 'puppet')).toHaveLength(before)
    expect((await waiting('puppet')).map(({ id }) => id)).toEqual(wakes)
    expect(await listUnclaimed(world.db, 0, 10)).toEqual([]) // no sweep rings for it
    expect((await beings(world.db)).find(({ being }) => being === 'puppet')).toMatchObject({
      paused: expect.any(String),
    })
    expect((await see(world, 'operator', '@puppet')).identity).toMatchObject({ paused: expect.any(String) })
    const late = { target: 'puppet', content: 'three', as: 'operator', waitSeconds: 0.5 }
    await expect(summon(world, late)).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('it is paused until somebody resumes it'),
    })
    expect(await resume('puppet')).toMatchObject({ facts: [{ kind: 'being:resumed' }] })
    for (const wake of wakes) await momentOf(world, wake)
    expect((await rowOf(world, 'puppet')).paused).toBeUndefined()
  })

  it('is paused by its makers and the operator alone, once, and only if it lives by itself', async () => {
    await world.birth({ name: 'cleo', cognition: 'human' })
    const refused = (
      code: string,
      says: string,
      target: string,
      who = 'operator',
      operation = 'pause-being',
    ) =>
      expectRefused(world, () => act(as(who), who, { verb: 'do', operation, target, args: {} }), code, says)
    await refused(
      'FORBIDDEN',
      'not granted: do pause-being needs ancestor or operator of the target: only one of its makers or the operator may do this',
      '@puppet',
      'bob',
    )
    await refused('INVALID_TYPE', '@cleo is a person', '@cleo')
    await refused('FORBIDDEN', 'belongs to every reality', '@role-manager')
    await refused('RESOURCE_CONFLICT', '@puppet is not paused', '@puppet', 'operator', 'resume-being')
    await pause('puppet')
    await refused('RESOURCE_CONFLICT', '@puppet is paused already', '@puppet')
    await refused('FORBIDDEN', '', '@puppet', 'bob', 'resume-being')
    await resume('puppet')
  })

  it('may be driven: the driver acts by it, and after the release it still lives no moment of its own', async () => {
    await pause('puppet')
    const wake = await tell(world, 'puppet', 'for later')
    const held = await inhabit(world, { being: 'puppet', as: 'operator' })
    const done = await act(world, 'puppet', { verb: 'do', operation: 'move', target: '/library', args: {} })
    expect(done.facts.map(({ kind }) => kind)).toContain('being:moved')
    await held.release()
    await sleep(1000)
    expect((await waiting('puppet')).map(({ id }) => id)).toEqual([wake])
    await resume('puppet')
    await momentOf(world, wake)
  })

  it('misses its schedules, counts no silence, and hears of changes once, when it is resumed', async () => {
    await world.birth({
      name: 'sleeper',
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'stage:free',
      roleFlow: [{ when: { 'world.weather.now': { present: true } }, role: 'stage:free' }],
    })
    await doAs(world, 'set-being', '@sleeper', { field: 'wake.idle', value: 1 })
    await pause('sleeper')
    const lived = (await moments(world.db, 'sleeper')).length
    await publish(world, 'weather.now', 'rain')
    await publish(world, 'weather.now', 'sun')
    await sleep(2500) // its silence would have ended
    expect(await moments(world.db, 'sleeper')).toHaveLength(lived)
    const [change, ...more] = await waiting('sleeper')
    expect(more).toEqual([])
    expect(change).toMatchObject({ times: 2 })
    await resume('sleeper')
    await momentOf(world, change!.id)
    // Its silence is counted again from then on.
    await until(async () => (await wakesOf(world, 'sleeper')).some(({ id }) => id.startsWith('idle/')))
    await doAs(world, 'set-being', '@sleeper', { field: 'wake.idle', value: null })
  })
})

it('all of it replays, verifies, and rows folded again are the same', async () => {
  await expectReplays(world)
  await expectUnbroken(world)
})
