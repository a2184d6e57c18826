import { moments } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { askedFor, live, play, setRole, tell, until, wakesOf, wakeUp } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

interface SummonTool {
  readonly function: {
    readonly parameters: {
      readonly properties: { readonly target: { readonly description: string } }
      readonly required: readonly string[]
    }
  }
}
const ANY = [{ pattern: '*' }]

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })
beforeAll(async () => {
  const answering: Record<string, JsonObject> = {
    'to-asker': {},
    'to-nobody': { respondMode: 'none' },
  }
  for (const [name, more] of Object.entries(answering)) {
    await setRole(world, { name, canSummon: ANY, prompt: '', ...more })
    await world.birth({ name, cognition: 'scripted', script: 'stage:puppet', role: name })
  }
  await world.birthPuppet('between')
})

const answer = { verb: 'summon', target: null, content: 'the answer', inReplyTo: null }
/**
 * The operator speaks to @between, which asks the being to answer.
 * @returns how that moment ended, and the first id
 */
async function through(being: string, call: JsonObject) {
  const root = await tell(world, 'between', {
    call: { verb: 'summon', target: `@${being}`, content: { call } },
  })
  const moment = await until(async () => {
    const asked = (await wakesOf(world, being)).find((wake) => wake.root === root)
    return asked?.closedBy == null ? null : asked
  })
  return { root, asked: moment }
}
const heard = async (being: string, root: string) =>
  (await wakesOf(world, being)).filter((wake) => wake.root === root && wake.content === 'the answer')

describe('whom an answer goes to', () => {
  it('is the asker, when the role does not say', async () => {
    const { root, asked } = await through('to-asker', answer)
    expect(await heard('between', root)).toMatchObject([{ inReplyTo: asked.id }])
    expect(await heard('operator', root)).toEqual([])
  })

  it('is nobody where nothing was asked', async () => {
    await wakeUp(world, 'to-asker', [{ call: answer } as Json])
    const moment = await until(async () => {
      return (await moments(world.db, 'to-asker')).find(({ outcome }) => outcome === 'failure')
    })
    expect(moment).toMatchObject({
      reason: 'INVALID_INPUT',
      message: expect.stringContaining('no being waits for an answer of this moment'),
    })
  })

  it('is nobody with respondMode none: it may speak, and never as an answer', async () => {
    expect(await live(world, 'to-nobody', { call: answer })).toMatchObject({
      outcome: 'failure',
      reason: 'INVALID_INPUT',
      message: expect.stringContaining('answers nobody'),
    })
    const { root } = await through('to-nobody', { ...answer, target: '@between' })
    expect(await heard('between', root)).toMatchObject([{ inReplyTo: null }])
    const asked = await tell(world, 'to-nobody', 'a word')
    expect(
      await play(world, 'to-nobody', { ...answer, target: '@operator', inReplyTo: asked }),
    ).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
  })

  it('is what a model is told of', async () => {
    const told = {
      'to-asker': /^whom(: @name; @operator when left out)?$/,
      'to-nobody': /^whom(: @name)?$/,
    }
    for (const [role, target] of Object.entries(told)) {
      const name = `llm-${role}`
      await world.birth({ name, cognition: 'llm', role })
      await live(world, name, 'well?')
      const [tool] = askedFor(model, name)[0]?.tools ?? []
      const { parameters } = (tool as unknown as SummonTool).function
      expect(parameters.properties.target.description).toMatch(target)
      expect(parameters.required.includes('target')).toBe(role === 'to-nobody')
    }
  })

  it('replays identically', async () => {
    await expectReplays(world)
  })
})
