/** Schedules by the calendar, as Temporal's own server says when they are due. */
import { taskQueueOf } from '@treeos/core'
import { Schedules } from '@treeos/host'
import { scheduleId } from '@treeos/protocol'
import { describe, expect, it } from 'vitest'
import { doAs, rowOf, until } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })

const reconciler = () =>
  new Schedules({
    client: world.temporal,
    db: world.workerDb,
    reality: world.reality,
    taskQueue: taskQueueOf(world.reality.name),
    onError: (where, error) => void world.errors.push({ where, error }),
  })

/** Gives a new being a schedule. @returns when it is due within a time, in ISO 8601 */
async function dueOf(being: string, args: object, from: string, to: string): Promise<string[]> {
  await world.birthPuppet(being)
  await doAs(world, 'set-schedule', `@${being}`, { name: 'round', ...args })
  const id = scheduleId(world.reality.name, being, 'round')
  await until(async () =>
    world.temporal.schedule
      .getHandle(id)
      .describe()
      .catch(() => null),
  )
  const second = (iso: string) => ({ seconds: (Date.parse(iso) / 1000) as never })
  const { startTime } = await world.temporal.workflowService.listScheduleMatchingTimes({
    namespace: world.temporal.options.namespace,
    scheduleId: id,
    startTime: second(from),
    endTime: second(to),
  })
  return startTime.map(({ seconds }) => new Date(Number(seconds) * 1000).toISOString().slice(0, 16))
}

describe('a schedule of the calendar', () => {
  it('is due at its times, on its days, in its zone', async () => {
    const args = { at: ['18:15', '09:30'], days: ['mon', 'fri'], zone: 'America/New_York' }
    const due = await dueOf('clerk', args, '2027-01-03T00:00:00Z', '2027-01-09T12:00:00Z')
    expect(due).toEqual(['2027-01-04T14:30', '2027-01-04T23:15', '2027-01-08T14:30', '2027-01-08T23:15'])
    expect((await rowOf(world, 'clerk')).qualities.schedule).toEqual({
      round: { ...args, priority: 'background' },
    })
  })

  it('keeps its hour of the day over the change of clocks; of what that repeats the second comes', async () => {
    const zone = 'Europe/Berlin'
    const spring = ['2027-03-27T12:00:00Z', '2027-03-29T12:00:00Z'] as const
    const autumn = ['2027-10-30T12:00:00Z', '2027-11-01T12:00:00Z'] as const
    expect(await dueOf('day-spring', { at: '09:00', zone }, ...spring)).toEqual([
      '2027-03-28T07:00',
      '2027-03-29T07:00',
    ])
    expect(await dueOf('day-autumn', { at: '09:00', zone }, ...autumn)).toEqual([
      '2027-10-31T08:00',
      '2027-11-01T08:00',
    ])
    // 02:30 does not exist on 28 March
    expect(await dueOf('night-spring', { at: '02:30', zone }, ...spring)).toEqual(['2027-03-29T00:30'])
    // 02:30 comes twice on 31 October: Temporal takes the second
    expect(await dueOf('night-autumn', { at: '02:30', zone }, ...autumn)).toEqual([
      '2027-10-31T01:30',
      '2027-11-01T01:30',
    ])
  })

  it('is in the zone of the reality where it names none, and nothing of it differs at the next comparison', async () => {
    const due = await dueOf(
      'plain',
      { at: '12:00', missed: 'skip' },
      '2027-01-03T00:00:00Z',
      '2027-01-04T00:00:00Z',
    )
    expect(due).toHaveLength(1)
    const { spec, policies } = await world.temporal.schedule
      .getHandle(scheduleId(world.reality.name, 'plain', 'round'))
      .describe()
    expect(spec.timezone).toBe(world.reality.timeZone)
    expect(policies.catchupWindow).toBe(10_000)
    expect(await reconciler().sweep()).toBe(0)
    await doAs(world, 'set-schedule', '@plain', { name: 'round', at: '13:00', days: ['sat', 'sun', 'mon'] })
    await until(async () => (await reconciler().sweep()) === 0)
  })

  it.each([
    [{}, /everySeconds is missing; it takes whole seconds, or at a time of the day/],
    [{ at: '25:00' }, /at is "25:00"; it takes a time of the day as in 09:30/],
    [{ at: '09:00', everySeconds: 5 }, /everySeconds is 5; it takes it only without at/],
    [{ everySeconds: 5, days: ['mon'] }, /days is .*; it takes it only beside at/],
    [{ at: '09:00', days: ['monday'] }, /days is .*; it takes a list of mon, tue/],
    [{ at: '09:00', zone: 'no zone' }, /zone is "no zone"; it takes a time zone as in Europe\/Berlin/],
    [{ at: '09:00', zone: 'Mars/Olympus' }, /zone is "Mars\/Olympus"; it takes a time zone/],
  ])('is refused by name with %j', async (args, message) => {
    await expect(
      doAs(world, 'set-schedule', '@echo', { name: 'round', ...args } as never),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringMatching(message) })
  })
})
