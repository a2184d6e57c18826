/**
 * Moments that were lived with another version of an extension: a replay lists what differs because of it,
 * and compares the rest.
 */
import { replay } from '@treeos/replay'
import { defineExtension, type SeeResolver } from '@treeos/sdk'
import { buildRegistry, type Extension, seed } from '@treeos/world'
import { beforeAll, expect, it } from 'vitest'
import { createSpace, play, setRole } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const board = (version: string, see: SeeResolver) =>
  defineExtension({ name: 'board', version, see: { 'board:notes': see } })
const first = board('1.0.0', ({ world }) => world.occupants('/hall'))
const world = useWorld({ extensions: [stage, first] })

beforeAll(async () => {
  for (const path of ['/hall', '/attic']) await createSpace(world, path)
  const ANY = [{ pattern: '*' }]
  await setRole(world, {
    name: 'reader',
    canSee: ANY,
    canDo: ANY,
    canSummon: ANY,
    canBe: ANY,
    see: ['board:notes'],
    prompt: '',
  })
  await world.birthPuppet('ann', { role: 'reader' })
  await play(world, 'ann', { verb: 'summon', target: '@operator', content: 'well met' })
})

/** Replays as a process that loads this one. */
const replayWith = (extension: Extension) =>
  replay(
    { ...world, temporal: null, registry: buildRegistry([seed, stage, extension]) },
    { beings: ['ann'], from: 'chain' },
  )

it('control: with the same version nothing differs', async () => {
  expect(await expectReplays(world)).not.toHaveProperty('otherCode')
})

it.each([
  ['another text', board('2.0.0', () => 'none')],
  [
    'a place that the moment did not read',
    board('2.0.0', async ({ world }) => ({ attic: await world.occupants('/attic') })),
  ],
])('a view that shows %s is told as that of another version', async (_what, next) => {
  const replayed = await replayWith(next)
  expect(replayed).toMatchObject({ identical: true, mismatches: [], otherCode: 1 })
  expect(replayed.elsewhere?.map(({ n, field }) => `${n} ${field}`)).toEqual(
    expect.arrayContaining(['1 basis', '1 face', '1 promptDigest']),
  )
})

it('and counts as different where its version is the same', async () => {
  const { mismatches } = await replayWith(board('1.0.0', () => 'none'))
  expect(mismatches.map(({ field }) => field)).toEqual(expect.arrayContaining(['face', 'promptDigest']))
})
