import { Client, Connection as TemporalConnection } from '@temporalio/client'
import { act } from '@treeos/client'
import { actWakeId, type JsonObject, newWake, PRIORITIES } from '@treeos/core'
import { enqueue, findEntry } from '@treeos/store'
import { describe, expect, it } from 'vitest'
import { live, momentOf, ring, rowOf } from '../../support/life.ts'
import { expectReplays, expectUnbroken } from '../../support/replaying.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld()

describe('an act that is refused because a service is away', () => {
  const payload = (name: string) => ({ name, cognition: 'scripted', script: 'echo' })
  const birth = (name: string) => ({ verb: 'be', operation: 'birth', payload: payload(name) }) as const

  /** A client whose Temporal is away, while everything else is there. */
  async function whileAway<T>(run: (away: typeof world) => Promise<T>): Promise<T> {
    // Without the SDK's retries, which would ask for 20 s and change nothing here.
    const connection = TemporalConnection.lazy({
      address: '127.0.0.1:1',
      connectTimeout: 500,
      interceptors: [],
    })
    try {
      return await run({ ...world, temporal: new Client({ connection }) })
    } finally {
      await connection.close()
    }
  }
  const errorOf = (doing: Promise<unknown>) =>
    doing.then(
      () => null,
      (error: unknown) => error as { detail: { act: string; withdrawn: boolean } },
    )

  it('is taken back and told so: it is not done when the service is there again', async () => {
    await live(world, 'echo', 'hello') // the worker runs
    await world.stopWorker()
    const failed = await whileAway((away) => errorOf(act(away, 'operator', birth('ghost'))))
    expect(failed).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('the act was taken back, and will not be done'),
      detail: { withdrawn: true },
    })
    await world.startWorker()
    await world.birth(payload('after')) // rings the same being
    expect(await rowOf(world, 'ghost')).toBeNull()
    expect(await findEntry(world.db, failed?.detail.act ?? '')).toMatchObject({ closedBy: 'withdrawn' })
    // The control: the same row, not taken back, is done at the next ring.
    const content = { call: birth('spectre') as unknown as JsonObject, answers: null }
    const late = newWake({
      id: actWakeId('spectre'),
      being: 'operator',
      kind: 'act',
      priority: PRIORITIES.human,
      content,
    })
    await enqueue(world.db, 'act', late)
    await ring(world, 'operator')
    expect(await momentOf(world, late.id)).toMatchObject({ outcome: 'act' })
    expect(await rowOf(world, 'spectre')).not.toBeNull()
  })

  it('is not refused when a worker found it meanwhile: then it is done, and its person is told that', async () => {
    const failed = await whileAway((away) => errorOf(act(away, 'operator', birth('shade'))))
    if (failed !== null) expect(failed).toMatchObject({ detail: { withdrawn: true } })
    await live(world, 'echo', 'hello') // rings the operator again
    expect((await rowOf(world, 'shade')) !== null).toBe(failed === null)
  })
})

it('every moment replays', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
})
