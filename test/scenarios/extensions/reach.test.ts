import type { MomentView } from '@treeos/client'
import {
  type BeingRow,
  defineExtension,
  defineOperation,
  publishSignal,
  recordFact,
  setQuality,
} from '@treeos/sdk'
import { being, decide, space } from '@treeos/sdk/testing'
import { readRows } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { doAs, groundOf, live, play } from '../../support/life.ts'
import { drawn } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { useWorld } from '../../support/use-world.ts'

/** The facts that each operation of the extension writes, by its name. */
const WRITES = {
  'a quality of another namespace': (actor: BeingRow) => setQuality(actor, 'mood.tone', 'sly'),
  'the role flow': (actor: BeingRow) => setQuality(actor, 'role-flow.x', []),
  'who may do what in a space': () => ({
    reel: 'space:/',
    kind: 'quality:set',
    payload: { path: ['permissions', 'do', 'move'], value: true, merge: false },
  }),
  'a role flow by its real name': (actor: BeingRow) => ({
    reel: `being:${actor.name}`,
    kind: 'quality:set',
    payload: { path: ['roleFlow'], value: [], merge: false },
  }),
  'a signal of another namespace': () => publishSignal('weather.wind', 9),
  'a signal that its manifest does not name': () => publishSignal('thief.loot', 1),
  'its own signal on the reel of another': () => ({
    reel: 'world:weather',
    kind: 'signal:published',
    payload: { namespace: 'thief', key: ['x'], value: 1 },
  }),
  'its own quality on a role': () => ({
    reel: 'registry',
    kind: 'quality:set',
    payload: { path: ['thief', 'x'], value: 1, merge: false },
  }),
  'a birth': () => ({ reel: 'being:bastard', kind: 'being:born', payload: { name: 'bastard' } }),
  'a budget': (actor: BeingRow) => ({
    reel: `being:${actor.name}`,
    kind: 'being:budgeted',
    payload: { budget: {} },
  }),
  'a fact of another extension': (actor: BeingRow) => recordFact(actor, 'court:ruled'),
} as const
const named = Object.entries(WRITES)

/** Results that no operation may return; untyped code could. */
const GIVES: Record<string, [gives: unknown, code: string, message: RegExp]> = {
  nothing: [undefined, 'INTERNAL', /threw TypeError/],
  'no facts': [{ result: 1 }, 'INTERNAL', /threw TypeError/],
  'a malformed fact': [{ facts: [7] }, 'INTERNAL', /undefined/],
  'a fact of no number': [
    { facts: [{ reel: 'space:/', kind: 'thief:x', payload: { n: 0 / 0 } }] },
    'INTERNAL',
    /NaN/,
  ],
  'a quality of no number': [
    { facts: [{ reel: 'space:/', kind: 'quality:set', payload: { path: ['thief', 'x'], value: 0 / 0 } }] },
    'INTERNAL',
    /NaN/,
  ],
  'a result of nothing': [{ facts: [], result: { a: undefined } }, 'INTERNAL', /undefined/],
  'a date to answer with': [{ facts: [], reply: new Date(0) }, 'INTERNAL', /plain/],
  'too large a result': [{ facts: [], result: 'x'.repeat(65_536) }, 'PAYLOAD_TOO_LARGE', /65538 bytes/],
  'too large a fact': [
    { facts: [{ reel: 'space:/', kind: 'thief:x', payload: { x: 'x'.repeat(65_536) } }] },
    'PAYLOAD_TOO_LARGE',
    /at most 65536/,
  ],
}

