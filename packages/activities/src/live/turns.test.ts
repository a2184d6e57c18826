import { expect, it } from 'vitest'
import { MomentTurns } from './turns.ts'

it('opens moments first come, first served, and stamps those that have begun before it opens others', async () => {
  const turns = new MomentTurns(1)
  const order: string[] = []
  const step = (name: string) => async () => {
    order.push(name)
  }
  await Promise.all([
    turns.open(step('open ann')),
    turns.open(step('open bo')),
    turns.open(step('open cy')),
    turns.stamp(step('stamp ann')),
  ])
  expect(order).toEqual(['open ann', 'stamp ann', 'open bo', 'open cy'])
})

it('goes on after a step that failed', async () => {
  const turns = new MomentTurns(1)
  const failed = turns.open(async () => {
    throw new Error('Postgres is away')
  })
  await expect(failed).rejects.toThrow('Postgres is away')
  await expect(turns.stamp(async () => 'stamped')).resolves.toBe('stamped')
})

it('never has more steps under way than it may', async () => {
  const turns = new MomentTurns(3)
  let [underWay, most] = [0, 0]
  const step = async () => {
    underWay += 1
    most = Math.max(most, underWay)
    await new Promise((resolve) => setTimeout(resolve, 1))
    underWay -= 1
  }
  await Promise.all(Array.from({ length: 20 }, () => turns.open(step)))
  expect(most).toBe(3)
})
