/** The bridge: workflows of a host that ask beings, and beings that call workflows of the host. */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { WorkflowHandle } from '@temporalio/client'
import { bundleWorkflowCode } from '@temporalio/worker'
import { moments, summon } from '@treeos/client'
import { taskQueueOf } from '@treeos/core'
import { CalledWorkflows, treeos } from '@treeos/host'
import { beingWorkflowId } from '@treeos/protocol'
import { findEntry, traceparentOf } from '@treeos/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../support/life.ts'
import { IS_NIGHT } from '../../support/night.ts'
import { orders } from '../../support/orders.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import {
  calledBy,
  callingMoment,
  cutThread,
  failureOf,
  letWorkflowsActAs,
  openShop,
  ship,
} from '../../support/shipping.ts'
import { startWorld, type World } from '../../support/world.ts'

let world: World
const started: WorkflowHandle[] = []

beforeAll(async () => {
  const workflowsPath = join(import.meta.dirname, '../../support/orders.workflow.ts')
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, plugins: [treeos()] })
  world = await startWorld({ extensions: [orders], worker: { workflowBundle } })
  await openShop(world)
  await world.birth({ name: 'silent', cognition: 'scripted', script: 'orders:silent', role: 'orders:clerk' })
  await world.birth({ name: 'team', cognition: 'human', role: 'orders:desk' })
  await world.birth({ name: 'ann', cognition: 'human' })
  await letWorkflowsActAs(world, '@team')
})
afterAll(async () => {
  for (const handle of started) await handle.terminate().catch(() => undefined)
  await world?.close()
})

async function start(workflow: string, request: object): Promise<WorkflowHandle> {
  const handle = await world.temporal.workflow.start(workflow, {
    workflowId: `host-${randomUUID()}`,
    taskQueue: taskQueueOf(world.reality.name),
    args: [request],
  })
  started.push(handle)
  return handle
}
const run = async (workflow: string, request: object): Promise<unknown> =>
  (await start(workflow, request)).result()

const historyOf = async (workflowId: string): Promise<string> => {
  const { events } = await world.temporal.workflow.getHandle(workflowId).fetchHistory()
  const texts = (events ?? []).map((event) =>
    JSON.stringify(event, (key, value) =>
      key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
    ),
  )
  return texts.join('\n')
}

describe('a workflow of the host', () => {
  it('summons a being as a person who lets workflows act as it, and gets its answer', async () => {
    const answered = await run('askBeing', { as: '@orders', to: '@clerk', content: 'how much is a lamp?' })
    expect(answered).toEqual({
      correlation: expect.any(String),
      moment: expect.stringMatching(/^clerk\/1\/\d+$/),
      traceparent: expect.stringMatching(/^00-[\da-f]{32}-[\da-f]{16}-01$/),
      reply: { from: '@clerk', content: 'a lamp is 40 euros, @orders' },
    })
    const { correlation } = answered as { correlation: string }
    expect(await findEntry(world.db, correlation)).toMatchObject({
      outside: true,
      caller: { name: 'orders' },
    })
    // the answer does not stay open in the inbox
    const open = await world.db
      .selectFrom('inbox')
      .select('id')
      .where('being', '=', 'orders')
      .where('closed_by', 'is', null)
      .execute()
    expect(open).toEqual([])
  })

  it('announces without an answer, publishes a signal, and looks', async () => {
    const said = { as: '@orders', to: '@silent', content: 'we close', expectReply: false }
    expect(await run('askBeing', said)).toMatchObject({ moment: null, reply: null })
    await run('tellWorld', { as: '@orders', namespace: 'orders-open', key: 'now', value: 7 })
    const rows = await world.db
      .selectFrom('projection')
      .select('state')
      .where('key', '=', 'world:orders-open')
      .execute()
    expect(JSON.parse(rows[0]?.state ?? '{}')).toMatchObject({ values: { now: 7 }, owner: 'orders' })
    expect(await run('look', { as: '@orders', address: '@clerk' })).toMatchObject({
      address: { being: '@clerk' },
    })
  })

  it.each([
    ['acts as nobody else', { as: '@ann', to: '@clerk', content: 'hi' }, 'FORBIDDEN', /do not act as @ann/],
    [
      'acts never as the operator',
      { as: '@operator', to: '@clerk', content: 'hi' },
      'FORBIDDEN',
      /@operator/,
    ],
    [
      'says nothing to whom its person may not',
      { as: '@orders', to: '@ann', content: 'hi' },
      'FORBIDDEN',
      /@ann/,
    ],
    [
      'asks for a being that there is not',
      { as: '@orders', to: '@nobody', content: 'hi' },
      'BEING_NOT_FOUND',
      /nobody/,
    ],
    ['asks one who does not answer', { as: '@orders', to: '@silent', content: 'hi' }, 'NO_ANSWER', /@silent/],
  ])('%s: a final failure with our code, and no words outside its details', async (_, request, code, why) => {
    const failure = await failureOf(await start('askBeing', request))
    expect(failure).toMatchObject({
      type: code,
      nonRetryable: true,
      message: `treeosSummon: ${code}`,
      details: [{ code, message: expect.stringMatching(why) }],
    })
  })

  it('goes on waiting for the same summon after its time was over, and after its worker was gone', async () => {
    const asked = await start('askPatiently', { as: '@team', to: '@clerk', content: 'ship later' })
    const moment = await callingMoment(world)
    await new Promise((resolve) => setTimeout(resolve, 3000)) // more than one attempt
    await world.stopWorker()
    await world.startWorker()
    await (await calledBy(world, moment)).signal('arrived', 'Bern')
    expect(await asked.result()).toMatchObject({
      reply: { content: { shipped: { result: { order: 'later', where: 'Bern' } } } },
    })
    const sent = await world.db
      .selectFrom('inbox')
      .select('id')
      .where('being', '=', 'clerk')
      .where('kind', '=', 'summon')
      .where('caller', '=', 'team')
      .where('in_reply_to', 'is', null)
      .execute()
    expect(sent).toHaveLength(1)
  })
})