const thief = defineExtension({
  name: 'thief',
  version: '1.0.0',
  signals: { about: 'whether one is about' },
  operations: [
    ...named.map(([, write], i) =>
      defineOperation({
        name: `thief:try-${i}`,
        description: 'Writes what is not its own.',
        on: 'space',
        allow: ['anyone'],
        decide: ({ actor }) => ({ facts: [setQuality(actor, 'thief.tried', i), write(actor)] }),
      }),
    ),
    ...Object.values(GIVES).map(([gives], i) =>
      defineOperation({
        name: `thief:give-${i}`,
        description: 'Gives a malformed outcome.',
        on: 'space',
        allow: ['anyone'],
        decide: () => gives as never,
      }),
    ),
    defineOperation({
      name: 'thief:die',
      description: 'Dies of a fault in its code.',
      on: 'space',
      allow: ['anyone'],
      decide: () => {
        throw new RangeError('the secret of the house')
      },
    }),
    defineOperation({
      name: 'thief:keep',
      description: 'Writes what is its own.',
      on: 'space',
      allow: ['anyone'],
      args: z.object({ size: z.number().int().min(0).describe('how many characters') }),
      decide: ({ actor, target, args }) => ({
        facts: [
          setQuality(actor, 'thief.kept', 'x'.repeat(args.size)),
          publishSignal('thief.about', true),
          recordFact(target, 'thief:passed', { size: args.size }),
        ],
      }),
    }),
  ],
})

const world = useWorld({ extensions: [stage, thief] })
beforeAll(async () => {
  await world.birthPuppet('hand')
})

/** The unit test of the extension gets the same refusal as the moment. */
const expectToldAlike = ({ reason, message }: MomentView, action: string) =>
  expect(
    decide(thief, action, { actor: being({ name: 'hand' }), target: space({ path: '/' }) }),
  ).rejects.toMatchObject({ code: reason, message })

describe('an operation of an extension', () => {
  it.each(drawn(named.map(([what], i) => [what, i] as const)))(
    'may not write %s: all of it is refused',
    async (_what, i) => {
      const before = await groundOf(world)
      const moment = await play(world, 'hand', {
        verb: 'do',
        operation: `thief:try-${i}`,
        target: '/',
        args: {},
      })
      expect(moment).toMatchObject({
        outcome: 'failure',
        reason: 'EXTENSION_BLOCKED',
        message: expect.stringMatching(new RegExp(`^thief:try-${i} of extension thief may not write `)),
      })
      await expectToldAlike(moment, `thief:try-${i}`)
      // The only new fact is the operator's summon of the puppet.
      expect((await groundOf(world)) as { facts: number }).toMatchObject({
        facts: (before as { facts: number }).facts + 1,
      })
    },
  )

  it('that dies is a failed moment, of which the words stay unsaid, and its actor lives on', async () => {
    const moment = await play(world, 'hand', { verb: 'do', operation: 'thief:die', target: '/', args: {} })
    expect(moment).toMatchObject({
      outcome: 'failure',
      reason: 'INTERNAL',
      message: 'operation thief:die of extension thief threw RangeError',
    })
    await expectToldAlike(moment, 'thief:die')
    expect(await live(world, 'hand', 'and now?')).toMatchObject({ outcome: 'see' })
  })

  it.each(
    drawn(Object.entries(GIVES).map(([what, [, code, message]], i) => [what, code, message, i] as const)),
  )('that gives %s is a failed moment, once', async (_what, code, message, i) => {
    const call = { verb: 'do', operation: `thief:give-${i}`, target: '/', args: {} }
    const moment = await play(world, 'hand', call)
    expect(moment).toMatchObject({
      outcome: 'failure',
      reason: code,
      message: expect.stringMatching(message),
    })
    await expectToldAlike(moment, call.operation)
  })

  it('gives its namespace of signals to the operator, whoever does it first', async () => {
    const call = { verb: 'do', operation: 'thief:keep', target: '/', args: { size: 1 } }
    expect(await play(world, 'hand', call)).toMatchObject({ outcome: 'act' })
    const [row] = await readRows(world.db, world.reality.id, ['world:thief'])
    expect(row?.state).toMatchObject({ owner: 'operator', values: { about: true } })
    const args = { namespace: 'thief', key: 'about', value: false }
    expect(
      await play(world, 'hand', { verb: 'do', operation: 'set-world-signal', target: '/', args }),
    ).toMatchObject({
      outcome: 'failure',
      reason: 'FORBIDDEN',
    })
  })

  it('writes qualities and signals of its own name, and facts of its own kinds, within the bounds of all', async () => {
    expect(await doAs(world, 'thief:keep', '/', { size: 10 })).toMatchObject({
      facts: [{ kind: 'quality:set' }, { kind: 'thief:passed' }, { kind: 'signal:published' }],
    })
    await expect(doAs(world, 'thief:keep', '/', { size: 2_000_000 })).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    })
  })
})
