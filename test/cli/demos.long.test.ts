import court from '@treeos/court'
import factory from '@treeos/factory'
import fitness from '@treeos/fitness'
import food from '@treeos/food'
import harmony from '@treeos/harmony'
import library from '@treeos/library'
import lineage from '@treeos/lineage'
import panel from '@treeos/panel'
import type { Extension } from '@treeos/sdk'
import weather from '@treeos/weather'
import { expect, it } from 'vitest'
import { useInstance } from './instance.ts'

const SHIPPED = [court, factory, fitness, food, harmony, library, lineage, panel, weather]
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

it('every extension with a scene is tried here', async () => {
  const extensions = await home.json<{ name: string; demo: boolean }[]>(['extensions'])
  const names = extensions.flatMap(({ name, demo }) => (demo ? [name] : []))
  expect(names.sort()).toEqual(SHIPPED.map(({ name }) => name))
})

it.each(SHIPPED)('up --demo $name plants its beings and spaces, and says so', async (demo) => {
  const { status, stderr } = await home.run(['up', '--demo', demo.name])
  expect(status, stderr).toBe(0)
  expect(stderr).toContain(`planting ${demo.name}: ${demo.scene.length} of ${demo.scene.length}`)
  const { beings, spaces } = madeBy(demo)
  expect(beings).not.toEqual([])
  const living = await home.json<{ stance: string }[]>(['beings'])
  expect(living.map(({ stance }) => stance)).toEqual(expect.arrayContaining(beings))
  for (const path of spaces) expect(await home.json(['see', path])).toMatchObject({ address: { path } })
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
