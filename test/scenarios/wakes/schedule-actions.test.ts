/** What a Schedule starts may have been made by a worker with another task queue, or another key. */

import { Client } from '@temporalio/client'
import { Schedules } from '@treeos/host'
import { scheduleId } from '@treeos/protocol'
import { expect, it } from 'vitest'
import { AesCodec, newAesKey } from '../../support/aes-codec.ts'
import { doAs, until } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })

const sweepWith = async (client: Client): Promise<number> => {
  const { db, reality } = world
  const problems: unknown[] = []
  const onError = (_: string, error: unknown) => void problems.push(error)
  const schedules = new Schedules({ client, db, reality, taskQueue: reality.taskQueue, onError })
  const corrected = await schedules.sweep()
  expect(problems).toEqual([])
  return corrected
}

it('a worker corrects once what starts in another task queue, as another type, or under a key that is gone', async () => {
  await world.birthPuppet('ticker')
  await doAs(world, 'set-schedule', '@ticker', { name: 'tea', everySeconds: 86_400, content: 'tea' })
  const id = scheduleId(world.reality.name, 'ticker', 'tea')
  const handle = world.temporal.schedule.getHandle(id)
  await until(() => handle.describe().then(Boolean, () => false))
  expect(await sweepWith(world.temporal)).toBe(0)

  for (const change of [{ taskQueue: 'another' }, { workflowType: 'scheduleWorkflow' }, { args: [] }]) {
    await handle.update((given) => ({ ...given, action: { ...given.action, ...change } }))
    expect(await sweepWith(world.temporal)).toBe(1)
    expect(await sweepWith(world.temporal)).toBe(0)
  }
  expect((await handle.describe()).action).toMatchObject({ taskQueue: world.reality.taskQueue })

  const { connection } = world.temporal
  const clientWith = (key: string) => {
    const codec = new AesCodec(new Map([[key, newAesKey()]]))
    return new Client({ connection, dataConverter: { payloadCodecs: [codec] } })
  }
  const [older, newer] = [clientWith('one'), clientWith('two')]
  await handle.pause('for a while')
  expect(await sweepWith(older)).toBe(1)
  expect(await sweepWith(newer)).toBe(1)
  // Temporal may show the Schedule of before for a moment, since it is made anew.
  await until(async () => (await sweepWith(newer)) === 0)
  const kept = await newer.schedule.getHandle(id).describe()
  expect(kept.state).toMatchObject({ paused: true, note: 'for a while' })
})
