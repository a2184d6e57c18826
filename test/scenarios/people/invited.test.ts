/** Whom a person may speak to that was invited: whoever invited her, and who is where she is. */
import { act, inbox, moments, speakable } from '@treeos/client'
import { parseCall } from '@treeos/core'
import { beforeAll, expect, it } from 'vitest'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld()
beforeAll(async () => {
  await world.birth({ name: 'ida', cognition: 'human' })
  await world.birth({ name: 'bea', cognition: 'human', home: '/library' })
})

type Invited = 'ida' | 'bea'
/** As the person would ask by her own session or token. */
const asked = (as: Invited) => ({ ...world, person: as })
const speak = (as: Invited, target: string) =>
  act(asked(as), as, parseCall({ verb: 'summon', target, content: 'hello' })).then(
    () => 'said',
    (error: { code?: string }) => error.code,
  )

it.each<[Invited, string, string, boolean]>([
  ['ida', '/', '@operator', true],
  ['ida', '/', '@birther', true],
  ['ida', '/', '@echo', false],
  ['ida', '/', '@bea', false],
  ['bea', '/library', '@operator', true],
  ['bea', '/library', '@echo', true],
  ['bea', '/library', '@birther', false],
  ['bea', '/library', '@ida', false],
])('@%s at %s may speak to %s: %s', async (who, _place, whom, may) => {
  expect(await speak(who, whom)).toBe(may ? 'said' : 'FORBIDDEN')
  const heard = (await speakable(asked(who), who)).map(({ stance }) => stance)
  if (may) expect(heard).toContain(whom)
  else expect(heard).not.toContain(whom)
})

it('whoever invited her has her words', async () => {
  const said = (await inbox(world, 'operator')).filter(({ from }) => from === '@ida')
  expect(said.map(({ content }) => content)).toContain('hello')
})

it('all of it replays', async () => {
  expect((await moments(world.db, 'ida')).length).toBeGreaterThan(1)
  await expectReplays(world)
  await expectUnbroken(world)
})
