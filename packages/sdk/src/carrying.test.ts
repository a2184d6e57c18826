import type { Json, JsonObject } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { defineExtension } from './define-extension.ts'
import { defineOperation } from './define-operation.ts'
import { makeMatter, setQuality, writeMatter } from './facts.ts'
import { being, decide, matter, space } from './testing.ts'

/** The operation does what its argument says, so that each case is one call. */
const guild = defineExtension({
  name: 'guild',
  version: '1.0.0',
  carriesOut: ['set-schedule'],
  matterTypes: { 'guild:tool': 'a tool' },
  operations: [
    defineOperation({
      name: 'guild:carry',
      description: 'Carries out an operation.',
      on: 'being',
      allow: ['self'],
      about: {},
      args: {
        '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as JsonObject }) },
      },
      async decide({ actor, args, carryOut }) {
        const {
          action: operation,
          target,
          given,
        } = args as { action: string; target: string; given: JsonObject }
        const result = await carryOut({ operation, target, args: given })
        return { facts: [setQuality(actor, 'guild.carried', result)] }
      },
    }),
    defineOperation({
      name: 'guild:write',
      description: 'Writes facts.',
      on: 'being',
      allow: ['self'],
      about: {},
      args: {
        '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as JsonObject }) },
      },
      decide: ({ args }) => ({ facts: args.facts as never }),
    }),
  ],
})

const ann = being({ name: 'ann' })
const bob = being({ name: 'bob' })
const root = space({ path: '/' })
const every = { name: 'beat', everySeconds: 60 }
const carry = (action: string, target: string, given: JsonObject) =>
  decide(guild, 'guild:carry', {
    actor: ann,
    target: ann,
    args: { action, target, given },
    world: [root, bob],
  })
const write = (facts: unknown, world = [root, bob] as Parameters<typeof decide>[2]['world']) =>
  decide(guild, 'guild:write', {
    actor: ann,
    target: ann,
    args: { facts: facts as Json },
    ...(world && { world }),
  })

describe('an operation carries out one of TreeOS', () => {
  it('whose facts come before its own, with its result', async () => {
    const { facts } = await carry('set-schedule', '@ann', every)
    expect(facts).toMatchObject([
      { reel: 'being:ann', kind: 'quality:set', payload: { path: ['schedule', 'beat'] } },
      { payload: { path: ['guild', 'carried'], value: { name: 'beat', everySeconds: 60 } } },
    ])
  })

  it.each([
    [
      'that its manifest does not name',
      'set-being',
      '@ann',
      { field: 'guild.x', value: 1 },
      'EXTENSION_BLOCKED',
      /set-being.*names set-schedule/,
    ],
    ['that is one of an extension', 'guild:write', '@ann', { facts: [] }, 'EXTENSION_BLOCKED', /guild:write/],
    ['that does not exist', 'fly', '@ann', {}, 'EXTENSION_BLOCKED', /fly/],
    ['without standing', 'set-schedule', '@bob', every, 'FORBIDDEN', /not granted: do set-schedule/],
    [
      'with arguments that it refuses',
      'set-schedule',
      '@ann',
      { name: 'beat' },
      'INVALID_INPUT',
      /everySeconds/,
    ],
  ])('but not one %s', async (_what, action, target, given, code, message) => {
    await expect(carry(action, target, given)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
  })
})

describe('an operation makes and writes things', () => {
  const thing = { id: 'saw', type: 'guild:tool', content: { sharp: true } }
  const made = makeMatter(ann, thing)

  it('of its own types, which the actor owns and holds', async () => {
    expect((await write(made)).facts).toEqual(made)
    const saw = matter({ ...thing, owner: 'ann', place: '@ann' })
    expect((await write([writeMatter(saw, 'blunt')], [root, saw])).facts).toHaveLength(1)
  })

  const [created, arrived] = made as [(typeof made)[0], (typeof made)[0]]
  const changed = (payload: JsonObject) => [
    { ...created, payload: { ...created.payload, ...payload } },
    arrived,
  ]
  it.each([
    ['of another type', makeMatter(ann, { ...thing, type: 'thing' })],
    ['of a type that its manifest does not name', makeMatter(ann, { ...thing, type: 'guild:boat' })],
    ['that somebody else owns', changed({ owner: 'bob' })],
    ['that lies elsewhere', changed({ place: '/' })],
    ['with qualities', changed({ qualities: { x: 1 } })],
    ['under the reel of another thing', changed({ id: 'axe' })],
    ['that arrives nowhere', [created]],
    ['that only arrives', [arrived]],
    ['that arrives at somebody else', [created, { ...arrived, reel: 'being:bob' }]],
    ['twice', [created, created, arrived]],
  ])('but none %s', async (_what, facts) => {
    await expect(write(facts)).rejects.toMatchObject({ code: 'EXTENSION_BLOCKED' })
  })

  it('but none whose id is taken, and writes none of another type or of somebody else', async () => {
    const saw = matter({ ...thing, owner: 'bob', place: '@bob' })
    await expect(write(made, [root, bob, saw])).rejects.toMatchObject({ code: 'RESOURCE_CONFLICT' })
    await expect(write([writeMatter(saw, 1)], [root, bob, saw])).rejects.toMatchObject({
      code: 'EXTENSION_BLOCKED',
    })
    const plain = matter({ id: 'saw', owner: 'ann', place: '@ann' })
    await expect(write([writeMatter(plain, 1)], [root, plain])).rejects.toMatchObject({
      code: 'EXTENSION_BLOCKED',
    })
  })
})
