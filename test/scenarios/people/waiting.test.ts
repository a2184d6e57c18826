import { inbox, inhabit, moments, reply, summon } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { closeEntries, findEntry } from '@treeos/store'
import type { KyselyPlugin } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { beingOf, doAs, setRole, until, wakesOf } from '../../support/life.ts'
import type { Reply } from '../../support/model-server.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })
beforeAll(async () => {
  await world.birth({ name: 'ann', cognition: 'human', role: 'stage:free' })
  await world.birthPuppet('puppet')
  await setRole(world, { name: 'aloud', canSummon: [{ rel: 'asker' }], prompt: '' })
  await world.birth({ name: 'thinker', cognition: 'llm', role: 'aloud' })
})

const ask = (target: string, content: JsonObject | string, waitSeconds = 30) =>
  summon(world, { target, content, as: 'operator', waitSeconds, requireReply: true })
/** The question that lies in the inbox of @ann. */
const asked = (content: string) =>
  until(async () => (await wakesOf(world, 'ann')).find((wake) => wake.content === content))
const ann = () => ({ ...world, person: 'ann' })

describe('whoever waits for a person', () => {
  it('gets the answer as soon as the person replied, and the answer is read', async () => {
    const waiting = ask('ann', 'Shall we?')
    const { id } = await asked('Shall we?')
    await reply(ann(), { correlation: id, content: 'We shall.', as: 'ann', waitSeconds: null })
    expect(await waiting).toMatchObject({
      correlation: id,
      reply: { from: '@ann', content: 'We shall.' },
      moment: { outcome: 'act', primary: 'stage:free' },
    })
    expect((await inbox(world, 'operator')).map(({ content }) => content)).not.toContain('We shall.')
  })

  it('is told at once when the thread is cut, instead of waiting until the time is over', async () => {
    const started = Date.now()
    const waiting = ask('ann', 'And tomorrow?', 60).catch((error: unknown) => error)
    const { id, root } = await asked('And tomorrow?')
    await doAs(world, 'cut-thread', `thread:${root}`, {})
    expect(await waiting).toMatchObject({
      code: 'RESOURCE_CONFLICT',
      message: 'the thread of this summon was cut by @operator: nothing more comes of it',
    })
    expect(Date.now() - started).toBeLessThan(30_000)
    expect((await findEntry(world.db, id))?.closedBy).not.toBeNull()
  })

  it('is told when the person closed the question without an answer', async () => {
    const waiting = ask('ann', 'Anyone?').catch((error: unknown) => error)
    await closeEntries(world.db, 'ann', [(await asked('Anyone?')).id], 'dismissed')
    expect(await waiting).toMatchObject({
      code: 'NO_ANSWER',
      message: '@ann closed the summon without an answer',
    })
  })

  it('hears TIMEOUT when the person says nothing, and the question stays', async () => {
    await expect(ask('ann', 'Later, then?', 1)).rejects.toMatchObject({
      code: 'TIMEOUT',
      message:
        '@ann has not lived the moment within 1 s: it is a person, who has not answered yet. The summon stays in its inbox',
    })
    expect((await inbox(ann(), 'ann')).map(({ content }) => content)).toContain('Later, then?')
  })
})

describe('a wait without an answer says why', () => {
  const modelSays = (words: Reply) => model.script((it) => (beingOf(it) === 'thinker' ? words : undefined))

  it.each<[string, () => Promise<unknown>, string, JsonObject]>([
    [
      'words outside a tool',
      () => {
        modelSays({ content: 'I just think aloud.' })
        return ask('thinker', 'Well?')
      },
      '@thinker sent no answer: it wrote text without calling the summon tool, which reaches nobody in its role: "I just think aloud."',
      { outcome: 'see', reason: null, content: 'I just think aloud.' },
    ],
    [
      'silence',
      () => ask('puppet', 'Well?'),
      '@puppet sent no answer: it decided to do nothing',
      { outcome: 'see', reason: null },
    ],
    [
      'another act',
      () =>
        ask('puppet', {
          call: { verb: 'do', operation: 'set-being', args: { field: 'mood.tone', value: 'calm' } },
        }),
      '@puppet acted and sent no answer; what it says later comes to the inbox',
      { outcome: 'act', reason: null },
    ],
  ])('%s', async (_, wait, message, detail) => {
    await expect(wait()).rejects.toMatchObject({ code: 'NO_ANSWER', message, detail })
  })

  it('is a moment without a reply for a program that does not require one', async () => {
    expect(
      await summon(world, { target: 'puppet', content: 'Well?', as: 'operator', waitSeconds: 30 }),
    ).toMatchObject({ moment: { outcome: 'see' }, reply: null })
    expect((await moments(world.db, 'puppet')).at(-1)).toMatchObject({ outcome: 'see' })
  })
})

describe('a wait that is over before the moment says for what the being waits', () => {
  it('its driver', async () => {
    const inhabitation = await inhabit(world, { being: 'thinker', as: 'operator' })
    await expect(ask('thinker', 'Are you there?', 1)).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('@operator decides for it now, and answers in its inbox'),
    })
    await inhabitation.release()
  })

  it('an approval, when a budget has parked it', async () => {
    await doAs(world, 'set-budget', '@thinker', { tokens: 0 })
    await expect(ask('thinker', 'Say something.')).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' })
    await expect(ask('thinker', 'And now?', 1)).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('it is parked, since a call may cost'),
    })
    await doAs(world, 'set-budget', '@thinker', {})
  })
})

describe.each([
  ['ECONNRESET', 'is over as it would be while Postgres is away', { code: 'TIMEOUT' }],
  ['42P01', 'ends with the error when the question why fails for good', { message: 'the parkings' }],
])('a wait that cannot ask why the being is late (%s)', (code, title, error) => {
  it(title, async () => {
    const broken: KyselyPlugin = {
      transformQuery({ node }) {
        if (!JSON.stringify(node).includes('treeos.parking')) return node
        throw Object.assign(new Error('the parkings'), { code })
      },
      transformResult: async ({ result }) => result,
    }
    const at = { ...world, db: world.db.withPlugin(broken) }
    const asking = { target: 'ann', content: 'Hm?', as: 'operator', waitSeconds: 1, requireReply: true }
    await expect(summon(at, asking)).rejects.toMatchObject(error)
  })
})

it('every moment replays', async () => {
  await expectReplays(world)
})
