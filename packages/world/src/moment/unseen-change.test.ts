import type { Json } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import type { Face } from '../read/face.ts'
import { type ChangeMoment, isOfUnseenChange } from './unseen-change.ts'

const PLACE = 'space.quality.ambient.tone'
const change = { target: '/hall', path: ['ambient', 'tone'] }
const one = { event: 'changed' }
const many = { event: 'changed', changes: 3, summary: 'three' }

function momentOf({
  id = 'change/ann/1/1/bo',
  content = one as Json,
  unseen = ['/hall'],
  reads = [PLACE],
  qualities = {},
  orientation,
}: {
  id?: string
  content?: Json
  unseen?: readonly string[]
  reads?: readonly string[]
  qualities?: Face['me']['qualities']
  orientation?: 'inward'
} = {}): ChangeMoment {
  const face = {
    me: { name: 'bo', home: '/', qualities },
    space: { path: '/hall', name: 'hall', type: '', qualities: {} },
    ...(orientation === undefined ? {} : { orientation }),
  } as Face
  const flow = reads.map((path) => ({ when: { [path]: 1 }, role: 'guest' }))
  return { wake: { id }, content, quotes: { of: ['/hall'], unseen, change }, program: { flow }, face }
}

describe('a being may see nothing of the changes that woke it', () => {
  it.each<[string, Parameters<typeof momentOf>[0]]>([
    ['one of a place that it may not see', {}],
    ['one, whatever else its flow reads', { reads: [PLACE, 'world.wind.force'] }],
    ['several, where its flow reads nothing but the place', { content: many, reads: [PLACE, 'time.hour'] }],
  ])('%s', (_what, given) => {
    expect(isOfUnseenChange(momentOf(given))).toBe(true)
  })

  it.each<[string, Parameters<typeof momentOf>[0]]>([
    ['it may see the place', { unseen: [] }],
    ['several, of which others may be signals', { content: many, reads: [PLACE, 'world.wind.force'] }],
    ['several, of which others may be of any signal', { content: many, reads: [PLACE, 'world'] }],
    [
      'several, of which others may be what it subscribed to',
      { content: many, qualities: { subscription: { a: {} } } },
    ],
    ['another wake', { id: 'look/ann/1/1/bo' }],
    ['it looks inward, so that nothing of the world is shown', { orientation: 'inward' }],
  ])('but not: %s', (_what, given) => {
    expect(isOfUnseenChange(momentOf(given))).toBe(false)
  })

  it('but not: several of another place than where it is now', () => {
    const moment = momentOf({ content: many })
    const face = { ...moment.face, space: { ...moment.face?.space, path: '/yard' } } as Face
    expect(isOfUnseenChange({ ...moment, face })).toBe(false)
  })
})
