import type { Json } from '@treeos/core'
import { expect, it } from 'vitest'
import type { DecideInput } from '../extend/extension.ts'
import { isOpening, requirePersonToOpen } from './opening-qualities.ts'

it.each<[path: string, value: Json, opens: boolean]>([
  ['a2a.public', true, true],
  ['a2a', { public: 'front' }, true],
  ['a2a.description', 'Rules on disputes.', true],
  ['chat.tasks', true, true],
  ['wake.workflows', true, true],
  ['wake', { workflows: true }, true],
  ['wake.idle', 60, false],
  ['wake', { idle: 60 }, false],
  ['mood.public', true, false],
  ['constructor', true, false],
])('%s = %j opens a being: %s', (path, value, opens) =>
  expect(isOpening({ path: path.split('.'), value })).toBe(opens),
)

const own = { cognition: 'human', driver: null, wake: { kind: 'act' }, carriedBy: null }
const setting = (of: object) =>
  requirePersonToOpen({ path: ['a2a', 'public'], value: true }, { ...own, ...of } as unknown as DecideInput)

it.each<[who: string, of: object]>([
  ['a mind', { cognition: 'llm' }],
  ['a being that a person drives', { driver: 'ann' }],
  ['an operation that carries it out', { carriedBy: 'court:open' }],
  ['a program of its person', { wake: { kind: 'act', outside: true } }],
  ['a person that answers', { wake: { kind: 'summon' } }],
])('%s opens none, and a person does', (_who, of) => {
  expect(() => setting(of)).toThrow('only a person sets a2a.public, which opens a being')
  expect(() => setting({})).not.toThrow() // control
})
