import { TaskState } from '@a2a-js/sdk'
import { expect, it } from 'vitest'
import { taskOf } from './tasks.ts'

it('a task that asks tells the call and where its person answers, to people and to programs', () => {
  const asks = { id: 'ann/1/7/2', call: { verb: 'do', operation: 'create-space' } }
  const asking = {
    state: 'asking',
    being: 'ann',
    said: 'x',
    thread: 't',
    reply: null,
    why: 'it waits',
  } as const
  const task = taskOf('t', { ...asking, asks }, 'https://host/inbox')
  expect(task.status?.state).toBe(TaskState.TASK_STATE_AUTH_REQUIRED)
  expect(task.metadata).toEqual({ approval: 'ann/1/7/2' })
  const said = JSON.stringify(task.status?.message)
  for (const part of ['Answer on the page: https://host/inbox', '"approval":"ann/1/7/2"', 'create-space'])
    expect(said).toContain(part)
})
