import { Client, Connection as TemporalConnection } from '@temporalio/client'
import { act } from '@treeos/client'
import { actWakeId, type JsonObject, newWake, PRIORITIES } from '@treeos/core'
import { enqueue, findEntry, withdraw } from '@treeos/store'
import { describe, expect, it } from 'vitest'
import { live, momentOf, ring, rowOf, until, wakesOf } from '../../support/life.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld()

describe('an act that is refused because a service is away', () => {
  const payload = (name: string) => ({ name, cognition: 'scripted', script: 'echo' })
  const birth = (name: string) => ({ verb: 'be', operation: 'birth', args: payload(name) }) as const

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

  const newestAct = (after = '') =>
    until(async () => {
      const wake = (await wakesOf(world, 'operator')).findLast(({ kind }) => kind === 'act')
      return wake !== undefined && wake.id !== after && wake.closedBy === null ? wake : null
    })

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

  it('is not taken back by a later request with the same key, whose sender is told to send it again', async () => {
    await world.stopWorker()
    const first = act(world, 'operator', birth('twin'), 60, 'once')
    const { id } = await newestAct()
    const again = await whileAway((away) => errorOf(act(away, 'operator', birth('twin'), 60, 'once')))
    expect(again).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('send it again with the same key'),
      detail: { act: id, withdrawn: false },
    })
    // Who waits for an act that is taken back is told so, too.
    const waiting = errorOf(act(world, 'operator', birth('lone'), 60, 'lone'))
    const lone = await newestAct(id)
    expect(await withdraw(world.db, lone)).toBe(true)
    expect(await waiting).toMatchObject({ code: 'SERVICE_UNAVAILABLE', detail: { withdrawn: true } })
    await world.startWorker()
    expect(await first).toMatchObject({ act: expect.any(String) })
    expect(await act(world, 'operator', birth('twin'), 60, 'once')).toEqual(await first)
    expect(await rowOf(world, 'lone')).toBeNull()
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
