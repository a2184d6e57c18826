import { setTimeout as sleep } from 'node:timers/promises'
import { createBeats, newMemory, noopObserver } from '@treeos/activities'
import { ringBeing } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { fileBoundsIn, taskQueueOf } from '@treeos/core'
import { Schedules } from '@treeos/host'
import { SCHEDULE_WORKFLOW, scheduleId } from '@treeos/protocol'
import { defineExtension, silence } from '@treeos/sdk'
import { type InboxEntry, listOutcomes } from '@treeos/store'
import { describe, expect, it } from 'vitest'
import { doAs, momentOf, play, until, wakesOf } from '../../support/life.ts'
import { noOverlays } from '../../support/no-overlays.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

let release: () => void = () => undefined
const released = new Promise<void>((resolve) => {
  release = resolve
})
const stall = defineExtension({
  name: 'stall',
  version: '1.0.0',
  scripts: { 'stall:wait': () => released.then(() => silence) },
})

const world = useWorld({ extensions: [stage, stall] })

const birth = (name: string, more: JsonObject = {}) => world.birthPuppet(name, more)
const setSchedule = (being: string, name: string, everySeconds: number, more: JsonObject = {}) =>
  doAs(world, 'set-schedule', `@${being}`, { name, everySeconds, ...more })
const deleteSchedule = (being: string, name: string) => doAs(world, 'delete-schedule', `@${being}`, { name })
const ticksOf = async (being: string): Promise<InboxEntry[]> =>
  (await wakesOf(world, being)).filter(({ id }) => id.startsWith('schedule/'))
const ids = (being: string, name: string) => scheduleId(world.reality.name, being, name)
const described = (being: string, name: string) =>
  world.temporal.schedule.getHandle(ids(being, name)).describe()
const isThere = (being: string, name: string) =>
  described(being, name).then(
    () => true,
    () => false,
  )
const reconciler = () =>
  new Schedules({
    client: world.temporal,
    db: world.workerDb,
    reality: world.reality,
    taskQueue: taskQueueOf(world.reality.name),
    onError: (where, error) => void world.errors.push({ where, error }),
  })
/** Seconds between the time each wake was due and the next. */
const gaps = (ticks: readonly InboxEntry[]) =>
  ticks.slice(1).map((tick, i) => (dueAt(tick) - dueAt(ticks[i]!)) / 1000)
const dueAt = ({ id }: InboxEntry) => Date.parse(id.split('/')[3] ?? '')

describe('a schedule', () => {
  it('wakes a being at its interval, with what its author said, as the being itself', async () => {
    await birth('ringer')
    await setSchedule('ringer', 'bell', 2, { content: { toll: 1 } })
    const ticks = await until(async () => {
      const found = await ticksOf('ringer')
      return found.length >= 3 && found
    })
    expect(ticks[0]).toMatchObject({
      kind: 'event',
      caller: null,
      priority: 4,
      content: { event: 'schedule', actor: '@ringer', name: 'bell', content: { toll: 1 } },
    })
    expect(gaps(ticks)).toEqual(ticks.slice(1).map(() => 2))
    // None came before it was due, and none was queued with the next one.
    for (const [i, tick] of ticks.entries()) {
      expect(tick.at).toBeGreaterThanOrEqual(dueAt(tick))
      if (i > 0) expect(tick.at).toBeGreaterThan(ticks[i - 1]!.at)
    }
    expect(await momentOf(world, ticks[0]!.id)).toMatchObject({ outcome: 'see' })
    await deleteSchedule('ringer', 'bell')
  })

  it('leaves nothing in Temporal but names: what it says is in the row', async () => {
    await birth('keeper')
    await setSchedule('keeper', 'rounds', 3600, { content: 'a secret' })
    const { action, policies, spec } = await until(() => described('keeper', 'rounds').catch(() => null))
    expect(action).toMatchObject({
      workflowType: SCHEDULE_WORKFLOW,
      args: [{ being: 'keeper', name: 'rounds' }],
    })
    expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 3_600_000 })
    expect(JSON.stringify([action, spec])).not.toContain('secret')
  })

  it('is replaced by one of its name, and ended for good', async () => {
    await setSchedule('keeper', 'rounds', 60)
    await until(async () => (await described('keeper', 'rounds')).spec.intervals?.[0]?.every === 60_000)
    await deleteSchedule('keeper', 'rounds')
    await until(async () => !(await isThere('keeper', 'rounds')))
    await expect(deleteSchedule('keeper', 'rounds')).rejects.toThrow('@keeper has no schedule rounds')
  })

  it.each<[string, JsonObject, string]>([
    ['less than a second', { name: 'a', everySeconds: 0 }, 'whole seconds from 1'],
    ['half a second', { name: 'a', everySeconds: 1.5 }, 'whole seconds from 1'],
    ['a malformed name', { name: 'A b', everySeconds: 9 }, 'one kebab-case word'],
    [
      'an unknown priority',
      { name: 'a', everySeconds: 9, priority: 'now' },
      'human, interactive, background',
    ],
  ])('is refused with %s', async (_, args, why) => {
    await expect(doAs(world, 'set-schedule', '@keeper', args)).rejects.toThrow(why)
  })

  it('is refused for a person, and past the number one being may have', async () => {
    await world.birth({ name: 'ann', cognition: 'human', role: 'stage:free' })
    await expect(setSchedule('ann', 'tea', 60)).rejects.toThrow('nothing wakes a person')
    await birth('busy')
    for (let i = 0; i < 16; i++) await setSchedule('busy', `s-${i}`, 86_400)
    await expect(setSchedule('busy', 'one-more', 86_400)).rejects.toThrow('at most 16')
    for (let i = 0; i < 16; i++) await deleteSchedule('busy', `s-${i}`)
  })

  it('is set by the being itself, its makers and the operator, and by no other; never as a bare quality', async () => {
    await birth('own')
    await birth('other')
    const args: Json = { name: 'mine', everySeconds: 86_400 }
    const call = (target: string) => ({ verb: 'do', operation: 'set-schedule', target, args }) as const
    expect(await play(world, 'own', call('@own'))).toMatchObject({ outcome: 'act' })
    expect(await play(world, 'other', call('@own'))).toMatchObject({
      outcome: 'failure',
      reason: 'FORBIDDEN',
    })
    await expect(
      doAs(world, 'set-being', '@own', { field: 'schedule.forged', value: { everySeconds: 1 } }),
    ).rejects.toThrow('schedule is set with set-schedule')
  })
})

