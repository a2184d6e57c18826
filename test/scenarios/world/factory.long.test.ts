import { explain, moments, plantScene, summon } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import factory from '@treeos/factory'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSpace, doAs, groundOf, play, until, wakesOf } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const HANDS = ['lars', 'tess', 'quinn'] as const

const world = useWorld({ extensions: [stage, factory] })

interface Dashboard {
  readonly decks: number
  readonly boards: number
  readonly found: number
  readonly open: number
  readonly line: string
  readonly broken: boolean
}
const dashboard = async () => {
  const asked = { target: 'supervisor', content: { ask: 'dashboard' }, as: 'operator', waitSeconds: 20 }
  return (await summon(world, asked)).reply?.content as unknown as Dashboard
}
const countOf = async (kind: string) =>
  (
    await world.db
      .selectFrom('fact')
      .select('seq')
      .where('reel', '=', 'space:/factory')
      .where('kind', '=', kind)
      .execute()
  ).length
const lastRole = async (being: string) => (await moments(world.db, being, 1))[0]?.primary
const actsAs = async (being: string, role: string) =>
  (await moments(world.db, being)).filter(({ primary, outcome }) => primary === role && outcome === 'act')

describe('the line', () => {
  it('makes boards, breaks over two defects, is mended by the supervisor and goes on, without a model', async () => {
    expect(await plantScene(world, factory)).toBe(true)
    await until(async () => (await countOf('factory:repaired')) === 1, { seconds: 110, what: 'a repair' })
    const then = await countOf('factory:made')
    await until(async () => (await countOf('factory:made')) > then, { seconds: 30, what: 'a board after it' })
    expect(await countOf('factory:defect')).toBeGreaterThanOrEqual(2)
  }, 180_000)

  it('the signal made others of the same workers: who had hands had none while it was broken', async () => {
    for (const being of HANDS) {
      const all = await moments(world.db, being)
      expect((await actsAs(being, 'factory:worker')).length).toBeGreaterThanOrEqual(2)
      const halted = all.filter(({ primary }) => primary === 'factory:halted')
      // The line was mended because quinn saw it broken. On a busy machine the others may wake only after
      // that.
      if (being === 'quinn') expect(halted).not.toEqual([])
      for (const { n } of halted)
        expect((await explain(world.db, being, n)).surface).toEqual({
          canSee: ['/factory'],
          canDo: [],
          canSummon: ['@supervisor'],
          canBe: [],
        })
    }
    // The one that inspects the boards spoke.
    expect(await actsAs('quinn', 'factory:halted')).toHaveLength(1)
    expect(await actsAs('lars', 'factory:halted')).toEqual([])
    const calls = (await wakesOf(world, 'supervisor')).filter(({ caller }) => caller?.name === 'quinn')
    expect(calls.map(({ content }) => content)).toEqual(['the line of /factory is broken'])
    const answers = (await wakesOf(world, 'quinn')).filter(({ inReplyTo }) => inReplyTo === calls[0]!.id)
    expect(answers.map(({ content }) => content)).toEqual(['The line runs again: 2 defects mended.'])
  })

  it('replays identically while it goes on: cited blobs are read with each moment', async () => {
    for (let round = 0; round < 3; round += 1) await expectReplays(world, 'chain')
  })

  it('stops on request: every worker rests, and the board shows the sum of all facts', async () => {
    await doAs(world, 'factory:run', '/factory', { running: false })
    await until(async () =>
      (await Promise.all(HANDS.map(lastRole))).every((role) => role === 'factory:resting'),
    )
    for (const being of HANDS)
      await until(async () => (await wakesOf(world, being)).every(({ closedBy }) => closedBy !== null))
    const made = await countOf('factory:made')
    const turned = (await actsAs('lars', 'factory:worker')).length
    const found = await countOf('factory:defect')
    const mended = 2 * (await countOf('factory:repaired')) // it may have broken again meanwhile
    expect(await dashboard()).toEqual({
      decks: turned - made,
      boards: made,
      found,
      open: found - mended,
      line: 'stopped',
      broken: false,
    })
    expect(made).toBe((await actsAs('tess', 'factory:worker')).length)
    const asked = { target: 'supervisor', content: 'How goes it?', as: 'operator', waitSeconds: 20 }
    expect((await summon(world, asked)).reply?.content).toMatch(
      /^The line is stopped: \d+ boards made, \d defects? open\.$/,
    )
  })
})

describe('refusals with a code and no fact', () => {
  beforeAll(() => createSpace(world, '/yard'))

  it.each<[string, string, string, JsonObject, string, RegExp]>([
    ['factory:run', 'missing', '/factory', {}, 'INVALID_INPUT', /factory:run: running is missing; it takes /],
    ['factory:run', 'unknown', '/factory', { running: true, at: 5 }, 'INVALID_INPUT', /"at"/],
    ['factory:run', 'a being', '@lars', { running: true }, 'INVALID_TYPE', /takes a space, not @lars/],
    ['factory:run', 'nowhere', '/gone', { running: true }, 'SPACE_NOT_FOUND', /\/gone/],
    ['factory:operate-lathe', 'no factory', '/yard', {}, 'INVALID_TYPE', /\/yard is a room/],
    ['factory:operate-lathe', 'nowhere', '/gone', {}, 'SPACE_NOT_FOUND', /\/gone/],
    ['factory:attach-trucks', 'stopped', '/factory', {}, 'RESOURCE_CONFLICT', /of \/factory is stopped/],
    ['factory:attach-trucks', 'nowhere', '/gone', {}, 'SPACE_NOT_FOUND', /\/gone/],
    ['factory:log-defect', 'nowhere', '/gone', { what: 'rust' }, 'SPACE_NOT_FOUND', /\/gone/],
    ['factory:repair', 'nowhere', '/gone', {}, 'SPACE_NOT_FOUND', /\/gone/],
  ])('%s: %s', async (action, _what, target, args, code, message) => {
    const before = await groundOf(world)
    await expect(doAs(world, action, target, args)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
    expect(await groundOf(world)).toEqual(before)
  })

  it('to whoever did not build it the line is not theirs to run, and no worker mends it', async () => {
    const birth = (name: string, role: string) =>
      world.birth({ name, cognition: 'scripted', script: 'stage:puppet', role, home: '/factory' })
    await birth('guest', 'stage:free')
    await birth('temp', 'factory:worker')
    const before = await groundOf(world)
    const call = (operation: string, args: JsonObject = {}) => ({
      verb: 'do',
      operation,
      target: '/factory',
      args,
    })
    for (const [being, doing] of [
      ['guest', call('factory:run', { running: true })],
      ['temp', call('factory:run', { running: true })],
      ['temp', call('factory:repair')],
    ] as const)
      expect(await play(world, being, doing)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    // The operator said so to each; else nothing was written.
    const after = (await groundOf(world)) as { heads: { reel: string }[] }
    const heads = (ground: unknown) =>
      (ground as typeof after).heads.filter(({ reel }) => reel !== 'being:operator')
    expect(heads(after)).toEqual(heads(before))
  })

  it('replays identically', async () => {
    for (const being of [...HANDS, 'supervisor'])
      await until(async () => (await wakesOf(world, being)).every(({ closedBy }) => closedBy !== null))
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
