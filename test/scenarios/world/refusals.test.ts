import { act, inbox, moments, see, summon } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createSpace,
  doAs,
  expectRefused,
  groundOf,
  live,
  momentOf,
  publish,
  tell,
} from '../../support/life.ts'
import { drawn } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const HALF = '\ud83d' // the first half of a character
const world = useWorld({ extensions: [stage] })
beforeAll(() => puppet('subject'))

const puppet = (name: string, more = {}) => world.birthPuppet(name, more)

const refused = (run: () => Promise<unknown>, code: string, says: string | RegExp) =>
  expectRefused(world, run, code, says)

describe('names, addresses and words', () => {
  it('any being is summoned by its stance; an unknown one is not found, by name', async () => {
    await refused(() => tell(world, 'nobody', 'hi'), 'BEING_NOT_FOUND', '@nobody')
    await refused(() => see(world, 'operator', '@nobody'), 'BEING_NOT_FOUND', '@nobody')
    await refused(() => see(world, 'operator', '/nowhere'), 'SPACE_NOT_FOUND', '/nowhere')
    await refused(() => see(world, 'nobody', '/'), 'BEING_NOT_FOUND', '@nobody')
    await refused(() => see(world, 'operator', 'a//b'), 'ADDRESS_PARSE_ERROR', 'a//b')
    await refused(
      () => act(world, 'operator', { verb: 'summon', target: 'library', content: 'x', inReplyTo: null }),
      'ADDRESS_PARSE_ERROR',
      'library',
    )
    await refused(() => tell(world, 'UPPER', 'hi'), 'ADDRESS_PARSE_ERROR', 'UPPER')
    for (const target of ['@subject', '/@subject', 'library/@subject']) {
      await act(world, 'operator', { verb: 'summon', target, content: 'x', inReplyTo: null })
    }
  })

  it.each(
    drawn([
      ['a lone surrogate', `a${HALF}b`, 'INVALID_INPUT', 'lone surrogate'],
      ['a NUL', 'a\0b', 'INVALID_INPUT', 'NUL'],
      ['2 MB', 'x'.repeat(2_000_000), 'PAYLOAD_TOO_LARGE', '2000002 bytes, at most 65536'],
      ['no words', '', 'INVALID_INPUT', 'content'],
      ['nothing', null, 'INVALID_INPUT', 'content'],
      ['a deep nest', JSON.parse('['.repeat(200) + ']'.repeat(200)), 'INVALID_INPUT', 'nested deeper'],
      ['__proto__', JSON.parse('{"__proto__": 1}'), 'INVALID_INPUT', '__proto__'],
      ['not a number', Number.NaN, 'INVALID_INPUT', 'NaN'],
      ['a date', new Date(0) as never, 'INVALID_INPUT', 'plain'],
    ]),
  )('a summon cannot say %s', async (_, content, code, says) => {
    await refused(
      () => summon(world, { target: 'subject', content, as: 'operator', waitSeconds: null }),
      code,
      says,
    )
  })

  it('content just within the bound is delivered whole', async () => {
    const content = 'ä'.repeat(32_000)
    const { reply } = await summon(world, { target: 'echo', content, as: 'operator', waitSeconds: 10 })
    expect(reply?.content).toBe(content)
  })

  it.each(
    drawn([
      [{ field: 'a.__proto__', value: 1 }, 'INVALID_INPUT', '__proto__'],
      [{ field: '__proto__.a', value: 1 }, 'INVALID_INPUT', '__proto__'],
      [{ field: 'constructor', value: JSON.parse('{"prototype": 1}') }, 'INVALID_INPUT', 'prototype'],
      [{ field: 'a', value: JSON.parse('{"__proto__": {"x": 1}}') }, 'INVALID_INPUT', '__proto__'],
      [{ field: 'Upper.case', value: 1 }, 'INVALID_INPUT', 'Upper.case'],
      [{ field: 'a.b.c.d.e.f.g.h.i', value: 1 }, 'INVALID_INPUT', 'at most 8'],
      [{ field: 'a.b' }, 'INVALID_INPUT', 'value is missing'],
      [{ value: 1 }, 'INVALID_INPUT', 'field is missing'],
      [{ field: 'a.b', value: 1, extra: 1 }, 'INVALID_INPUT', 'extra'],
      [{ field: 'a.b', value: 'x'.repeat(66_000) }, 'PAYLOAD_TOO_LARGE', 'at most 65536'],
    ]),
  )('a quality cannot be set by %j', async (args, code, says) => {
    await refused(() => doAs(world, 'set-being', '@subject', args as JsonObject), code, says)
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  it('a quality that no argument can carry in one piece is refused by its sum', async () => {
    await puppet('hoarder')
    await doAs(world, 'set-being', '@hoarder', { field: 'a.one', value: 'x'.repeat(40_000) })
    await refused(
      () => doAs(world, 'set-being', '@hoarder', { field: 'a.two', value: 'x'.repeat(40_000) }),
      'PAYLOAD_TOO_LARGE',
      'at most 65536 are kept',
    )
  })

  it('unknown actions, operations, verbs, roles and targets are named', async () => {
    await refused(() => doAs(world, 'operate-lathe', '/', {}), 'ACTION_NOT_SUPPORTED', '"operate-lathe"')
    await refused(() => doAs(world, '__proto__', '/', {}), 'ACTION_NOT_SUPPORTED', '"__proto__"')
    await refused(
      () => act(world, 'operator', { verb: 'be', operation: 'reborn', args: {} }),
      'ACTION_NOT_SUPPORTED',
      'there is birth',
    )
    await refused(() => doAs(world, 'move', '@subject', {}), 'INVALID_TYPE', 'move takes a space')
    await refused(
      () => doAs(world, 'set-being', '/', { field: 'a.b', value: 1 }),
      'INVALID_TYPE',
      'takes a being',
    )
    await refused(() => doAs(world, 'delete-role', '/', { name: 'ghost' }), 'ROLE_UNAVAILABLE', 'ghost')
    await refused(() => doAs(world, 'delete-role', '/', { name: 'resident' }), 'FORBIDDEN', 'seed')
    await refused(() => createSpace(world, '/a/b'), 'SPACE_NOT_FOUND', '/a')
    await refused(() => createSpace(world, '/library'), 'RESOURCE_CONFLICT', '/library')
    await refused(() => publish(world, 'no.NO', 1), 'INVALID_INPUT', 'NO')
    const dance = { verb: 'dance' } as never
    await refused(() => act(world, 'operator', dance), 'VERB_NOT_SUPPORTED', '"dance"')
    expect((await moments(world.db, 'operator', 1))[0]).toMatchObject({
      outcome: 'failure',
      reason: 'VERB_NOT_SUPPORTED',
    })
  })

  it('see writes nothing, seen or refused', async () => {
    const before = await groundOf(world)
    const lived = (await moments(world.db, 'operator')).length
    for (const address of ['/', '/library', '@librarian', '~', 'library/@echo']) {
      expect(await see(world, 'operator', address)).toHaveProperty('qualities')
    }
    await expect(see(world, 'librarian', '/')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await groundOf(world)).toEqual(before)
    expect((await moments(world.db, 'operator')).length).toBe(lived)
  })
})

describe('without a mind', () => {
  it('each moment of an LLM being without a model fails with LLM_NOT_CONFIGURED, and one notice to the asker counts them', async () => {
    const asked: string[] = []
    for (const n of [1, 2]) {
      asked.push(await tell(world, 'librarian', 'what is a reel?'))
      expect(await momentOf(world, asked.at(-1) ?? '')).toMatchObject({
        n,
        outcome: 'failure',
        reason: 'LLM_NOT_CONFIGURED',
        message: expect.stringContaining('OPENAI_API_KEY'),
      })
      const notices = (await inbox(world, 'operator')).filter(
        ({ content }) => (content as JsonObject).code === 'LLM_NOT_CONFIGURED',
      )
      expect(notices).toMatchObject([
        { content: { correlation: asked[0] }, ...(n === 1 ? {} : { times: n }) },
      ])
    }
    await expect(
      summon(world, { target: 'librarian', content: 'and now?', as: 'operator', waitSeconds: 10 }),
    ).rejects.toMatchObject({ code: 'LLM_NOT_CONFIGURED' })
    expect(await live(world, 'echo', 'and you?')).toMatchObject({ outcome: 'act' })
  })
})

it('every refused moment replays, and no chain is broken', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
  expect(world.errors).toEqual([])
})
