import type { LocalActivitySlotInfo, WorkflowSlotInfo } from '@temporalio/worker'
import { expect, it } from 'vitest'
import { taskSlots } from './task-slots.ts'

const TASK: WorkflowSlotInfo = { type: 'workflow', workflowType: 'treeosBeing', isSticky: true }
const ACTIVITY: LocalActivitySlotInfo = { type: 'local-activity', activityType: 'liveMoments' }
const permit = {}
const NEVER = new AbortController().signal

/** A worker that polls all the time: each slot that it gets is soon a task. */
function worker(most: number) {
  const { tasks, activities } = taskSlots(most)
  let begun = 0
  const poll = async () => {
    await tasks.reserveSlot(undefined, NEVER)
    begun += 1
    tasks.markSlotUsed({ slotInfo: TASK, permit })
  }
  return {
    tasks,
    activities,
    begun: () => begun,
    /** @returns how many tasks came */
    async poll(times: number): Promise<number> {
      const before = begun
      for (let i = 0; i <= times; i++) {
        if (i < times) void poll()
        await new Promise((resolve) => setImmediate(resolve))
      }
      return begun - before
    },
    async beginActivity() {
      await activities.reserveSlot(undefined, NEVER)
      activities.markSlotUsed({ slotInfo: ACTIVITY, permit })
    },
    endActivity: () => activities.releaseSlot({ slotInfo: ACTIVITY, permit }),
    endTask: () => tasks.releaseSlot({ slotInfo: TASK, permit }),
  }
}

it('takes no more tasks while many need the thread of the workflows, and more once their activities began', async () => {
  const at = worker(1000)
  expect(await at.poll(80)).toBe(60)
  expect(at.tasks.tryReserveSlot()).toBeNull()
  for (let i = 0; i < 10; i++) await at.beginActivity() // these wait for minds
  await at.poll(0)
  expect(at.begun()).toBe(70)
  for (let i = 0; i < 10; i++) at.endTask()
  await at.poll(0)
  expect(at.begun()).toBe(80)
})

it('has no more tasks than were named, however many of them wait', async () => {
  const at = worker(3)
  await at.poll(5)
  for (let i = 0; i < 3; i++) await at.beginActivity()
  expect(await at.poll(0)).toBe(0)
  at.endActivity()
  at.endTask()
  await at.poll(0)
  expect(at.begun()).toBe(4)
})

it('a slot that was asked for and given back before it was used is free again', async () => {
  const { tasks } = taskSlots(1)
  expect(tasks.tryReserveSlot()).not.toBeNull()
  expect(tasks.tryReserveSlot()).toBeNull()
  tasks.releaseSlot({ permit }) // its poll ended without a task
  expect(tasks.tryReserveSlot()).not.toBeNull()
})

it('who no longer waits for a slot gets none, and those behind do', async () => {
  const at = worker(1)
  await at.poll(1)
  const given = new AbortController()
  const first = at.tasks.reserveSlot(undefined, given.signal)
  const second = at.tasks.reserveSlot(undefined, NEVER)
  const reason = new Error('the worker polls less')
  given.abort(reason)
  await expect(first).rejects.toBe(reason)
  at.endTask()
  await expect(second).resolves.toEqual({})
})
