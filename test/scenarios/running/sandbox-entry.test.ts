/** Workflows entered without the SDK's timer are as apart from each other as before, and one that loops for ever still ends. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Client, Connection, type WorkflowHandle } from '@temporalio/client'
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Worker,
  type WorkflowBundle,
} from '@temporalio/worker'
import { enterWorkflowsQuickly, workflowsPath } from '@treeos/host'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { until } from '../../support/life.ts'

/** Where our workflows find the SDK. */
const SDK_MODULES = join(workflowsPath, '../../node_modules')
const WORKFLOWS = join(import.meta.dirname, '../../support/sandbox.workflows.ts')

let bundle: WorkflowBundle
let native: NativeConnection
let connection: Connection
let client: Client
let worker: { taskQueue: string; stop(): Promise<void> } | null = null

beforeAll(async () => {
  bundle = await bundleWorkflowCode({
    workflowsPath: WORKFLOWS,
    logger: new DefaultLogger('ERROR'),
    webpackConfigHook: (config) => ({
      ...config,
      resolve: { ...config.resolve, modules: ['node_modules', SDK_MODULES] },
    }),
  })
  native = await NativeConnection.connect(inject('temporal'))
  connection = await Connection.connect(inject('temporal'))
  client = new Client({ connection })
})
afterEach(async () => {
  await worker?.stop()
  worker = null
})
afterAll(async () => {
  await Promise.all([native.close(), connection.close()])
})

/** @param isolateExecutionTimeout an option without a type: how long a workflow may run without giving way */
async function startWorker({ isQuick = true, isolateExecutionTimeout = '2s' } = {}): Promise<void> {
  const undo = isQuick ? enterWorkflowsQuickly() : () => undefined
  const taskQueue = `sandbox-${randomUUID()}`
  const options = { isolateExecutionTimeout, shutdownForceTime: '1s' as const }
  const own = await Worker.create({ connection: native, taskQueue, workflowBundle: bundle, ...options })
  undo()
  const done = own.run()
  done.catch(() => undefined)
  worker = {
    taskQueue,
    async stop() {
      if (own.getState() === 'RUNNING') own.shutdown()
      await done.catch(() => undefined) // a thread that loops does not end by itself
    },
  }
}

function start(type: string, ...args: unknown[]): Promise<WorkflowHandle> {
  if (worker === null) throw new Error('no worker runs')
  const { taskQueue } = worker
  return client.workflow.start(type, { taskQueue, workflowId: `${type}-${randomUUID()}`, args })
}

/** Messages of the workflow tasks that failed, without later attempts, which are not in history. */
async function failuresOf(handle: WorkflowHandle): Promise<string[]> {
  const { events } = await handle.fetchHistory()
  return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    failed == null ? [] : [failed.failure?.message ?? ''],
  )
}

async function attemptOf(handle: WorkflowHandle): Promise<number> {
  return (await handle.describe()).raw.pendingWorkflowTask?.attempt ?? 0
}

describe.each([true, false])('entered quickly: %s', (isQuick) => {
  it('a workflow does not see what another left on globals and in modules, and finds its own again', async () => {
    await startWorker({ isQuick })
    const leaver = await start('leaver')
    await until(async () =>
      (await leaver.fetchHistory()).events?.some((event) => event.timerStartedEventAttributes),
    )
    expect(await (await start('looker')).result()).toEqual([null, null, 'clean'])
    expect(await leaver.result()).toEqual(['a secret', 'a secret', 'a secret'])
    expect(await (await start('looker')).result()).toEqual([null, null, 'clean'])
  })
})

it('a workflow cannot replace or delete a global that others use', async () => {
  await startWorker()
  expect(await (await start('vandal')).result()).toEqual([false, 'function', 1])
  expect(await (await start('waiter', 1)).result()).toBe(1)
})

it.each(['looper', 'spinner'])(
  'a %s ends its thread once; the workflows beside it go on',
  async (runaway) => {
    await startWorker()
    const beside = await start('waiter', 14)
    await until(async () =>
      (await beside.fetchHistory()).events?.some((event) => event.timerFiredEventAttributes),
    )
    const bad = await start(runaway)
    await until(async () => (await failuresOf(bad)).length > 0)
    expect(await failuresOf(bad)).toEqual([
      'the workflow did not return in time: it loops for ever or computes too long',
    ])
    expect(await beside.result()).toBe(14)
    expect(await failuresOf(beside)).toEqual([
      'another workflow ran away and its thread was ended: this one is replayed',
    ])
    // Its next attempts meet the SDK's timer, so nobody else fails any more.
    await until(async () => (await attemptOf(bad)) >= 3)
    const later = await start('waiter', 1)
    expect(await later.result()).toBe(1)
    expect(await failuresOf(later)).toEqual([])
    await bad.terminate()
  },
)

it('before the guard acts one runaway stops all workflows of the worker', async () => {
  await startWorker({ isolateExecutionTimeout: '12s' })
  const bad = await start('looper')
  await until(async () => (await attemptOf(bad)) > 0)
  const beside = await start('waiter', 1)
  const ended = await Promise.race([
    beside.result(),
    new Promise((resolve) => setTimeout(resolve, 6_000, 'nothing in three times the usual limit')),
  ])
  expect(ended).toBe('nothing in three times the usual limit')
  await Promise.all([bad.terminate(), beside.terminate()])
})

it('with another version of the SDK nothing changes, and a warning says so', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  enterWorkflowsQuickly('1.25.0')()
  expect(warn).toHaveBeenCalledWith(
    'workflows are entered the slow way: @temporalio/worker is 1.25.0, the quick way is for 1.24.0',
    { code: 'TREEOS_SLOW_ENTRY' },
  )
  warn.mockRestore()
})
