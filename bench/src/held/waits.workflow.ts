import { condition, defineSignal, proxyLocalActivities, setHandler } from '@temporalio/workflow'
import type { HeldActivities } from './benchmark.ts'

const wake = defineSignal('wake')

/** Rests until it is woken, does one thing, and rests again. */
export async function waits(name: string): Promise<void> {
  const { woken } = proxyLocalActivities<HeldActivities>({ startToCloseTimeout: '1m' })
  let waiting = 0
  setHandler(wake, () => {
    waiting += 1
  })
  for (;;) {
    await condition(() => waiting > 0)
    waiting -= 1
    await woken(name)
  }
}
