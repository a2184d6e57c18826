import { budget, moments, summon } from '@treeos/client'
import { findDecision } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { askedFor, beingOf, doAs, rowOf, setRole, wakesOf } from '../../support/life.ts'
import type { Reply } from '../../support/model-server.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const act = (operation: string, args: object = {}): Reply => ({
  tool: { name: 'do', args: { operation, args } },
})
const say = (content: string): Reply => ({ tool: { name: 'summon', args: { content } } })

describe.each([
  { way: 'short', shortMindMs: 5000 },
  { way: 'long', shortMindMs: 0 },
])('on the $way way of a moment', ({ shortMindMs }) => {
  const model = useModelServer()
  const world = useWorld({ extensions: [stage], modelServer: model, shortMindMs, triesMax: 2 })
  beforeAll(() =>
    setRole(world, { name: 'clerk', canDo: ['set-being'], canSummon: [{ rel: 'asker' }], prompt: '' }),
  )
  async function thinker(name: string, replies: readonly Reply[]): Promise<void> {
    await world.birth({ name, cognition: 'llm', role: 'clerk' })
    const queue = [...replies]
    model.script((request) =>
      beingOf(request) === name ? (queue.shift() ?? { content: 'done' }) : undefined,
    )
  }
  const ask = (target: string) =>
    summon(world, { target, content: 'Well?', as: 'operator', waitSeconds: 30, requireReply: true })
  const userOf = (name: string, n: number) => askedFor(model, name)[n]!.messages[1]!.content
  const triesOf = async (name: string) => (await findDecision(world.db, `${name}/1/1`))?.decision.tries

  it('a refused call is told to the model, which may do something else in the same moment', async () => {
    await thinker('ann', [act('set-space', { field: 'a.b', value: 1 }), say('I may not.')])
    expect(await ask('ann')).toMatchObject({
      reply: { content: 'I may not.' },
      moment: { n: 1, outcome: 'act' },
    })
    expect(userOf('ann', 0)).not.toContain('[refused]')
    expect(userOf('ann', 1)).toBe(
      `${userOf('ann', 0)}\n\n[refused]\n| set-space with {"field":"a.b","value":1}: FORBIDDEN: set-space is not in canDo (set-being)\n` +
        'This was refused, and nothing was done. Call something else, or make no tool call.',
    )
    expect(await triesOf('ann')).toMatchObject([
      {
        call: { verb: 'do', operation: 'set-space' },
        code: 'FORBIDDEN',
        message: expect.stringContaining('canDo'),
      },
    ])
    expect((await wakesOf(world, 'operator')).filter(({ id }) => id.startsWith('notice/ann'))).toEqual([])
  })

  it('so is what is no call at all, and what an operation itself refuses', async () => {
    await thinker('bo', [
      { tool: { name: 'fly', args: {} } },
      act('set-being', { field: 'no dot', value: 1 }),
      say('At last.'),
    ])
    expect((await ask('bo')).reply?.content).toBe('At last.')
    expect(await triesOf('bo')).toMatchObject([
      { call: null, code: 'LLM_FAILED', message: expect.stringContaining('a tool that does not exist') },
      { call: { operation: 'set-being' }, code: 'INVALID_INPUT' },
    ])
    expect(userOf('bo', 2)).toMatch(
      /\[refused\]\n\| your call: LLM_FAILED: .*\n\| set-being with .*: INVALID_INPUT: /,
    )
  })

  it('it tries twice again, and then its moment fails as it would have', async () => {
    await thinker(
      'cy',
      Array.from({ length: 5 }, () => act('set-space')),
    )
    await expect(ask('cy')).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringMatching(/^@cy gave no answer, its moment failed: set-space is not in canDo/),
    })
    expect(askedFor(model, 'cy')).toHaveLength(3)
    expect(await triesOf('cy')).toHaveLength(2)
    expect((await moments(world.db, 'cy')).length).toBe(1)
  })

  it('each try is charged, and none is made that a budget does not allow', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 10 }
    await thinker('dot', [{ ...act('set-space'), usage } as Reply, { ...say('So be it.'), usage } as Reply])
    await doAs(world, 'set-budget', '@dot', { tokens: 100_000 })
    await ask('dot')
    expect((await budget(world, 'dot')).used).toMatchObject({ tokens: 220 })
    await thinker('eve', [{ ...act('set-space'), usage } as Reply, say('never asked')])
    const reserved = await world.db
      .selectFrom('reservation')
      .select('tokens')
      .where('moment', '=', 'dot/1/1')
      .orderBy('tokens')
      .execute()
    await doAs(world, 'set-budget', '@eve', { tokens: reserved[0]!.tokens + 60 }) // room for one call
    await expect(ask('eve')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(askedFor(model, 'eve')).toHaveLength(1)
    expect((await rowOf(world, 'eve')).parked).toBeUndefined()
  })

  it('replays from the chain and by Temporal', async () => {
    await expectReplays(world)
    await expectUnbroken(world)
  })
})
