import { expect, it } from 'vitest'
import { triggerOf, type WakeKind } from './index.ts'

it.each<[WakeKind, string, string | null]>([
  ['summon', 'any-correlation', 'message'],
  ['summon', 'schedule/forged/by/a/sender', 'message'],
  ['act', 'act/1', null],
  ['event', 'schedule/ann/rounds/2026-01-01T00:00:00.000Z', 'schedule'],
  ['event', 'change/ann/1/2/bob', 'change'],
  ['event', 'idle/ann/1/2', 'idle'],
  ['event', 'continue/ann/1/2', null],
  ['event', 'look/ann/1/2', null],
  ['summon', 'look/forged/by/a/sender', 'message'],
  ['event', 'notice/ann/1/2/bob', 'message'],
  ['event', 'weather:storm/17', 'weather:storm'],
  ['event', '0198-whatever', 'message'],
])('a %s with the id %s triggers %s', (kind, id, trigger) => {
  expect(triggerOf({ kind, id })).toBe(trigger)
})
