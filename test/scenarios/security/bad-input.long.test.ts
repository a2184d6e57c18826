import { act } from '@treeos/client'
import { actWakeId, type Json, type JsonObject, newWake, PRIORITIES, type VerbCall } from '@treeos/core'
import { enqueue } from '@treeos/store'
import { seed } from '@treeos/world'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSpace, doAs, expectRefused, momentOf, play, ring, setRole, tell } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { useWorld } from '../../support/use-world.ts'

/** A thread of the operator's that is complete. */
let thread = ''
const world = useWorld({ extensions: [stage] })
beforeAll(async () => {
  const puppet = { cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' }
  await world.birth({ name: 'mine', ...puppet })
  await world.birth({ name: 'stranger', ...puppet })
  await world.birth({ name: 'person', cognition: 'human', role: 'stage:free' })
  await createSpace(world, '/hall')
  await doAs(world, 'create-matter', '/hall', { id: 'lamp' })
  await doAs(world, 'create-matter', '/hall', { id: 'ash' })
  await doAs(world, 'end-matter', 'matter:ash', {})
  await setRole(world, { name: 'held', canSee: ['~'], prompt: '' })
  thread = await tell(world, 'person', 'hello?')
})

const HUGE = 'x'.repeat(70_000)
const LONG = Array.from({ length: 100 }, (_, i) => `k${i}`).join('.')

type Refusal = readonly [target: string, args: Json, code: string, says: RegExp]
interface Faults {
  readonly 'wrong type': Refusal
  readonly missing?: Refusal
  readonly 'too large'?: Refusal
  /** as another being, whose lists hold everything */
  readonly 'not yours'?: Refusal
  readonly gone?: Refusal
  /** why a fault is left out: it cannot be made */
  readonly none?: Partial<Record<'missing' | 'too large' | 'not yours' | 'gone', string>>
}

const NO_ARGUMENTS = { missing: 'it takes no argument', 'too large': 'it takes no argument' }
const ANYONE = 'whoever has the action may'
const NOBODY: Refusal = ['@nobody', {}, 'BEING_NOT_FOUND', /@nobody/]
const NOWHERE: Refusal = ['/nowhere', {}, 'SPACE_NOT_FOUND', /\/nowhere/]
const ENDED: Refusal = ['matter:ash', {}, 'MATTER_NOT_FOUND', /"ash"/]

const DO: Record<string, Faults> = {
  'create-space': {
    'wrong type': ['/hall', { path: 7 }, 'INVALID_INPUT', /path is 7/],
    missing: ['/hall', {}, 'INVALID_INPUT', /path is missing/],
    'too large': ['/hall', { path: `/hall/${'x'.repeat(2000)}` }, 'ADDRESS_PARSE_ERROR', /xxx/],
    'not yours': ['/hall', { path: '/hall/nook' }, 'FORBIDDEN', /create-space needs owner/],
    gone: NOWHERE,
  },
  'set-size': {
    'wrong type': ['/hall', { size: 'wide' }, 'INVALID_INPUT', /size is "wide"/],
    missing: ['/hall', {}, 'INVALID_INPUT', /size is missing/],
    'too large': ['/hall', { size: { x: 1e12, y: 1, z: 1 } }, 'INVALID_INPUT', /1000000000000/],
    'not yours': ['/hall', { size: null }, 'FORBIDDEN', /set-size needs owner/],
    gone: NOWHERE,
  },
  'add-contributor': {
    'wrong type': ['/hall', { being: 7 }, 'INVALID_INPUT', /being is 7/],
    missing: ['/hall', {}, 'INVALID_INPUT', /being is missing/],
    'too large': ['/hall', { being: `@${'x'.repeat(40)}` }, 'ADDRESS_PARSE_ERROR', /xxx/],
    'not yours': ['/hall', { being: '@stranger' }, 'FORBIDDEN', /add-contributor needs owner/],
    gone: ['/hall', { being: '@nobody' }, 'BEING_NOT_FOUND', /@nobody/],
  },
  'remove-contributor': {
    'wrong type': ['@mine', { being: '@mine' }, 'INVALID_TYPE', /takes a space/],
    missing: ['/hall', {}, 'INVALID_INPUT', /being is missing/],
    'too large': ['/hall', { being: `@${'x'.repeat(40)}` }, 'ADDRESS_PARSE_ERROR', /xxx/],
    'not yours': ['/hall', { being: '@mine' }, 'FORBIDDEN', /remove-contributor needs owner/],
    gone: ['/hall', { being: '@mine' }, 'RESOURCE_CONFLICT', /@mine does not contribute/],
  },
  'set-space': {
    'wrong type': ['/hall', { field: 7, value: 1 }, 'INVALID_INPUT', /field is 7/],
    missing: ['/hall', { field: 'ambient.tone' }, 'INVALID_INPUT', /value is missing/],
    'too large': ['/hall', { field: 'ambient.tone', value: HUGE }, 'PAYLOAD_TOO_LARGE', /65536/],
    'not yours': ['/hall', { field: 'ambient.tone', value: 1 }, 'FORBIDDEN', /set-space needs owner/],
    gone: NOWHERE,
  },
  'set-being': {
    'wrong type': ['/hall', { field: 'mood.tone', value: 1 }, 'INVALID_TYPE', /takes a being/],
    missing: ['@mine', { value: 1 }, 'INVALID_INPUT', /field is missing/],
    'too large': ['@mine', { field: LONG, value: 1 }, 'INVALID_INPUT', /at most 8/],
    'not yours': ['@mine', { field: 'mood.tone', value: 1 }, 'FORBIDDEN', /set-being needs self/],
    gone: NOBODY,
  },
  'set-roleflow': {
    'wrong type': ['@mine', { flow: 'dance' }, 'INVALID_INPUT', /array of clauses/],
    missing: ['@mine', {}, 'INVALID_INPUT', /flow/],
    'too large': [
      '@mine',
      {
        flow: Array.from({ length: 120 }, () => ({
          when: { 'me.quality.a.b': 'x'.repeat(200) },
          role: 'held',
        })),
      },
      'INVALID_INPUT',
      /at most 16384 bytes/,
    ],
    'not yours': ['@mine', { flow: [] }, 'FORBIDDEN', /set-roleflow needs self/],
    gone: ['@mine', { flow: [{ role: 'ghost' }] }, 'ROLE_UNAVAILABLE', /"ghost"/],
  },
  move: {
    'wrong type': ['@mine', {}, 'INVALID_TYPE', /takes a space/],
    'too large': ['/hall', { coord: { x: 1, y: 0, z: 0 } }, 'INVALID_INPUT', /coord/],
    gone: NOWHERE,
    none: { missing: 'it takes nothing that must be given', 'not yours': ANYONE },
  },
  'create-matter': {
    'wrong type': ['/hall', { id: 7 }, 'INVALID_INPUT', /id is 7/],
    missing: ['/hall', {}, 'INVALID_INPUT', /id is missing/],
    'too large': ['/hall', { id: 'x'.repeat(65) }, 'INVALID_INPUT', /xxx/],
    'not yours': ['/hall', { id: 'vase' }, 'FORBIDDEN', /create-matter needs owner/],
    gone: ['/hall', { id: 'ash' }, 'RESOURCE_CONFLICT', /ash is taken/],
  },
  'set-matter': {
    'wrong type': ['@mine', { field: 'a.b', value: 1 }, 'INVALID_TYPE', /takes a matter/],
    missing: ['matter:lamp', { field: 'a.b' }, 'INVALID_INPUT', /value is missing/],
    'too large': ['matter:lamp', { field: 'a.b', value: HUGE }, 'PAYLOAD_TOO_LARGE', /65536/],
    'not yours': ['matter:lamp', { field: 'a.b', value: 1 }, 'FORBIDDEN', /set-matter needs owner/],
    gone: ENDED,
  },
  'write-matter': {
    'wrong type': ['/hall', { content: 1 }, 'INVALID_TYPE', /takes a matter/],
    'too large': ['matter:lamp', { content: HUGE }, 'PAYLOAD_TOO_LARGE', /bytes/],
    'not yours': ['matter:lamp', { content: 1 }, 'FORBIDDEN', /write-matter needs owner/],
    gone: ENDED,
    none: { missing: 'no content is content: null' },
  },
  take: {
    'wrong type': ['/hall', {}, 'INVALID_TYPE', /takes a matter/],
    'not yours': ['matter:lamp', {}, 'FORBIDDEN', /take needs owner/],
    gone: ENDED,
    none: NO_ARGUMENTS,
  },
  put: {
    'wrong type': ['@mine', {}, 'INVALID_TYPE', /takes a matter/],
    'too large': ['matter:lamp', { coord: { x: 1e9, y: 0, z: 0 } }, 'INVALID_INPUT', /coord is/],
    'not yours': ['matter:lamp', {}, 'FORBIDDEN', /does not hold matter:lamp/],
    gone: ENDED,
    none: { missing: 'it takes nothing that must be given' },
  },
  'end-matter': {
    'wrong type': ['@mine', {}, 'INVALID_TYPE', /takes a matter/],
    'not yours': ['matter:lamp', {}, 'FORBIDDEN', /end-matter needs owner/],
    gone: ENDED,
    none: NO_ARGUMENTS,
  },
  'end-being': {
    'wrong type': ['/hall', {}, 'INVALID_TYPE', /takes a being/],
    'not yours': ['@mine', {}, 'FORBIDDEN', /end-being needs ancestor/],
    gone: ['@nobody', {}, 'BEING_NOT_FOUND', /@nobody/],
    none: NO_ARGUMENTS,
  },
  'pause-being': {
    'wrong type': ['/hall', {}, 'INVALID_TYPE', /takes a being/],
    'not yours': ['@mine', {}, 'FORBIDDEN', /pause-being needs ancestor/],
    gone: ['@nobody', {}, 'BEING_NOT_FOUND', /@nobody/],
    none: NO_ARGUMENTS,
  },
  'resume-being': {
    'wrong type': ['/hall', {}, 'INVALID_TYPE', /takes a being/],
    'not yours': ['@mine', {}, 'FORBIDDEN', /resume-being needs ancestor/],
    gone: ['@nobody', {}, 'BEING_NOT_FOUND', /@nobody/],
    none: NO_ARGUMENTS,
  },
  'accept-difference': {
    'wrong type': ['@mine', { moment: 7 }, 'INVALID_INPUT', /moment is 7/],
    missing: ['@mine', {}, 'INVALID_INPUT', /moment is missing/],
    'too large': ['@mine', { moment: 'mine/1/1', given: 'f'.repeat(65) }, 'INVALID_INPUT', /64 hex digits/],
    'not yours': ['@mine', { moment: 'mine/1/1' }, 'FORBIDDEN', /accept-difference needs ancestor/],
    gone: ['@mine', { moment: 'other/1/1' }, 'INVALID_INPUT', /a moment of @mine/],
  },
  'set-hold': {
    'wrong type': ['@mine', { name: 7, why: 'a letter' }, 'INVALID_INPUT', /name is 7/],
    missing: ['@mine', { name: 'case-1' }, 'INVALID_INPUT', /why is missing/],
    'too large': ['@mine', { name: 'case-1', why: 'y'.repeat(501) }, 'INVALID_INPUT', /at most 500/],
    'not yours': ['@mine', { name: 'case-1', why: 'a letter' }, 'FORBIDDEN', /set-hold needs operator/],
    gone: ['@nobody', { name: 'case-1', why: 'a letter' }, 'BEING_NOT_FOUND', /@nobody/],
  },
  'lift-hold': {
    'wrong type': ['@mine', { name: 7, why: 'settled' }, 'INVALID_INPUT', /name is 7/],
    missing: ['@mine', { name: 'case-1' }, 'INVALID_INPUT', /why is missing/],
    'too large': ['@mine', { name: 'case-1', why: 'y'.repeat(501) }, 'INVALID_INPUT', /at most 500/],
    'not yours': ['@mine', { name: 'case-1', why: 'settled' }, 'FORBIDDEN', /lift-hold needs operator/],
    gone: ['@nobody', { name: 'case-1', why: 'settled' }, 'BEING_NOT_FOUND', /@nobody/],
  },
  'set-world-signal': {
    'wrong type': ['/', { namespace: 7, key: 'a', value: 1 }, 'INVALID_INPUT', /namespace is 7/],
    missing: ['/', { namespace: 'a', key: 'b' }, 'INVALID_INPUT', /value is missing/],
    'too large': ['/', { namespace: 'a', key: 'b', value: HUGE }, 'PAYLOAD_TOO_LARGE', /65536/],
    'not yours': ['/', { namespace: 'stage', key: 'b', value: 1 }, 'FORBIDDEN', /may not publish in stage/],
    gone: ['/hall', { namespace: 'a', key: 'b', value: 1 }, 'INVALID_TYPE', /takes the reality/],
  },
  'grant-namespace': {
    'wrong type': ['/', { namespace: 7, being: '@mine' }, 'INVALID_INPUT', /namespace is 7/],
    missing: ['/', { namespace: 'a' }, 'INVALID_INPUT', /being is missing/],
    'too large': ['/', { namespace: LONG, being: '@mine' }, 'INVALID_INPUT', /at most 8/],
    'not yours': ['/', { namespace: 'stage', being: '@mine' }, 'FORBIDDEN', /who publishes in stage/],
    gone: ['/', { namespace: 'a', being: '@nobody' }, 'BEING_NOT_FOUND', /@nobody/],
  },
  'revoke-namespace': {
    'wrong type': ['/', { namespace: 'a', being: 7 }, 'INVALID_INPUT', /being is 7/],
    missing: ['/', { being: '@mine' }, 'INVALID_INPUT', /namespace is missing/],
    'too large': ['/', { namespace: LONG, being: '@mine' }, 'INVALID_INPUT', /at most 8/],
    'not yours': ['/', { namespace: 'stage', being: '@mine' }, 'FORBIDDEN', /who publishes in stage/],
    gone: ['/', { namespace: 'a', being: '@mine' }, 'RESOURCE_CONFLICT', /not granted to @mine/],
  },
  'set-schedule': {
    'wrong type': ['@mine', { name: 'x', everySeconds: 'often' }, 'INVALID_INPUT', /everySeconds is "often"/],
    missing: ['@mine', { everySeconds: 5 }, 'INVALID_INPUT', /name is missing/],
    'too large': ['@mine', { name: 'x', everySeconds: 1e9 }, 'INVALID_INPUT', /1000000000/],
    'not yours': ['@mine', { name: 'x', everySeconds: 5 }, 'FORBIDDEN', /set-schedule needs self/],
    gone: NOBODY,
  },
  'delete-schedule': {
    'wrong type': ['@mine', { name: 7 }, 'INVALID_INPUT', /name is 7/],
    missing: ['@mine', {}, 'INVALID_INPUT', /name is missing/],
    'not yours': ['@mine', { name: 'x' }, 'FORBIDDEN', /delete-schedule needs self/],
    gone: ['@mine', { name: 'x' }, 'INVALID_INPUT', /has no schedule x/],
    none: { 'too large': 'a name that long is of no schedule: gone' },
  },
  subscribe: {
    'wrong type': ['@mine', { name: 'x', scope: '/hall', field: 7 }, 'INVALID_INPUT', /field is 7/],
    missing: ['@mine', { name: 'x', field: 'a.b' }, 'INVALID_INPUT', /scope is missing/],
    'too large': [
      '@mine',
      { name: 'x', scope: '/hall', field: 'a.b', coalesceSeconds: 1e9 },
      'INVALID_INPUT',
      /coalesceSeconds is 1000000000/,
    ],
    'not yours': ['@mine', { name: 'x', scope: '/hall', field: 'a.b' }, 'FORBIDDEN', /subscribe needs self/],
    gone: ['@mine', { name: 'x', scope: '/nowhere', field: 'a.b' }, 'SPACE_NOT_FOUND', /\/nowhere/],
  },
  unsubscribe: {
    'wrong type': ['@mine', { name: 7 }, 'INVALID_INPUT', /name is 7/],
    missing: ['@mine', {}, 'INVALID_INPUT', /name is missing/],
    'not yours': ['@mine', { name: 'x' }, 'FORBIDDEN', /unsubscribe needs self/],
    gone: ['@mine', { name: 'x' }, 'INVALID_INPUT', /has no subscription x/],
    none: { 'too large': 'a name that long is of no subscription: gone' },
  },
  'set-role': {
    'wrong type': ['/', { role: 7 }, 'INVALID_INPUT', /role/],
    missing: ['/', { role: { prompt: '' } }, 'INVALID_INPUT', /name is missing/],
    'too large': ['/', { role: { name: 'big', prompt: 'x'.repeat(40_000) } }, 'PAYLOAD_TOO_LARGE', /32768/],
    'not yours': ['/', { role: { name: 'held', prompt: '' } }, 'FORBIDDEN', /held was written by @operator/],
    gone: ['/hall', { role: { name: 'x', prompt: '' } }, 'INVALID_TYPE', /takes the reality/],
  },
  'delete-role': {
    'wrong type': ['/', { name: 7 }, 'INVALID_INPUT', /7/],
    missing: ['/', {}, 'INVALID_INPUT', /name|role/],
    'too large': ['/', { name: 'x'.repeat(500) }, 'INVALID_INPUT', /xxx/],
    'not yours': ['/', { name: 'held' }, 'FORBIDDEN', /held was written by @operator/],
    gone: ['/', { name: 'ghost' }, 'ROLE_UNAVAILABLE', /"ghost" is not registered/],
  },
  mediate: {
    'wrong type': ['/hall', {}, 'INVALID_TYPE', /takes a being/],
    'not yours': ['@mine', {}, 'FORBIDDEN', /mediate needs self/],
    gone: NOBODY,
    none: NO_ARGUMENTS,
  },
  'set-budget': {
    'wrong type': ['@mine', { tokens: 'many' }, 'INVALID_INPUT', /tokens is "many"/],
    'too large': ['@mine', { tokens: 1e30 }, 'INVALID_INPUT', /tokens is 1e\+30/],
    'not yours': ['@mine', { tokens: 5 }, 'FORBIDDEN', /set-budget needs ancestor/],
    gone: NOBODY,
    none: { missing: 'a budget without limits limits nothing' },
  },
  'unpark-being': {
    'wrong type': ['/hall', {}, 'INVALID_TYPE', /takes a being/],
    'not yours': ['@mine', {}, 'FORBIDDEN', /unpark-being needs ancestor/],
    gone: ['@mine', {}, 'RESOURCE_CONFLICT', /@mine is not parked/],
    none: NO_ARGUMENTS,
  },
  'cut-thread': {
    'wrong type': ['@mine', {}, 'INVALID_TYPE', /takes a thread/],
    'not yours': ['thread:THREAD', {}, 'FORBIDDEN', /no part/],
    gone: ['thread:00000000-0000-4000-8000-000000000000', {}, 'CORRELATION_NOT_FOUND', /00000000/],
    none: NO_ARGUMENTS,
  },
  erase: {
    'wrong type': ['@mine', { fact: 7, why: 'so' }, 'INVALID_INPUT', /fact is 7/],
    missing: ['@mine', {}, 'INVALID_INPUT', /why is missing/],
    'too large': ['@mine', { moment: 'mine/1/1', why: 'x'.repeat(501) }, 'INVALID_INPUT', /at most 500/],
    'not yours': ['@mine', { moment: 'mine/1/1', why: 'so' }, 'FORBIDDEN', /erase needs operator/],
    gone: ['@mine', { moment: 'mine/1/9999', why: 'so' }, 'RESOURCE_CONFLICT', /no finished moment mine/],
  },
  approve: {
    'wrong type': ['@operator', { id: 'mine/1/1', args: 7 }, 'INVALID_INPUT', /args is 7/],
    missing: ['@operator', {}, 'INVALID_INPUT', /id is missing/],
    'not yours': ['@mine', { id: 'mine/1/1' }, 'FORBIDDEN', /approve needs self/],
    gone: ['@operator', { id: 'mine/1/9999' }, 'CORRELATION_NOT_FOUND', /nothing that waits/],
    none: { 'too large': 'an id that long is of nothing that waits: gone' },
  },
  deny: {
    'wrong type': ['@operator', { id: 7 }, 'INVALID_INPUT', /id is 7/],
    missing: ['@operator', {}, 'INVALID_INPUT', /id is missing/],
    'too large': ['@operator', { id: 'mine/1/1', why: 'x'.repeat(1001) }, 'INVALID_INPUT', /at most 1000/],
    'not yours': ['@mine', { id: 'mine/1/1' }, 'FORBIDDEN', /deny needs self/],
    gone: ['@operator', { id: 'mine/1/9999' }, 'CORRELATION_NOT_FOUND', /nothing that waits/],
  },
  vouch: {
    'wrong type': ['@mine', { seen: 7 }, 'INVALID_INPUT', /seen is 7/],
    missing: ['@mine', {}, 'INVALID_INPUT', /seen is missing/],
    'not yours': ['@mine', { seen: 'x' }, 'FORBIDDEN', /vouch needs self/],
    gone: ['@mine', { seen: 'x' }, 'RESOURCE_CONFLICT', /holds nothing from outside/],
    none: { 'too large': 'what was seen is compared, and kept nowhere' },
  },
}

const named = ([target, args, code, says]: Refusal): Refusal => [
  target.replace('THREAD', thread),
  args,
  code,
  says,
]

describe.each(Object.entries(DO))('%s', (operation, { none: _none, ...faults }) => {
  it.each(Object.entries(faults) as [string, Refusal][])('%s', async (kind, refusal) => {
    const [target, args, code, says] = named(refusal)
    const call = { verb: 'do', operation, target, args } as VerbCall
    if (kind === 'not yours') {
      // The words that it is told are written, and nothing else.
      const ground = await lastSeqs()
      expect(await play(world, 'stranger', call)).toMatchObject({
        outcome: 'failure',
        reason: code,
        message: expect.stringMatching(says),
        act: null,
      })
      expect(await lastSeqs()).toEqual(ground)
    } else await expectRefused(world, () => act(world, 'operator', call), code, says)
  })
})

/** Where the reels stand, but for what the operator says. */
async function lastSeqs(): Promise<unknown> {
  return world.db
    .selectFrom('head')
    .select(['reel', 'seq'])
    .where('reel', 'not like', 'moments:%')
    .where('reel', '<>', 'being:operator')
    .where('seq', '>', 0)
    .orderBy('reel')
    .execute()
}

it('every operation of the substrate is tried with every fault, or says why it has none', () => {
  expect(Object.keys(DO).sort()).toEqual(seed.operations.map(({ name }) => name).sort())
  const kinds = ['wrong type', 'missing', 'too large', 'not yours', 'gone']
  for (const [action, { none = {}, ...faults }] of Object.entries(DO))
    expect([...Object.keys(faults), ...Object.keys(none)].sort(), action).toEqual([...kinds].sort())
})

it.each([
  [
    'an unknown action',
    { verb: 'do', operation: 'fly', target: '/', args: {} },
    'ACTION_NOT_SUPPORTED',
    /"fly"/,
  ],
  ['an unknown operation', { verb: 'be', operation: 'reborn', args: {} }, 'ACTION_NOT_SUPPORTED', /"reborn"/],
  [
    'an unknown argument',
    { verb: 'do', operation: 'move', target: '/hall', args: { fast: true } as JsonObject },
    'INVALID_INPUT',
    /"fast"/,
  ],
] as const)('%s', async (_what, call, code, says) => {
  await expectRefused(world, () => act(world, 'operator', call as VerbCall), code, says)
})

it.each<[string, Json, RegExp]>([
  ['null', null, /an act is an object with a call/],
  ['a text', 'hello', /an act is an object with a call/],
  ['an object without a call', {}, /call/],
])('an act row with %s for its content fails its moment', async (what, content, says) => {
  const id = actWakeId(`bad row: ${what}`)
  const priority = PRIORITIES.human
  await enqueue(world.db, 'act', newWake({ id, being: 'person', kind: 'act', priority, content }))
  await ring(world, 'person')
  expect(await momentOf(world, id, 20)).toMatchObject({
    outcome: 'failure',
    reason: 'INVALID_INPUT',
    message: expect.stringMatching(says),
    act: null,
  })
})
