import type { JsonObject } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  answer,
  defineExtension,
  defineOperation,
  defineRole,
  publishSignal,
  recordFact,
  setQuality,
} from './index.ts'
import { being, decide, matter, renderPrompt, runScript, signals, space, worldOf } from './testing.ts'

const tea = defineExtension({
  name: 'tea',
  version: '1.0.0',
  roles: [
    defineRole({
      name: 'tea:host',
      canSee: [{ rel: 'here' }],
      canDo: ['tea:pour'],
      canSummon: [{ rel: 'asker' }],
      see: ['tea:table'],
      prompt: ({ me, face }) => `You are ${me.name} in ${face.space.name}: ${JSON.stringify(face.views)}`,
    }),
    defineRole({ name: 'tea:sleepy', canSee: ['~'], prompt: 'You are sleepy.' }),
    defineRole({ name: 'tea:clumsy', see: ['tea:spill'], prompt: '' }),
  ],
  operations: [
    defineOperation({
      name: 'tea:pour',
      description: 'Pours.',
      on: 'being',
      allow: ['self'],
      args: z.object({ cups: z.number().int().max(100).default(1).describe('how many') }),
      async decide({ actor, target, args, world }) {
        const guests = (await world.occupants(target.space)).length
        const isHot = (await world.world('tea'))?.values.hot === true
        return {
          facts: Array.from({ length: args.cups }, () => setQuality(target, 'tea.cup', { by: actor.name })),
          result: { guests, isHot },
          reply: 'Here you are.',
        }
      },
    }),
    defineOperation({
      name: 'tea:order',
      description: 'Orders some from outside.',
      on: 'space',
      allow: ['owner'],
      args: z.object({ pounds: z.number().describe('how much') }),
      effect: { timeoutSeconds: 1, attempts: 1, perform: async () => 'never done here' },
      decide: ({ target, effect }) => ({ facts: [recordFact(target, 'tea:ordered', { receipt: effect })] }),
    }),
    defineOperation({
      name: 'tea:shout',
      description: 'Says what it may not say.',
      on: 'matter',
      allow: ['anyone'],
      decide: () => ({ facts: [publishSignal('tea.loud', true)] }),
    }),
    defineOperation({
      name: 'tea:drop',
      description: 'Dies.',
      on: 'matter',
      allow: ['anyone'],
      decide() {
        throw new RangeError('the pot')
      },
    }),
  ],
  signals: { hot: 'whether it is' },
  see: {
    'tea:table': async ({ me, world }) => world.matters(me.space),
    'tea:spill': () => {
      throw new RangeError('the milk')
    },
  },
  scripts: {
    'tea:host': ({ face, wake, primary, stacked, moment }) =>
      answer({ views: face.views, primary, stacked, moment, wake } as unknown as JsonObject),
    'tea:odd': () => 'tea' as never,
  },
})
const ann = being({ name: 'ann', space: '/parlour' })
const bob = being({ name: 'bob', home: '/parlour' })
const parlour = space({ path: '/parlour' })
const pot = matter({ id: 'pot', place: '/parlour' })

