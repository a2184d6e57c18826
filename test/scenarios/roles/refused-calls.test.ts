import { budget, explain, moments, summon } from '@treeos/client'
import { LIMITS } from '@treeos/core'
import { findDecision } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { askedFor, beingOf, doAs, rowOf, setFlow, setRole, wakesOf } from '../../support/life.ts'
import type { Reply } from '../../support/model-server.ts'
import { IS_NIGHT } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const act = (operation: string, args: object = {}): Reply => ({
  tool: { name: 'do', args: { operation, args } },
})
const say = (content: string): Reply => ({ tool: { name: 'summon', args: { content } } })

const WAYS = [
  { way: 'short', shortMindMs: 5000 },
  { way: 'long', shortMindMs: 0 },
]

// By day the way that most moments take.
describe.each(IS_NIGHT ? WAYS : WAYS.slice(0, 1))('on the $way way of a moment', ({ shortMindMs }) => {
  const model = useModelServer()
  const world = useWorld({ extensions: [stage], modelServer: model, shortMindMs })
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
  const noticesOf = async (name: string) =>
    (await wakesOf(world, 'operator')).filter(({ id }) => id.startsWith(`notice/${name}/`))

  it('a model whose call is refused decides again in its next moment, and the asker gets the answer', async () => {
    await thinker('ann', [act('set-space', { field: 'a.b', value: 1 }), say('I may not.')])
    expect(await ask('ann')).toMatchObject({
      reply: { content: 'I may not.' },
      moment: { n: 2, outcome: 'act', woke: { trigger: 'refused', from: '@operator' } },
    })
    expect(await moments(world.db, 'ann')).toMatchObject([
      { n: 1, outcome: 'failure', reason: 'FORBIDDEN', wentOn: 2 },
      { n: 2, outcome: 'act', wake: 'refused/ann/1/1' },
    ])
    expect(await explain(world.db, 'ann', 1)).toMatchObject({ gates: { allowed: false }, wentOn: 2 })
    expect(userOf('ann', 0)).not.toContain('[refused]')
    expect(userOf('ann', 1)).toBe(
      `${userOf('ann', 0)}\n\n[refused]\n| set-space on @ann with {"field":"a.b","value":1}: FORBIDDEN: set-space is not in canDo (set-being)\n` +
        'This was refused, and nothing was done. Call something else, or make no tool call.',
    )
    expect(await noticesOf('ann')).toEqual([])
  })

  it('so does one whose answer cannot be read, or whose call its operation refuses', async () => {
    await thinker('bo', [
      { tool: { name: 'fly', args: {} } },
      act('set-being', { field: 'no dot', value: 1 }),
      say('At last.'),
    ])
    expect((await ask('bo')).reply?.content).toBe('At last.')
    expect((await findDecision(world.db, 'bo/1/1'))?.decision).toMatchObject({
      kind: 'failure',
      code: 'LLM_FAILED',
      miscall: true,
    })
    expect(await moments(world.db, 'bo')).toMatchObject([
      { reason: 'LLM_FAILED', wentOn: 2 },
      { reason: 'INVALID_INPUT', wentOn: 3 },
      { outcome: 'act' },
    ])
    expect(userOf('bo', 2)).toMatch(
      /\[refused\]\n\| your call: LLM_FAILED: .*\n\| set-being on @bo with .*: INVALID_INPUT: /,
    )
    expect(await noticesOf('bo')).toEqual([])
  })

  it('its third refusal is final, and the asker is told once', async () => {
    await thinker(
      'cy',
      Array.from({ length: 5 }, () => act('set-space')),
    )
    await expect(ask('cy')).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringMatching(/^@cy gave no answer, its moment failed: set-space is not in canDo/),
    })
    expect(askedFor(model, 'cy')).toHaveLength(1 + LIMITS.refusalsMax)
    const lived = await moments(world.db, 'cy')
    expect(lived.map(({ outcome, wentOn }) => [outcome, wentOn])).toEqual([
      ['failure', 2],
      ['failure', 3],
      ['failure', undefined],
    ])
    expect((await noticesOf('cy')).map(({ id }) => id)).toEqual(['notice/cy/1/3/operator'])
  })

  it('each of these moments is charged, and a step of the chain', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 10 }
    await thinker('dot', [{ ...act('set-space'), usage } as Reply, { ...say('So be it.'), usage } as Reply])
    await doAs(world, 'set-budget', '@dot', { tokens: 100_000 })
    await ask('dot')
    expect((await budget(world, 'dot')).used).toMatchObject({ tokens: 220 })
    await thinker('eve', [act('set-space'), say('never asked')])
    await doAs(world, 'set-budget', '@eve', { selfContinues: 0 })
    await expect(ask('eve')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(askedFor(model, 'eve')).toHaveLength(1)
  })

  it('a budget that allows no second call parks it, and the asker is told', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 10 }
    await thinker('flo', [{ ...act('set-space'), usage } as Reply, say('never asked')])
    const reserved = await world.db
      .selectFrom('reservation')
      .select('tokens')
      .where('moment', '=', 'dot/1/1')
      .orderBy('tokens')
      .execute()
    await doAs(world, 'set-budget', '@flo', { tokens: reserved[0]!.tokens + 60 }) // room for one call
    await expect(ask('flo')).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' })
    expect(askedFor(model, 'flo')).toHaveLength(1)
    expect((await rowOf(world, 'flo')).parked).toBeDefined()
  })

  it('its flow reads that it decides again', async () => {
    await setRole(world, { name: 'modest', canSummon: [{ rel: 'asker' }], prompt: 'Only speak.' })
    await thinker('gil', [act('set-space'), say('Sorry.')])
    await setFlow(world, 'gil', [{ when: { 'wake.kind': 'refused' }, role: 'modest' }, { role: 'clerk' }])
    await ask('gil')
    expect(await moments(world.db, 'gil')).toMatchObject([{ primary: 'clerk' }, { primary: 'modest' }])
    expect(userOf('gil', 1)).toContain('[refused]\n| set-space on @gil: FORBIDDEN: ')
  })

  it('a refusal that another call cannot mend is final', async () => {
    await thinker('hal', [act('set-being', { field: 'a.b', value: 1 }), say('never asked')])
    await world.birth({ name: 'gone', cognition: 'scripted', script: 'echo' })
    await setRole(world, { name: 'caller', canSummon: ['@gone', { rel: 'asker' }], prompt: '' })
    await thinker('ida', [{ tool: { name: 'summon', args: { target: '@gone', content: 'Hello' } } }])
    await setFlow(world, 'ida', [{ role: 'caller' }])
    await doAs(world, 'end-being', '@gone', {})
    await expect(ask('ida')).rejects.toMatchObject({ code: 'BEING_ENDED' })
    expect(askedFor(model, 'ida')).toHaveLength(1)
  })

  it('replays from the chain and by Temporal', async () => {
    await expectReplays(world)
    await expectUnbroken(world)
  })
})
