/** The workflows of example 5: one of its own beside those of TreeOS. */
import { sleep } from '@temporalio/workflow'

export async function countToThree(): Promise<number[]> {
  const counted: number[] = []
  for (const number of [1, 2, 3]) {
    await sleep('10 ms')
    counted.push(number)
  }
  return counted
}
