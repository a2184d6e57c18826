import { moments, plantScene, see, summon } from '@treeos/client'
import { asJson, type Json } from '@treeos/core'
import library from '@treeos/library'
import { beforeAll, expect, it } from 'vitest'
import { createSpace, doAs, live, play, until } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [library, stage] })
beforeAll(async () => {
  await plantScene(world, library)
})

const say = (content: Json) => summon(world, { target: 'page', content, as: 'operator', waitSeconds: 20 })
const where = async (id: string) => {
  const { address } = await see(world, 'operator', `matter:${id}`)
  return address.being ?? address.path
}

it('a reader knows the shelf by title, and its voice is low where it is quiet', async () => {
  const { reply, moment } = await say({ show: 'shelf' })
  expect(moment).toMatchObject({ primary: 'library:reader', stacked: ['library:voice'] })
  expect(reply?.content).toMatchObject({
    shelf: [
      { id: 'looms', title: 'Looms and Weavers', at: '/library' },
      { id: 'tides', title: 'On Tides', at: '/library' },
    ],
  })
})

it('a document is borrowed, held, and returned; what is out cannot be borrowed again', async () => {
  expect(await live(world, 'page', { borrow: 'tides' })).toMatchObject({ outcome: 'act' })
  expect(await where('tides')).toBe('@page')
  expect((await say({ show: 'shelf' })).reply?.content).toMatchObject({
    shelf: [{ id: 'looms' }, { id: 'tides', at: '@page' }],
  })
  expect(await live(world, 'page', { borrow: 'tides' })).toMatchObject({
    outcome: 'failure',
    reason: 'RESOURCE_CONFLICT',
  })
  expect(await live(world, 'page', { return: 'tides' })).toMatchObject({ outcome: 'act' })
  expect(await where('tides')).toBe('/library')
})

it('a sentence of a person is answered with a sentence, also after what it asked for was done', async () => {
  const says = async (words: string) => (await say(words)).reply?.content
  expect(await says('What is on the shelf?')).toBe(
    'On the shelf: Looms and Weavers, On Tides. In my hands: nothing.',
  )
  expect(await says('Please borrow "On Tides" for me.')).toBe(
    'On the shelf: Looms and Weavers. In my hands: On Tides.',
  )
  expect(await where('tides')).toBe('@page')
  expect(await says('return tides')).toBe('On the shelf: Looms and Weavers, On Tides. In my hands: nothing.')
  expect(await where('tides')).toBe('/library')
})

it('the tone of a space stacks the voice on whoever is inside, and moving out unstacks it', async () => {
  const stacked = async () => (await moments(world.db, 'page', 1))[0]?.stacked
  await doAs(world, 'set-space', '/library', { field: 'ambient.tone', value: 'loud' })
  await until(async () => (await stacked())?.length === 0, { what: 'a change of tone to be heard' })
  await doAs(world, 'set-space', '/library', { field: 'ambient.tone', value: 'quiet' })
  await until(async () => (await stacked())?.includes('library:voice'), { what: 'quiet' })
  await createSpace(world, '/yard')
  await world.birth({
    name: 'visitor',
    cognition: 'scripted',
    script: 'stage:puppet',
    role: 'stage:free',
    roleFlow: asJson(library.clauses),
    home: '/library',
  })
  const here = async () => (await live(world, 'visitor', 'look')).stacked
  expect(await here()).toEqual(['library:voice'])
  await play(world, 'visitor', { verb: 'do', operation: 'move', target: '/yard', args: {} })
  expect(await here()).toEqual([])
  await play(world, 'visitor', { verb: 'do', operation: 'move', target: '/library', args: {} })
  expect(await here()).toEqual(['library:voice'])
})

it('replays identically, with the documents on the shelf', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
})
