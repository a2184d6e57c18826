import { prompt, see } from '@treeos/client'
import { canonicalJson, type JsonObject } from '@treeos/core'
import { defineExtension, defineRole } from '@treeos/sdk'
import { readRows, refold } from '@treeos/store'
import { FOLD } from '@treeos/world'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSpace, doAs, groundOf, live, play } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

/** Shows what lies around and what one holds. */
const eyes = defineExtension({
  name: 'eyes',
  version: '1.0.0',
  roles: [
    defineRole({
      name: 'eyes:seeing',
      canSee: [{ pattern: '*' }],
      canDo: [{ pattern: '*' }],
      see: ['eyes:things'],
      prompt: '',
    }),
  ],
  see: {
    'eyes:things': async ({ me, world }) => ({
      here: await world.matters(me.space),
      held: await world.matters(`@${me.name}`),
    }),
  },
})

const world = useWorld({ extensions: [stage, eyes] })
beforeAll(async () => {
  for (const path of ['/hall', '/attic']) await createSpace(world, path)
  for (const name of ['ann', 'ben'])
    await world.birth({
      name,
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'eyes:seeing',
      home: '/hall',
    })
})

const does = (being: string, operation: string, target: string, args: JsonObject = {}) =>
  play(world, being, { verb: 'do', operation, target, args })
const lies = async (address: string) => (await see(world, 'operator', address)).matters
const where = async (id: string) => {
  const { address } = await see(world, 'operator', `matter:${id}`)
  return address.being ?? address.path
}

