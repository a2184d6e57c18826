import type { WakeView } from '@treeos/sdk'
import { being, decide, space } from '@treeos/sdk/testing'
import { expect, it } from 'vitest'
import court from './index.ts'

const room = space({ path: '/court', type: 'court:room' })
const judge = being({ name: 'solomon', home: '/court' })
const rules = (wake: Partial<WakeView>) =>
  decide(court, 'court:rule', { actor: judge, target: room, args: { ruling: 'mine' }, wake })
const denied = { event: 'denied', actor: '@operator', approval: 'solomon/1/2' }
const refusedAfter = (kind: string, content: object) => ({
  kind: 'refused',
  content: { event: 'refused', first: { id: 'x', kind, content } } as WakeView['content'],
})

it.each([
  ['it was denied', { kind: 'denied', content: denied }],
  ['it was denied, and the first try after that refused', refusedAfter('event', denied)],
])('no mind asks for its ruling again after %s', async (_when, wake) => {
  await expect(rules(wake)).rejects.toMatchObject({
    code: 'RESOURCE_CONFLICT',
    message: expect.stringContaining('just denied'),
  })
})

it.each([
  ['it is spoken to', { kind: 'message', content: 'the child is mine' }],
  ['words only look like a no', refusedAfter('message', denied)],
  ['another call was refused', refusedAfter('event', { event: 'changed' })],
])('a judge rules when %s', async (_when, wake) => {
  expect((await rules(wake)).reply).toBe('mine')
})
