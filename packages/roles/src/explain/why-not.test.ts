import type { JsonObject } from '@treeos/core'
import { expect, it } from 'vitest'
import { compileFlow } from '../evaluate/compile.ts'
import { whyNotWorn } from './why-not.ts'

const FLOW = [
  { when: { 'world.court.in-session': true }, role: 'court:judge' },
  { when: { 'time.hour': { gte: 22 } }, role: 'night-guard' },
  { stack: true, when: { 'space.name': 'library', 'me.quality.calm': { ne: true } }, role: 'quiet' },
  { when: { 'world.gate': { gtt: 1 } }, role: 'broken' },
  { when: { verb: 'see', and: [{ verb: 'do' }] }, role: 'never' },
  { role: 'human-only' },
]
const ROLES = {
  'court:judge': { triggerOn: ['message'] },
  'night-guard': {},
  quiet: {},
  broken: {},
  never: {},
  'human-only': { requiredCognition: 'human' as const },
  guard: {},
}
const CONTEXT: JsonObject = {
  verb: 'summon',
  space: { name: 'hall' },
  time: { hour: 9 },
  me: { quality: { calm: true } },
  world: { court: { 'in-session': true } },
}
const ask = (role: string, more: object = {}) =>
  whyNotWorn(
    compileFlow(FLOW),
    { context: CONTEXT, cognition: 'llm', roles: ROLES, defaultRole: 'guard', ...more },
    role,
  )

it('a role that was worn needs no change', () => {
  expect(ask('court:judge')).toEqual({ changes: [] })
})

it('for a primary, no clause before it may match', () => {
  expect(ask('night-guard').changes).toEqual([
    { path: 'time.hour', from: 9, to: 22 },
    { path: 'world.court.in-session', from: true, to: false },
  ])
  expect(ask('guard').changes).toEqual([{ path: 'world.court.in-session', from: true, to: false }])
})

it('a stacked role needs its own conditions only', () => {
  expect(ask('quiet').changes).toEqual([
    { path: 'me.quality.calm', from: true, to: false },
    { path: 'space.name', from: 'hall', to: 'library' },
  ])
})

it('with a primary that takes the trigger of the wake', () => {
  expect(ask('quiet', { trigger: 'schedule' }).changes).toHaveLength(3)
  expect(ask('court:judge', { trigger: 'schedule' })).toMatchObject({ changes: null, never: 'not-triggered' })
})

it.each([
  ['stranger', {}, 'not-named', 'neither the flow nor the default role names stranger'],
  ['quiet', { roles: { guard: {} } }, 'not-registered', 'role quiet is not registered'],
  ['human-only', {}, 'other-cognition', "role human-only needs cognition human, the being's was llm"],
  ['broken', {}, 'malformed', 'only malformed clauses name role broken'],
  ['night-guard', { asked: 'guard' }, 'asked', 'the wake asked for role guard'],
  ['quiet', { cut: true }, 'thread-cut', 'was cut'],
  ['quiet', { ended: true }, 'being-ended', 'was ended'],
  ['never', {}, 'contradiction', 'no context gives role never'],
])('says why nothing gives role %s', (role, more, never, says) => {
  expect(ask(role, more)).toEqual({ changes: null, never, message: expect.stringContaining(says) })
})

it('says that a role which is only stacked has no primary to be stacked on', () => {
  const flow = compileFlow([{ stack: true, role: 'quiet' }])
  const input = { context: CONTEXT, cognition: 'llm', roles: ROLES, defaultRole: null } as const
  expect(whyNotWorn(flow, input, 'quiet')).toMatchObject({ never: 'no-primary' })
})
