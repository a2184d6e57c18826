import { plantScene, summon, withModel } from '@treeos/client'
import type { Extension } from '@treeos/sdk'
import { worldNames } from '@treeos/worker/extensions'
import { describe, expect, it } from 'vitest'
import { rowOf } from '../../support/life.ts'
import { IS_NIGHT } from '../../support/night.ts'
import { useModelServer } from '../../support/use-world.ts'
import { startWorld } from '../../support/world.ts'
import { ours } from '../../support/worlds.ts'

const model = useModelServer()
const SENTENCE = 'How are things here today?'
/** What looks like JSON, or tells how to ask. */
const NO_WORDS = /^\s*[[{"]|\{"|\b(tell|ask) me\b/i

const all = ours.filter(({ name }) => [...worldNames, 'library', 'panel'].includes(name))
/** By day the first one that can have a model, and one that cannot. */
const worlds = IS_NIGHT ? all : all.filter(({ name }) => [worldNames[0], 'library'].includes(name))
const born = ({ scene }: Extension) =>
  scene.flatMap((call) => (call.verb === 'be' && call.operation === 'birth' ? [String(call.args.name)] : []))

/** What each being of a scene answers a person. */
async function spokenTo(extension: Extension, hasModel: boolean) {
  process.env.TREEOS_WEATHER_URL = '' // the recorded weather, from no service
  const world = await startWorld({ extensions: [extension], ...(hasModel ? { modelUrl: model.url } : {}) })
  try {
    await plantScene(world, hasModel ? withModel(extension) : extension)
    const told: { being: string; mind: string; words: unknown }[] = []
    for (const being of born(extension)) {
      const asked = { target: being, content: SENTENCE, as: 'operator', waitSeconds: 60, requireReply: true }
      const { reply } = await summon(world, asked)
      told.push({ being, mind: (await rowOf(world, being)).cognition.kind, words: reply?.content })
    }
    return told
  } finally {
    await world.close()
  }
}

describe.each(worlds)('$name', (extension) => {
  it('each being answers a sentence of a person with words', async () => {
    const told = await spokenTo(extension, false)
    expect(told.map(({ mind }) => mind)).not.toContain('llm')
    for (const { being, words } of told) {
      expect(words, being).toEqual(expect.any(String))
      expect(words, being).not.toMatch(NO_WORDS)
      expect(words, `@${being} says its own words`).not.toBe(SENTENCE)
    }
  }, 120_000)

  it.runIf((IS_NIGHT ? worldNames : worldNames.slice(0, 1)).includes(extension.name))(
    'one being has a model as its mind where one is connected, and answers by it',
    async () => {
      const told = await spokenTo(extension, true)
      const minds = told.filter(({ mind }) => mind === 'llm')
      expect(minds.map(({ being, words }) => [being, words])).toEqual([
        [extension.minds?.[0], `ok: ${SENTENCE}`],
      ])
      for (const { being, words } of told) {
        expect(words, being).toEqual(expect.any(String))
        expect(words, being).not.toMatch(NO_WORDS)
      }
    },
    120_000,
  )
})
