import type { Extension } from '@treeos/sdk'
import { worldNames } from '@treeos/worker/extensions'
import { shipped } from '@treeos/worker/shipped'
import { expect, it } from 'vitest'
import { demos } from '../support/worlds.ts'
import { useInstance } from './instance.ts'

const home = useInstance({ env: { TREEOS_WEATHER_URL: '' } }) // the recorded weather, from no service

/** The beings that a scene births and the spaces that it makes. */
function madeBy({ scene }: Extension): { beings: string[]; spaces: string[] } {
  const births = scene.flatMap((call) => (call.verb === 'be' && call.operation === 'birth' ? [call] : []))
  const spaces = scene.flatMap((call) =>
    call.verb === 'do' && call.operation === 'create-space' ? [call] : [],
  )
  return {
    beings: births.map(({ args }) => `@${args.name}`),
    spaces: spaces.map(({ args }) => String(args.path)),
  }
}

const loaded = async () =>
  (await home.json<{ name: string }[]>(['extensions']))
    .map(({ name }) => name)
    .filter((name) => name !== 'seed')

it('an instance loads no world that nobody asked for', async () => {
  expect((await loaded()).sort()).toEqual(shipped.map(({ name }) => name))
  expect(demos.map(({ name }) => name)).toEqual(expect.arrayContaining([...worldNames]))
})

it.each(demos)('up --demo $name plants its beings and spaces, and says so', async (demo) => {
  const { status, stderr } = await home.run(['up', '--demo', demo.name])
  expect(status, stderr).toBe(0)
  expect(stderr).toContain(`planting ${demo.name}: ${demo.scene.length} of ${demo.scene.length}`)
  const { beings, spaces } = madeBy(demo)
  expect(beings).not.toEqual([])
  const living = await home.json<{ stance: string }[]>(['beings'])
  expect(living.map(({ stance }) => stance)).toEqual(expect.arrayContaining(beings))
  for (const path of spaces) expect(await home.json(['see', path])).toMatchObject({ address: { path } })
})

it('a world that was asked for is loaded by every later start', async () => {
  expect(await loaded()).toEqual(expect.arrayContaining([...worldNames]))
  expect((await home.run(['down'])).status).toBe(0)
  expect((await home.run(['up', '--detach'])).status).toBe(0)
  const { reply } = await home.json<{ reply: unknown }>(['summon', '@bailiff', 'Hear, hear!', '--wait', '60'])
  expect(reply).toMatchObject({
    from: '@bailiff',
    content: 'The court sits, and hears the case of the two mothers.',
  })
})

it('a scene that was planted is left as it is by a second up', async () => {
  const before = await home.json(['beings'])
  const { status, stderr } = await home.run(['up', '--demo', 'court'])
  expect({ status, stderr }).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('court was planted before, and was not changed'),
  })
  expect(await home.json(['beings'])).toEqual(before)
  expect(await home.json(['verify'])).toMatchObject({ ok: true, broken: [] })
})
