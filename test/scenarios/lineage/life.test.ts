import { summon } from '@treeos/client'
import { type JsonObject, newWake, PRIORITIES } from '@treeos/core'
import { defineLineage } from '@treeos/lineage'
import { findEntry, findOpen, findOutcomeOfWake, listOutcomes } from '@treeos/store'
import { describe, expect, it } from 'vitest'
import { doAs, expectRefused, live, play, readFace, ring, rowOf, until, wakesOf } from '../../support/life.ts'
import { childrenOf, ROOMY } from '../../support/lineage.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'
import { putWake } from '../../support/wakes.ts'

const world = useWorld({ extensions: [stage, defineLineage(ROOMY)] })
const quick = useWorld({ extensions: [stage, defineLineage({ heartbeatSeconds: 2 })] })
const { puppet, use, profileOf, hasHeartbeat, factsOnReel } = childrenOf(world)

describe('the sleep of an analyst and of other children', () => {
  it('an analyst sleeps once it has reported: no heartbeat wakes it, and its next task does', async () => {
    await puppet('scout', { role: 'analyst' })
    await until(() => hasHeartbeat('scout'))
    const asked = { target: 'scout', as: 'operator', waitSeconds: 20 }
    const reply = {
      verb: 'do',
      operation: 'lineage:inbox-reply',
      target: '@scout',
      args: { content: 'sell' },
    }
    expect((await summon(world, { ...asked, content: { call: reply } })).reply?.content).toBe('sell')
    expect(await profileOf('scout')).toMatchObject({ asleep: true, state: 'healthy' })
    await until(async () => !(await hasHeartbeat('scout')), { what: 'the end of its heartbeat' })
    expect((await rowOf(world, 'scout')).qualities.schedule).toEqual({})
    await use('scout', 'log-thought', { thought: 'a new task' })
    expect(await profileOf('scout')).toMatchObject({ asleep: false })
    await until(() => hasHeartbeat('scout'), { what: 'its heartbeat' })
    expect(await factsOnReel('scout', 'lineage:slept')).toEqual([{ reported: '@operator' }])
  })

  it('its answer to an announcement is not sent, its result says so, and it sleeps', async () => {
    await puppet('hearer', { role: 'analyst' })
    const reply = {
      verb: 'do',
      operation: 'lineage:inbox-reply',
      target: '@hearer',
      args: { content: 'sell' },
    }
    const heard = { target: 'hearer', as: 'operator', waitSeconds: 20, content: { call: reply } }
    expect(await summon(world, { ...heard, expectReply: false })).toMatchObject({
      moment: { outcome: 'act' },
      reply: null,
    })
    expect(await profileOf('hearer')).toMatchObject({
      asleep: true,
      last: { result: { to: null, unsent: '@operator wants no answer, so none was sent' } },
    })
    expect(await factsOnReel('hearer', 'lineage:slept')).toEqual([{ reported: null }])
    expect((await wakesOf(world, 'operator')).filter(({ caller }) => caller?.name === 'hearer')).toEqual([])
    expect((await summon(world, heard)).reply?.content).toBe('sell') // a control
    expect(await profileOf('hearer')).toMatchObject({ last: { result: { to: '@operator' } } })
  })

  it('a heartbeat that waited as the analyst fell asleep opens no moment; a control: it does for one that is awake', async () => {
    for (const [name, role] of [
      ['dozer', 'analyst'],
      ['waker', 'guardian'],
    ] as const) {
      await puppet(name, { role })
      await use(name, 'inbox-reply', { content: 'done' })
      const id = `schedule/${name}/heartbeat/${new Date().toISOString()}`
      const late = newWake({
        id,
        being: name,
        kind: 'event',
        priority: PRIORITIES.background,
        content: 'late',
      })
      await putWake(world.owner, late)
      await ring(world, name)
      await until(async () => (await findEntry(world.db, id))?.closedBy)
      const ofHeartbeat = (await listOutcomes(world.db, name)).filter(({ wake }) => wake === id)
      expect([name, ofHeartbeat.length]).toEqual([name, role === 'analyst' ? 0 : 1])
    }
  })

  it('a child that only answers, or only beats, is healthy for its parent', async () => {
    await world.birthPuppet('brooder', { role: 'lineage:parent' })
    const call = (name: string) => ({
      verb: 'do',
      operation: 'lineage:spawn-child',
      target: '@brooder',
      args: { name, role: 'writer', script: 'stage:puppet' },
    })
    for (const name of ['speaker', 'beater', 'unborn']) await play(world, 'brooder', call(name))
    const answer = { verb: 'summon', target: '@operator', content: 'here' }
    const asked = { target: 'speaker', as: 'operator', waitSeconds: 20, content: { call: answer } }
    expect(await summon(world, asked)).toMatchObject({ moment: { outcome: 'act' } })
    const id = `schedule/beater/heartbeat/${new Date().toISOString()}`
    await putWake(
      world.owner,
      newWake({ id, being: 'beater', kind: 'event', priority: PRIORITIES.background, content: 'heartbeat' }),
    )
    await ring(world, 'beater')
    await until(async () => (await findEntry(world.db, id))?.closedBy)
    const { wake } = await live(world, 'brooder', 'look')
    const outcome = await findOutcomeOfWake(world.db, wake ?? '')
    const face = await readFace(world, (await findOpen(world.db, outcome?.moment ?? ''))?.record.face)
    expect(face?.views.find(({ name }) => name === 'children')?.view).toMatchObject([
      { child: '@beater', state: 'healthy' },
      { child: '@speaker', state: 'healthy' },
      { child: '@unborn', state: 'starting' },
    ])
    for (const name of ['speaker', 'unborn']) {
      const reason = 'a test'
      await play(world, 'brooder', {
        verb: 'do',
        operation: 'lineage:move-child',
        target: '@brooder',
        args: { child: `@${name}`, to: 'unhealthy', reason },
      })
      expect(await factsOnReel(name, 'lineage:moved')).toEqual([
        { from: 'starting', to: 'unhealthy', reason },
      ])
    }
  })

  it('a guardian and a writer do not sleep after a report', async () => {
    await puppet('warden', { role: 'guardian' })
    await use('warden', 'inbox-reply', { content: 'all is well' })
    expect(await profileOf('warden')).toMatchObject({ asleep: false })
    expect((await rowOf(world, 'warden')).qualities.schedule).toHaveProperty('heartbeat')
  })

  it('a guardian that fails starts again at once; an analyst only for a new task', async () => {
    const move = (child: string, to: string, more: JsonObject = {}) =>
      doAs(world, 'lineage:move-child', '@operator', { child: `@${child}`, to, reason: 'a test', ...more })
    await expectRefused(world, () => move('warden', 'failed'), 'RESOURCE_CONFLICT', 'is healthy')
    await move('warden', 'unhealthy')
    await move('warden', 'failed')
    expect(await profileOf('warden')).toMatchObject({ state: 'starting' })
    expect((await factsOnReel('warden', 'lineage:moved')).slice(-2)).toMatchObject([
      { from: 'unhealthy', to: 'failed' },
      { from: 'failed', to: 'starting' },
    ])
    expect((await wakesOf(world, 'warden')).at(-1)).toMatchObject({ content: { event: 'restarted' } })
    expect(await use('warden', 'log-thought', { thought: 'back' })).toMatchObject({ outcome: 'act' })

    await move('scout', 'unhealthy')
    await move('scout', 'failed')
    expect(await use('scout', 'log-thought', { thought: 'still here' })).toMatchObject({ outcome: 'skipped' })
    await expectRefused(world, () => move('scout', 'starting'), 'INVALID_INPUT', 'only for a task')
    await move('scout', 'starting', { task: 'look again' })
    expect(await use('scout', 'log-thought', { thought: 'again' })).toMatchObject({ outcome: 'act' })
    expect(await profileOf('scout')).toMatchObject({ state: 'healthy' })
    await move('scout', 'stopped')
    await move('scout', 'cleaned_up')
    expect((await rowOf(world, 'scout')).ended).toBeGreaterThan(0)
  })
})

describe('limits', () => {
  const raise = (name: string) =>
    doAs(quick, 'lineage:spawn-child', '@operator', { name, script: 'silent', role: 'writer' })
  const move = (child: string, to: string) =>
    doAs(quick, 'lineage:move-child', '@operator', { child, to, reason: 'a test' })

  it('a parent has at most four live children, and spawns at most four within 24 hours', async () => {
    for (const name of ['first', 'second', 'third', 'fourth']) await raise(name)
    await expectRefused(quick, () => raise('fifth'), 'RATE_LIMITED', 'has 4 live children')
    await move('third', 'failed')
    await expectRefused(quick, () => raise('fifth'), 'RATE_LIMITED', 'spawned 4 children within 24 hours')
  })
})

it('replays identically', async () => {
  expect(world.errors).toEqual([])
  await expectUnbroken(world)
  await expectReplays(world)
})