describe('missed ticks produce one wake', () => {
  it('after the worker was down for several of them', async () => {
    await birth('sleeper')
    await setSchedule('sleeper', 'tick', 2)
    await until(async () => (await ticksOf('sleeper')).length >= 1)
    await sleep(500) // the tick is over, for Temporal too
    await world.stopWorker()
    const before = (await ticksOf('sleeper')).length
    await sleep(9000)
    expect((await ticksOf('sleeper')).length).toBe(before)
    await world.startWorker()
    const back = Date.now()
    await until(async () => (await ticksOf('sleeper')).length >= before + 3)
    const after = (await ticksOf('sleeper')).slice(before)
    await deleteSchedule('sleeper', 'tick')
    const late = after.filter((tick) => dueAt(tick) < back - 2000)
    expect(late).toHaveLength(1)
    const [, first, second] = after
    expect(dueAt(second!) - dueAt(first!)).toBe(2000)
  }, 60_000)

  it('after the worker died with a tick under way, whose wake was lived already', async () => {
    await birth('lapsed')
    await setSchedule('lapsed', 'tick', 3600)
    const { workerDb: db, reality, registry } = world
    const [ring, reschedule, releaseAfter] = [() => undefined, () => undefined, () => undefined]
    const deps = {
      db,
      reality,
      registry,
      memory: newMemory(),
      model: null,
      connections: new Map(),
      signals: null,
      triesMax: 0,
      privateHosts: [],
      sandbox: null,
      fileBounds: fileBoundsIn({}),
      secret: () => null,
      overlays: noOverlays,
      ring,
      runs: async () => true,
      reschedule,
      releaseAfter,
      handOn: { worker: 'by hand', secondsMax: 0, release: () => undefined },
      observe: noopObserver,
    }
    const first = new Date(Date.now() - 5 * 3_600_000 - 60_000).toISOString()
    const tick = async () => {
      const { value } = await createBeats(deps).wakeScheduled({ being: 'lapsed', name: 'tick', at: first })
      return value.accepted
    }
    const bell = { reality: reality.name, taskQueue: taskQueueOf(reality.name) }
    const lived = async (many: number) => {
      await ringBeing(world.temporal, bell, 'lapsed')
      await until(async () => {
        const ticks = await ticksOf('lapsed')
        return ticks.length === many && ticks.every(({ closedBy }) => closedBy !== null)
      })
    }
    expect(await tick()).toBe(true)
    expect(await tick()).toBe(false)
    await lived(1)
    expect(await tick()).toBe(true)
    await lived(2)
    const [late, last] = await ticksOf('lapsed')
    expect(dueAt(last!) - dueAt(late!)).toBe(5 * 3_600_000)
    expect(await tick()).toBe(false)
    await deleteSchedule('lapsed', 'tick')
  }, 60_000)

  it('while the being is busy: a wake that waits takes later ticks with it', async () => {
    await birth('slow', { script: 'stall:wait' })
    await setSchedule('slow', 'tick', 1)
    await until(async () => (await ticksOf('slow')).length >= 2)
    await sleep(3500)
    expect((await ticksOf('slow')).map(({ claimedBy }) => claimedBy !== null)).toEqual([true, false])
    await deleteSchedule('slow', 'tick')
    release()
  }, 60_000)
})

describe('the reconciler', () => {
  it('makes what is missing, mends what differs and ends what is in no row, and then finds nothing to do', async () => {
    await birth('one')
    await setSchedule('one', 'kept', 3600)
    await setSchedule('one', 'lost', 3600)
    await until(async () => (await isThere('one', 'kept')) && (await isThere('one', 'lost')))
    await world.stopWorker()
    await world.temporal.schedule.getHandle(ids('one', 'lost')).delete()
    const kept = world.temporal.schedule.getHandle(ids('one', 'kept'))
    await kept.update(({ action, policies, state }) => ({
      action,
      policies,
      state,
      spec: { intervals: [{ every: 1_000_000 }] },
    }))
    await reconciler().sweep()
    await until(async () => {
      await reconciler().sweep()
      return (await described('one', 'kept')).spec.intervals?.[0]?.every === 3_600_000
    })
    expect(await isThere('one', 'lost')).toBe(true)
    await until(async () => (await reconciler().sweep()) === 0)
    await world.startWorker()
  }, 60_000)
})

it('every moment replays, and workflows of schedules are not taken for beings', async () => {
  for (const name of ['kept', 'lost']) await deleteSchedule('one', name)
  const beings = await until(async () => {
    const open = await Promise.all(['ringer', 'sleeper', 'slow'].map((name) => wakesOf(world, name)))
    return open.flat().every(({ closedBy }) => closedBy !== null) && open
  })
  expect(beings.length).toBe(3)
  expect((await listOutcomes(world.db, 'sleeper')).every(({ kind }) => kind === 'see')).toBe(true)
  expect(world.errors).toEqual([])
  await expectUnbroken(world)
  await expectReplays(world)
}, 60_000)
