import { expect, it } from 'vitest'
import { staleBy, takesPart } from './stale-queries.ts'

const keysOf = (event: string, happened: object) => staleBy(event, happened).map(({ key }) => key.join(' '))
const SPOKE = {
  being: 'kid',
  woke: { thread: 't1' },
  did: { verb: 'summon', target: '@echo' },
}

it('a moment makes stale what it names: its being, whom it spoke to, their threads, and lists', () => {
  const keys = keysOf('moment', SPOKE)
  expect(keys).toEqual(
    expect.arrayContaining([
      'moments kid',
      'being kid',
      'being echo',
      'threads kid',
      'threads echo',
      'thread t1',
    ]),
  )
  // Nothing of beings, pasts and threads that the event does not name. A list of the inbox is asked for only
  // when its count changes.
  expect(keys).not.toContain('being')
  expect(keys).not.toContain('moments')
  expect(keys).not.toContain('inbox')
  expect(keys).toContain('inbox counts')
})

it('an act on a thread makes that thread stale', () => {
  expect(keysOf('moment', { being: 'ada', did: { verb: 'do', target: 'thread:t9' } })).toContain('thread t9')
})

it('a thread is stale also by its participants, since an act of a person is a thread of its own', () => {
  const [stale] = staleBy('moment', SPOKE).filter(({ of }) => of !== undefined)
  expect(stale).toEqual({ key: ['thread'], of: '@kid' })
  expect(takesPart({ participants: ['@kid', '@ada'] }, '@kid')).toBe(true)
  expect(takesPart({ participants: ['@echo', '@ada'] }, '@kid')).toBe(false)
  expect(takesPart(undefined, '@kid')).toBe(true)
})

it.each([
  ['being:kid', ['being kid'], ['being']],
  ['approval:kid/1/7', ['being kid'], ['being']],
  ['registry', ['being'], []],
])('a fact on %s makes beings stale: %j', (reel, within, without) => {
  const keys = keysOf('fact', { reel, kind: 'quality:set', payload: { path: ['mood'] } })
  expect(keys).toEqual(expect.arrayContaining(within))
  for (const key of without) expect(keys).not.toContain(key)
  expect(keys).not.toContain('flow')
})

it('what was said changes no row, so no list of rows is asked for', () => {
  expect(keysOf('fact', { reel: 'being:kid', kind: 'being:summoned', payload: { to: 'echo' } })).toEqual([
    'record',
  ])
})

it('a flow is a quality of its own', () => {
  const flow = { reel: 'being:kid', kind: 'quality:set', payload: { path: ['roleFlow'] } }
  expect(keysOf('fact', flow)).toEqual(expect.arrayContaining(['flow', 'role', 'being kid']))
})
