import { setImmediate as soon } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Turns } from './turns.ts'

const bounds = { atOnce: 1, atOncePerGroup: 1, waiting: 8, waitingPerGroup: 6 }

/**
 * Asks for turns at once, and takes as long for each as the others let it.
 * @returns the order in which they were done
 */
async function order(turns: Turns, askers: readonly string[]): Promise<string[]> {
  const done: string[] = []
  const all = askers.map((name) => {
    const [group = '', key = ''] = name.split('/')
    return turns.run({ group, key }, async () => {
      await soon()
      done.push(name)
    })
  })
  const answers = await Promise.allSettled(all)
  return [...done, ...answers.flatMap(({ status }, i) => (status === 'rejected' ? [`no ${askers[i]}`] : []))]
}

describe('turns', () => {
  it('go round groups, and within one group round its keys', async () => {
    expect(await order(new Turns(bounds, 'no'), ['a/1', 'a/1', 'a/1', 'a/2', 'b/1'])).toEqual([
      'a/1',
      'b/1',
      'a/2',
      'a/1',
      'a/1',
    ])
  })

  it('refuse whoever has most waiting, and not whoever came last', async () => {
    const few = { ...bounds, waiting: 4 }
    const asked = ['a/1', 'a/1', 'a/1', 'a/1', 'a/1', 'b/1']
    expect(await order(new Turns(few, 'no'), asked)).toEqual(['a/1', 'b/1', 'a/1', 'a/1', 'a/1', 'no a/1'])
    // Control: first in, first out refuses the last one.
    const queue = ['x/1', 'x/1', 'x/1', 'x/1', 'x/1', 'x/2']
    expect(await order(new Turns({ ...few, waitingPerGroup: 4 }, 'no'), queue)).toContain('x/2')
  })

  it('of one group leave room for others', async () => {
    const turns = new Turns({ ...bounds, atOnce: 2 }, 'no')
    const end = await turns.take({ group: 'a', key: '1' })
    let isWaiting = true
    const second = turns.take({ group: 'a', key: '2' }).then((over) => {
      isWaiting = false
      return over
    })
    ;(await turns.take({ group: 'b', key: '1' }))()
    await soon()
    expect(isWaiting).toBe(true)
    end()
    ;(await second)()
  })

  it('go on after a failure', async () => {
    const turns = new Turns(bounds, 'no')
    await expect(
      turns.run({ group: 'a', key: '' }, async () => Promise.reject(new Error('lost'))),
    ).rejects.toThrow('lost')
    expect(await turns.run({ group: 'a', key: '' }, async () => 7)).toBe(7)
  })
})