describe('what an operation decides', () => {
  it('is given as it is written, over the rows that are there', async () => {
    expect(await decide(tea, 'tea:pour', { actor: ann, target: bob, args: { cups: 2 } })).toEqual({
      facts: [setQuality(bob, 'tea.cup', { by: 'ann' }), setQuality(bob, 'tea.cup', { by: 'ann' })],
      result: { guests: 2, isHot: false },
      reply: 'Here you are.',
    })
    const world = [parlour, being({ name: 'cid', space: '/parlour' }), signals('tea', { hot: true })]
    expect(await decide(tea, 'tea:pour', { actor: ann, target: ann, world })).toMatchObject({
      facts: [{ reel: 'being:ann' }],
      result: { guests: 2, isHot: true },
    })
  })

  it.each<[string, string, Parameters<typeof decide>[2], string, string | RegExp]>([
    [
      'arguments',
      'tea:pour',
      { actor: ann, target: ann, args: { cups: 1.5 } },
      'INVALID_INPUT',
      /^tea:pour: cups is 1.5: /,
    ],
    [
      'a target',
      'tea:pour',
      { actor: ann, target: parlour },
      'INVALID_TYPE',
      'tea:pour takes a being, not /parlour',
    ],
    ['an action', 'tea:sip', { actor: ann, target: ann }, 'ACTION_NOT_SUPPORTED', /"tea:sip"/],
    [
      'more than an act may write',
      'tea:pour',
      { actor: ann, target: ann, args: { cups: 65 } },
      'PAYLOAD_TOO_LARGE',
      /of 65 facts/,
    ],
    [
      'what its manifest does not name',
      'tea:shout',
      { actor: ann, target: pot },
      'EXTENSION_BLOCKED',
      /the signal tea.loud: its manifest names hot$/,
    ],
    [
      'arguments before anything is done outside',
      'tea:order',
      { actor: ann, target: parlour },
      'INVALID_INPUT',
      /pounds is missing/,
    ],
  ])('is refused as in a worker: %s', async (_what, action, at, code, message) => {
    await expect(decide(tea, action, at)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
  })

  it('of code that dies is what a moment says of it, and whoever debugs finds the cause', async () => {
    await expect(decide(tea, 'tea:drop', { actor: ann, target: pot })).rejects.toMatchObject({
      code: 'INTERNAL',
      message: 'operation tea:drop of extension tea threw RangeError',
      cause: new RangeError('the pot'),
    })
  })

  it('rests on what came of its effect, which is not done here', async () => {
    const at = { actor: ann, target: parlour, args: { pounds: 2 } }
    expect((await decide(tea, 'tea:order', { ...at, effect: 'no 7' })).facts).toEqual([
      recordFact(parlour, 'tea:ordered', { receipt: 'no 7' }),
    ])
    await expect(decide(tea, 'tea:order', at)).rejects.toThrow(
      'tea:order has an effect: give the attempt its result as `effect`',
    )
  })
})

describe('what a script decides', () => {
  it('is of a moment that nobody woke, in the default role, when nothing is said', async () => {
    expect(await runScript(tea, 'tea:host', { me: ann })).toMatchObject({
      call: {
        content: {
          views: [],
          primary: 'resident',
          stacked: [],
          moment: 'ann/1/1',
          wake: { correlation: 'wake', root: 'wake', from: null, callerCognition: null, content: null },
        },
      },
    })
  })

  it('is of the views of what it wears, and of what woke it', async () => {
    const wears = ['tea:host', 'tea:sleepy']
    const wake = { from: 'bob', content: 'tea?', correlation: 'bob/1/7', root: 'x' }
    const decision = await runScript(tea, 'tea:host', { me: ann, wears, wake, world: [parlour, pot] })
    expect(decision).toMatchObject({
      call: {
        content: {
          views: [{ name: 'table', view: ['pot'] }],
          primary: 'tea:host',
          stacked: ['tea:sleepy'],
          wake: { ...wake, callerCognition: 'human', inReplyTo: null },
        },
      },
    })
  })

  it.each([
    ['a script that is not there', 'tea:gone', {}, 'extension tea has no script tea:gone'],
    ['a role that is not there', 'tea:host', { wears: ['tea:guest'] }, 'the extension has no role tea:guest'],
    ['a malformed decision', 'tea:odd', {}, /the decision is "tea"/],
    ['a view that dies', 'tea:host', { wears: ['tea:clumsy'] }, 'the milk'],
  ])('is an error: %s', async (_what, name, more, message) => {
    await expect(runScript(tea, name, { me: ann, ...more })).rejects.toThrow(message)
  })
})

it('a prompt says what it says of the face that its role sees', async () => {
  expect(await renderPrompt(tea, 'tea:host', { me: ann, world: [parlour, pot] })).toBe(
    'You are ann in parlour: [{"name":"table","view":["pot"]}]',
  )
  expect(await renderPrompt(tea, 'tea:sleepy', { me: ann })).toBe('You are sleepy.')
})

it('rows are found by what they are, and by the place they are in', async () => {
  const world = worldOf([ann, bob, parlour, pot, space({ path: '/' }), signals('tea', { hot: true })])
  expect(await world.being('bob')).toEqual(bob)
  expect(await world.occupants('/parlour')).toEqual(['ann', 'bob'])
  expect(await world.matters('/parlour')).toEqual(['pot'])
  expect(await world.childSpaces('/')).toEqual(['/parlour'])
  expect(await world.world('tea')).toMatchObject({ values: { hot: true } })
  expect(await world.being('cid')).toBeNull()
})
