import { act, moments, roles, summon } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { rolesNamed } from '@treeos/world'
import { beforeAll, describe, expect, it } from 'vitest'
import { beingOf, live, momentOf, play, setRole, until, wakesOf } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays } from '../../support/replaying.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })
beforeAll(async () => {
  await world.birthPuppet('self')
  await world.birthPuppet('other')
})

const turn = (target: string, more: JsonObject = {}) =>
  play(world, 'self', { verb: 'summon', target, content: 'think of it', ...more })

describe('orientation', () => {
  it.each<JsonObject>([{}, { orientation: 'forward' }])(
    'a summon to itself with %j goes as it is',
    async (more) => {
      const moment = await turn('@self', more)
      expect(moment).toMatchObject({ outcome: 'act' })
      expect(moment).not.toHaveProperty('reason')
    },
  )

  it.each(['half', 'inward'])(
    'a being may summon itself %s: it goes forward, and record and log say so',
    async (orientation) => {
      const told = world.outcomes.length
      const moment = await turn('@self', { orientation })
      expect(moment).toMatchObject({
        outcome: 'act',
        reason: 'orientation-forward',
        message: `orientation ${orientation} is not built yet: it goes forward`,
      })
      expect(world.outcomes.slice(told)).toContainEqual({ kind: 'act', reason: 'orientation-forward' })
      const woken = await momentOf(world, moment.act ?? '')
      expect(woken).toMatchObject({ outcome: 'see', primary: 'stage:free' })
      expect((await wakesOf(world, 'self')).find(({ id }) => id === moment.act)).toMatchObject({
        content: 'think of it',
        caller: { name: 'self' },
      })
    },
  )

  it.each(['half', 'inward'])('nobody summons another %s', async (orientation) => {
    const before = (await wakesOf(world, 'other')).length
    expect(await turn('@other', { orientation })).toMatchObject({
      outcome: 'failure',
      reason: 'FORBIDDEN',
      message: expect.stringContaining(`orientation ${orientation}`),
    })
    const call = { verb: 'summon', target: '@other', content: 'x', inReplyTo: null, orientation } as never
    await expect(act(world, 'operator', call)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect((await wakesOf(world, 'other')).length).toBe(before)
  })

  it('an unknown orientation is refused', async () => {
    expect(await turn('@self', { orientation: 'sideways' })).toMatchObject({
      outcome: 'failure',
      message: expect.stringMatching(/"sideways".*forward, half, inward/),
    })
  })

  it('a role’s defaultOrientation is what its wearer asks of itself, and of nobody else', async () => {
    await setRole(world, {
      name: 'thoughtful',
      canSummon: [{ pattern: '*' }],
      defaultOrientation: 'inward',
      prompt: '',
    })
    await world.birth({ name: 'deep', cognition: 'scripted', script: 'stage:puppet', role: 'thoughtful' })
    const say = (target: string) => play(world, 'deep', { verb: 'summon', target, content: 'hm' })
    expect(await say('@deep')).toMatchObject({ outcome: 'act', reason: 'orientation-forward' })
    expect(await say('@other')).not.toHaveProperty('reason')
    const plain = { verb: 'summon', target: '@deep', content: 'hm', orientation: 'forward' }
    expect(await play(world, 'deep', plain)).not.toHaveProperty('reason')
  })

  it('going on by itself is such a wake too', async () => {
    await setRole(world, {
      name: 'brooding',
      canSummon: [{ rel: 'asker' }],
      selfContinue: true,
      defaultOrientation: 'half',
      prompt: '',
    })
    await world.birth({ name: 'brooder', cognition: 'llm', role: 'brooding' })
    let asked = 0
    model.script((request) =>
      beingOf(request) === 'brooder' && asked++ > 0 ? { content: 'enough' } : undefined,
    )
    expect(await live(world, 'brooder', 'well?')).toMatchObject({ reason: 'orientation-forward' })
    const second = await until(async () => (await moments(world.db, 'brooder'))[1])
    expect(second).toMatchObject({ outcome: 'see' })
    expect(second).not.toHaveProperty('reason')
    model.reset()
  })
})

describe('the defaults of a role', () => {
  it('is derived: permissions, async replies, messages as triggers, whom to answer, and the prompt', async () => {
    await setRole(world, {
      name: 'bare-bones',
      canSee: ['~'],
      canSummon: [{ rel: 'asker' }],
      prompt: 'Be brief.',
    })
    const listed = await roles(world.db, rolesNamed)
    expect(listed.find(({ name }) => name === 'bare-bones')).toMatchObject({
      permissions: ['see', 'summon'],
      respondMode: 'async',
      triggerOn: ['message'],
      replyTo: 'asker',
      selfContinue: false,
      forceToolCall: false,
      defaultOrientation: 'forward',
      description: '',
    })
    await world.birth({ name: 'sparrow', cognition: 'llm', role: 'bare-bones' })
    const { moment, reply } = await summon(world, {
      target: 'sparrow',
      content: 'are you there?',
      as: 'operator',
      waitSeconds: 20,
    })
    // Woken by a message, it answered by a summon of its own, with no target named.
    expect(moment).toMatchObject({ outcome: 'act', primary: 'bare-bones' })
    expect(reply).toEqual({ from: '@sparrow', content: 'ok: are you there?' })
    const [request] = model.requests.flatMap(({ body }) =>
      body !== null && beingOf(body) === 'sparrow' ? [body] : [],
    )
    expect(request?.tools?.map((tool) => tool.function.name)).toEqual(['summon', 'see'])
    expect(request?.messages[0]?.content).toMatch(/^I am sparrow, bare-bones at \/\..*Be brief\./s)
  })

  it('every moment replays', async () => {
    await expectReplays(world)
  })
})
