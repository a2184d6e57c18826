/**
 * A worker and a workflow that disagree about the roles of a moment: the run fails by name, and the being
 * lives no more until they agree.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '@treeos/core'
import { STACK_DIFFERS } from '@treeos/protocol'
import { digestOf, findOutcomeOfWake, listDifferingStacks, listOutcomes } from '@treeos/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withoutDefences } from '../../faults/sabotaged-worker.ts'
import { doAs, putWakes, ring, until, wakeUp } from '../../support/life.ts'
import { type Processes, prepareProcesses } from '../../support/processes.ts'
import { useWorld } from '../../support/use-world.ts'
import { bearMoody, failureOf, generationOf, handleOf, replayOf } from './moody-scene.ts'

/** Of the doorbells of a worker. */
const SWEEP_MS = 5000
/** A wake that waits for so long is rung for by a sweep. */
const UNRUNG_MS = 5000

describe('a worker whose activities evaluate flows wrongly', { timeout: 180_000 }, () => {
  const world = useWorld()
  let processes: Processes
  beforeAll(async () => {
    processes = await prepareProcesses()
    await bearMoody(world)
    await world.stopWorker()
  })
  afterAll(() => processes?.close())

  const lived = async () => (await listOutcomes(world.db, 'moody')).map(({ n }) => n)

  it('lives what one activity may, and then the run fails by name', async () => {
    const worker = processes.start(world, withoutDefences(['stacked-roles']))
    if (!(await worker.ready)) throw new Error(await worker.lastWords())
    await wakeUp(world, 'moody', ['one', 'two', 'three'])
    const failure = await failureOf(world, 1)
    const [first, ...others] = await listOutcomes(world.db, 'moody')
    const { stack, moment } = first!.record
    expect(stack?.stacked).toEqual([])
    expect(others.length).toBeLessThan(16)
    expect(failure).toMatchObject({ type: STACK_DIFFERS, nonRetryable: true })
    const [details] = failure.details as [Record<string, unknown>]
    expect(details).toEqual({
      moment: 'moody/1/1',
      recorded: digestOf(stack),
      given: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    for (const named of [moment, details.recorded, details.given]) expect(failure.message).toContain(named)
  })

  it('a doorbell begins a run that lives nothing, and fails by the same name', async () => {
    const before = await lived()
    const [wake = ''] = await wakeUp(world, 'moody', ['four'])
    expect((await failureOf(world, 2)).details).toMatchObject([{ moment: 'moody/1/1' }])
    expect(await lived()).toEqual(before)
    expect(await findOutcomeOfWake(world.db, wake)).toBeNull()
  })

  it('a worker with the right evaluator does not go on either, since the record has the wrong stack', async () => {
    const before = await lived()
    await processes.close()
    await world.startWorker()
    const generation = 1 + (await generationOf(world))
    await ring(world, 'moody')
    expect((await failureOf(world, generation)).details).toMatchObject([{ moment: 'moody/1/1' }])
    expect(await lived()).toEqual(before)
  })

  const named = expect.objectContaining({ being: 'moody', n: 1, field: 'stack' })
  it('the store and replay by both records name the moment', async () => {
    expect(await listDifferingStacks(world.db)).toEqual([
      {
        being: 'moody',
        moment: 'moody/1/1',
        message: expect.stringContaining('the workflow gives'),
        recorded: digestOf((await listOutcomes(world.db, 'moody'))[0]!.record.stack),
        given: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ])
    expect(await replayOf(world, 'temporal')).toContainEqual(named)
    expect(await replayOf(world, 'chain')).toContainEqual(named)
  })

  it('a worker that has rung the being once rings it no more', async () => {
    await sleep(SWEEP_MS) // its first sweep finds the wakes that wait, and rings
    const before = await generationOf(world)
    await putWakes(world, 'moody', ['five'])
    await sleep(SWEEP_MS + UNRUNG_MS)
    expect(await generationOf(world)).toBe(before)
  })

  /** As a person does who was told of the difference. */
  const accept = async (more: JsonObject = {}) => {
    const [difference] = await listDifferingStacks(world.db)
    if (difference === undefined) throw new Error('no difference is left')
    const { moment, recorded, given } = difference
    await doAs(world, 'accept-difference', '@moody', { moment, recorded, given, ...more })
    return moment
  }

  it('a person accepts this difference, and then the run fails by the next one', async () => {
    await accept({ given: 'f'.repeat(64) }) // of which nobody said that it is so
    expect(await listDifferingStacks(world.db)).toMatchObject([{ moment: 'moody/1/1' }])
    const generation = 1 + (await generationOf(world))
    expect(await accept()).toBe('moody/1/1')
    expect((await failureOf(world, generation)).details).toMatchObject([{ moment: 'moody/1/2' }])
    expect(await listDifferingStacks(world.db)).toMatchObject([{ moment: 'moody/1/2' }])
  })

  it('once a person accepted all of them, the being lives what waits', async () => {
    const before = await lived()
    for (let left = before.length - 1; left > 0; left--) {
      const generation = 1 + (await generationOf(world))
      await accept()
      if (left > 1) await failureOf(world, generation)
    }
    const goesOn = async () => (await lived()).length >= before.length + 2
    await until(goesOn, { seconds: 60, what: 'the moments that waited' })
    expect(await listDifferingStacks(world.db)).toEqual([])
    const last = (await listOutcomes(world.db, 'moody')).at(-1)
    expect(last?.record.stack?.stacked).toMatchObject([{ name: 'mood' }])
  })

  it('replay still names the difference, says who accepted it, and when, and also when the runs are deleted', async () => {
    const accepted = { by: 'operator', at: expect.any(Number) }
    const asAccepted = expect.objectContaining({ being: 'moody', n: 1, field: 'stack', accepted })
    expect(await replayOf(world, 'temporal')).toContainEqual(asAccepted)
    expect(await replayOf(world, 'chain')).toContainEqual(asAccepted)
    await world.stopWorker()
    const { namespace } = world.temporal.options
    for await (const { workflowId, runId } of world.temporal.workflow.list({
      query: `WorkflowId = "${handleOf(world).workflowId}"`,
    }))
      await world.temporal.workflowService.deleteWorkflowExecution({
        namespace,
        workflowExecution: { workflowId, runId },
      })
    expect(await replayOf(world, 'chain')).toContainEqual(asAccepted)
  })
})