describe('a being', () => {
  it('calls a workflow of the host, lives on, and answers whoever asked once it has ended', async () => {
    const { answered, moment, thread, call, called } = await ship(world, 'seven')
    // it lives on meanwhile
    const other = await summon(world, { as: 'operator', target: 'clerk', content: 'price?', waitSeconds: 40 })
    expect(other.reply?.content).toBe('a lamp is 40 euros, @operator')
    await called.signal('arrived', 'Bern')
    const { reply } = await answered
    const traceparent = traceparentOf(world.reality.id, thread, moment)
    const result = { order: 'seven', where: 'Bern', of: moment, traceparent }
    expect(reply).toEqual({ from: '@clerk', content: { shipped: { result } } })
    // Relationships of Temporal's UI
    expect((await call.describe()).raw.workflowExecutionInfo?.parentExecution?.workflowId).toBe(
      beingWorkflowId(world.reality.name, 'clerk'),
    )
    expect((await called.describe()).raw.workflowExecutionInfo).toMatchObject({
      parentExecution: { workflowId: call.workflowId },
    })
    const own = await historyOf(beingWorkflowId(world.reality.name, 'clerk'))
    expect(own).toContain(moment)
    expect(own).not.toMatch(/seven|Bern/)
    expect(await historyOf(call.workflowId)).toMatch(/seven[\s\S]*Bern/) // a control, and what is said of it
    expect((await moments(world.db, 'clerk')).at(-1)).toMatchObject({ outcome: 'act' })
  })

  it('is told of a failure of the workflow', async () => {
    const { answered, called } = await ship(world, 'eight')
    await called.signal('arrived', 'nowhere')
    expect((await answered).reply?.content).toMatchObject({
      shipped: { error: { type: 'Lost', message: 'order eight is lost' } },
    })
  })

  it('is told that a result is too large, and what to do, also of one that our history could not hold', async () => {
    for (const [order, kib] of [
      ['long', 100],
      ['longer', 300],
    ] as const) {
      const { answered, called } = await ship(world, order)
      await called.signal('arrived', 'x'.repeat(kib * 1024))
      expect((await answered).reply?.content).toMatchObject({
        shipped: {
          error: {
            type: 'PAYLOAD_TOO_LARGE',
            message: expect.stringMatching(
              /^the result has \d{6} bytes, and at most 65536 are allowed: return an id, a URL/,
            ),
          },
        },
      })
    }
  })

  it('is answered by workflows that no sweep cancels while they answer', async () => {
    const errors: unknown[] = []
    const onError = (error: unknown) => void errors.push(error)
    const swept = new CalledWorkflows({ ...world, client: world.temporal, onError })
    let isOver = false
    let cancelled = 0
    const sweeping = (async () => {
      while (!isOver) cancelled += await swept.sweep()
    })()
    const calls: WorkflowHandle[] = []
    for (let n = 0; n < (IS_NIGHT ? 5 : 2); n++) {
      const { answered, call, called } = await ship(world, `swept ${n}`)
      await called.signal('arrived', 'Bern')
      expect((await answered).reply?.content).toMatchObject({ shipped: { result: { where: 'Bern' } } })
      calls.push(call)
    }
    isOver = true
    await sweeping
    expect([cancelled, errors]).toEqual([0, []])
    for (const call of calls) {
      const { status } = await until(async () => {
        const described = await call.describe()
        return described.status.name !== 'RUNNING' && described
      })
      expect(status.name).toBe('COMPLETED')
      expect(await historyOf(call.workflowId)).not.toContain('CancelRequested')
    }
  })

  it('calls none that would answer in the name of whoever asked', async () => {
    const asked = { as: '@orders', to: '@clerk', content: 'ship ten' }
    const failure = await failureOf(await start('askBeing', asked))
    expect(failure).toMatchObject({ type: 'FORBIDDEN', nonRetryable: true })
  })

  it('the workflow is cancelled when the thread is cut, and answers nobody', async () => {
    const { thread, call, called } = await ship(world, 'nine')
    await cutThread(world, thread)
    await expect(called.result()).rejects.toThrow(/cancelled/i)
    await until(async () => (await call.describe()).status.name === 'CANCELLED')
  })

  it('leaves a record that verifies and replays', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
