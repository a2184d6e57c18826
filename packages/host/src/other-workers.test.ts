import { expect, it, vi } from 'vitest'
import { tellOfOtherWorkers } from './other-workers.ts'

const asked = { taskQueue: 'treeos-home', identity: '7@here' }

async function told(describeTaskQueue: () => Promise<unknown>) {
  const log = { info: vi.fn(), debug: vi.fn() }
  const client = { workflowService: { describeTaskQueue }, options: { namespace: 'default' } }
  await tellOfOtherWorkers(client as never, asked, log)
  return { info: log.info.mock.calls.map(([line]) => line as string), debugs: log.debug.mock.calls.length }
}

it('a worker beside others is told of them, and one alone of nothing', async () => {
  const pollers = [{ identity: '7@here' }, { identity: '12@up' }]
  const { info } = await told(async () => ({ pollers }))
  expect(info).toEqual([
    expect.stringMatching(/^other workers poll the task queue treeos-home too.*\("12@up"\).*not loaded$/),
  ])
  expect(await told(async () => ({ pollers: pollers.slice(0, 1) }))).toEqual({ info: [], debugs: 0 })
})

it('a server that does not tell ends no start', async () => {
  expect(await told(() => Promise.reject(new Error('denied')))).toEqual({ info: [], debugs: 1 })
})