describe('a thing', () => {
  it('is made in a space by whoever may, and seen there, whole by its address', async () => {
    const made = await doAs(world, 'create-matter', '/hall', {
      id: 'globe',
      type: 'thing',
      content: { of: 'glass' },
    })
    expect(made).toMatchObject({
      result: { matter: 'matter:globe', place: '/hall' },
      facts: [
        { reel: 'matter:globe', seq: 1, kind: 'matter:created' },
        { reel: 'space:/hall', kind: 'place:received' },
      ],
    })
    expect(await lies('/hall')).toEqual(['matter:globe'])
    expect(await see(world, 'operator', 'matter:globe')).toMatchObject({
      address: { path: '/hall', being: null },
      type: 'thing',
      content: { of: 'glass' },
      beingLineage: ['@operator'],
      qualities: {},
    })
    expect(await does('ann', 'create-matter', '/hall', { id: 'mine' })).toMatchObject({ reason: 'FORBIDDEN' })
  })

  it('has qualities, which its owner sets as those of all else: merged, unset, deep, within bounds', async () => {
    const set = (args: JsonObject) => doAs(world, 'set-matter', 'matter:globe', args)
    await set({ field: 'wear', value: { worn: true, by: 'time' } })
    await set({ field: 'wear.by', value: null })
    await set({ field: 'wear.deep.er', value: [1] })
    const { qualities } = await see(world, 'operator', 'matter:globe')
    expect(qualities).toEqual({ wear: { worn: true, deep: { er: [1] } } })
    await expect(set({ field: '__proto__.x', value: 1 })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    await expect(set({ field: 'wear', value: 'x'.repeat(2_000_000) })).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    })
    expect(
      await does('ann', 'set-matter', 'matter:globe', { field: 'wear.worn', value: false }),
    ).toMatchObject({
      reason: 'FORBIDDEN',
    })
  })

  it('is taken where a space lets one, held, and laid down where its holder is', async () => {
    expect(await does('ann', 'take', 'matter:globe')).toMatchObject({ reason: 'FORBIDDEN' })
    await doAs(world, 'set-space', '/hall', { field: 'permissions.do.take', value: true })
    expect(await does('ann', 'take', 'matter:globe')).toMatchObject({ outcome: 'act' })
    expect([await where('globe'), await lies('/hall'), await lies('@ann')]).toEqual([
      '@ann',
      [],
      ['matter:globe'],
    ])
    // A held thing cannot be taken, and only its holder can put it down.
    expect(await does('ben', 'take', 'matter:globe')).toMatchObject({
      reason: 'RESOURCE_CONFLICT',
      message: 'matter:globe is not in /hall: @ann holds it',
    })
    expect(await does('ben', 'put', 'matter:globe')).toMatchObject({ reason: 'FORBIDDEN' })
    await does('ann', 'move', '/attic')
    expect(await does('ann', 'put', 'matter:globe')).toMatchObject({ outcome: 'act' })
    expect([await where('globe'), await lies('/attic'), await lies('@ann')]).toEqual([
      '/attic',
      ['matter:globe'],
      [],
    ])
  })

  it('may be changed by its owner only, whatever the rules of its space', async () => {
    await doAs(world, 'set-space', '/attic', { field: 'permissions.do', value: { '*': true } })
    for (const [action, args] of [
      ['set-matter', { field: 'wear.worn', value: false }],
      ['write-matter', { content: 'mine' }],
      ['end-matter', {}],
    ] as const)
      expect(await does('ann', action, 'matter:globe', args)).toMatchObject({ reason: 'FORBIDDEN' })
    await doAs(world, 'write-matter', 'matter:globe', { content: 'of brass' })
    expect(await see(world, 'operator', 'matter:globe')).toMatchObject({ content: 'of brass' })
  })

  it('is shown by a see-resolver, in the place it lies in and to the being that holds it, and replay shows the same', async () => {
    const shown = async () => {
      const { n } = await live(world, 'ann', 'look')
      const { system, identical } = await prompt(world.db, world.registry, 'ann', n)
      expect(identical).toBe(true)
      const [, view = ''] = /\[things\]\n(\{[\s\S]*?\n\})/.exec(system) ?? []
      return JSON.parse(view) as unknown
    }
    expect(await shown()).toEqual({ here: ['globe'], held: [] })
    expect(await does('ann', 'take', 'matter:globe')).toMatchObject({ outcome: 'act' })
    expect(await shown()).toEqual({ here: [], held: ['globe'] })
    await does('ann', 'move', '/hall')
    await doAs(world, 'create-matter', '/hall', { id: 'lamp' })
    expect(await shown()).toEqual({ here: ['lamp'], held: ['globe'] })
    await expectReplays(world)
  })

  it('ends once, is gone then, and its id is never used again', async () => {
    await doAs(world, 'end-matter', 'matter:lamp', {})
    expect(await lies('/hall')).toEqual([])
    for (const action of ['take', 'put', 'end-matter', 'set-matter', 'write-matter'])
      await expect(doAs(world, action, 'matter:lamp', {})).rejects.toMatchObject({ code: 'MATTER_NOT_FOUND' })
    await expect(see(world, 'operator', 'matter:lamp')).rejects.toMatchObject({ code: 'MATTER_NOT_FOUND' })
    await expect(doAs(world, 'create-matter', '/attic', { id: 'lamp' })).rejects.toMatchObject({
      code: 'RESOURCE_CONFLICT',
    })
  })

  it('goes to one of two beings that take it at once', async () => {
    await doAs(world, 'create-matter', '/hall', { id: 'crown' })
    await does('ann', 'move', '/hall').catch(() => undefined)
    const taken = await Promise.all(['ann', 'ben'].map((name) => does(name, 'take', 'matter:crown')))
    expect(taken.map(({ outcome }) => outcome).sort()).toEqual(['act', 'failure'])
    expect(['@ann', '@ben']).toContain(await where('crown'))
  })

  it.each<[string, string, JsonObject, string, RegExp]>([
    ['create-matter', '/hall', {}, 'INVALID_INPUT', /id/],
    ['create-matter', '/hall', { id: 'No Key' }, 'INVALID_INPUT', /No Key/],
    ['create-matter', '/hall', { id: 'x', type: 'A b' }, 'INVALID_INPUT', /A b/],
    ['create-matter', '/hall', { id: 'x', more: 1 }, 'INVALID_INPUT', /more/],
    ['create-matter', '@ann', { id: 'x' }, 'INVALID_TYPE', /create-matter/],
    ['create-matter', '/nowhere', { id: 'x' }, 'SPACE_NOT_FOUND', /nowhere/],
    ['write-matter', '/hall', { content: 1 }, 'INVALID_TYPE', /write-matter/],
    ['take', 'matter:', {}, 'ADDRESS_PARSE_ERROR', /matter/],
    ['take', 'matter:void', {}, 'MATTER_NOT_FOUND', /void/],
  ])(
    '%s on %s with %j is refused: %s, and nothing is written',
    async (action, target, args, code, message) => {
      const before = await groundOf(world)
      await expect(doAs(world, action, target, args)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      })
      expect(await groundOf(world)).toEqual(before)
    },
  )

  it('of more content than a being may say is refused: PAYLOAD_TOO_LARGE', async () => {
    const before = await groundOf(world)
    const args = { id: 'x', content: 'x'.repeat(300_000) }
    await expect(doAs(world, 'create-matter', '/hall', args)).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    })
    expect(await groundOf(world)).toEqual(before)
  })

  it('is a row that its reel gives back to the byte', async () => {
    const keys = ['matter:globe', 'matter:lamp', 'matter:crown']
    for (const { key, state } of await readRows(world.db, world.reality.id, keys)) {
      const folded = await refold(world.db, key, FOLD)
      expect(canonicalJson(folded.get(key)?.state as unknown as JsonObject)).toBe(canonicalJson(state))
    }
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
