import { act, inbox, moments } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { LIMITS } from '@treeos/core'
import { countOpen } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { askedFor, beingOf, live, play, setRole, until, wakesOf } from '../../support/life.ts'
import type { Reply } from '../../support/model-server.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })
beforeAll(async () => {
  const lists = { canSee: ['/library', '~'], canDo: ['set-being'], canSummon: [{ rel: 'asker' }], prompt: '' }
  await setRole(world, { name: 'steady', selfContinue: true, ...lists })
  await setRole(world, { name: 'single', ...lists })
})

const thinker = (name: string, role: string) => world.birth({ name, cognition: 'llm', role })
const note = (value: Json): Reply => ({
  tool: { name: 'do', args: { operation: 'set-being', args: { field: 'note.last', value } } },
})

/** The model answers a being with these, in order, and then is silent; or for ever, each time with another one. */
function answers(being: string, replies: readonly Reply[] | ((n: number) => Reply)): void {
  const queue = typeof replies === 'function' ? null : [...replies]
  let n = 0
  model.script((request) => {
    if (beingOf(request) !== being) return undefined
    return typeof replies === 'function' ? replies(n++) : (queue?.shift() ?? { content: 'all is done' })
  })
}

/** Every moment of a being, once its inbox is empty. */
async function lived(being: string) {
  await until(async () => (await countOpen(world.db, being)) === 0)
  return moments(world.db, being)
}
/** What each wake of a being said; a text as `{said}`. */
const wakeContents = async (being: string): Promise<JsonObject[]> =>
  (await wakesOf(world, being)).map(({ content }) =>
    typeof content === 'string' ? { said: content } : (content as JsonObject),
  )

describe('a budget', () => {
  const bound = (being: string, args: JsonObject, as = 'operator') =>
    act(world, as, { verb: 'do', operation: 'set-budget', target: `@${being}`, args })

  it('of a being, or of any of its makers, says how often it may go on by itself', async () => {
    await world.birthPuppet('house')
    const args = { name: 'heir', cognition: 'llm', role: 'steady' }
    expect(await play(world, 'house', { verb: 'be', operation: 'birth', args })).toMatchObject({
      outcome: 'act',
    })
    await bound('house', { selfContinues: 2 })
    answers('heir', note)
    await live(world, 'heir', 'go')
    const all = await lived('heir')
    expect(all.map(({ outcome, reason }) => [outcome, reason ?? null])).toEqual([
      ['act', null],
      ['act', null],
      ['act', 'steps-spent'],
    ])
    expect(all.at(-1)?.message).toBe('the being has used all 2 steps that the budget of @house allows')
    expect((await wakeContents('heir'))[1]).toMatchObject({ event: 'self-continue', step: 1, of: 2 })
    // Zero is allowed, for this being only; and a setter cannot grant more than it holds.
    await bound('heir', { selfContinues: 0 })
    await live(world, 'heir', 'go')
    expect((await lived('heir')).length).toBe(4)
    await bound('heir', { selfContinues: 5 })
    await live(world, 'heir', 'go')
    expect((await lived('heir')).length).toBe(7)
    await expect(bound('heir', { selfContinues: LIMITS.stepsMax + 1 })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
    await bound('house', {})
  })

  it('says how many summons may follow one another where it speaks', async () => {
    const next = (name: string, content: Json): JsonObject => ({
      verb: 'summon',
      target: `@${name}`,
      content,
    })
    for (const name of ['one', 'two', 'three']) await world.birthPuppet(name)
    const chain = { call: next('two', { call: next('three', { call: next('one', 'the fourth') }) }) }
    await bound('three', { hops: 3 })
    await live(world, 'one', chain)
    await until(async () => (await moments(world.db, 'three')).length === 1)
    expect(await moments(world.db, 'three')).toMatchObject([
      {
        outcome: 'failure',
        reason: 'RATE_LIMITED',
        message:
          'the chain of summons that led here is 3 deep; at most 3 may follow one another by the budget of @three',
      },
    ])
    await bound('three', { hops: 4 })
    await live(world, 'one', chain)
    await until(async () => (await moments(world.db, 'three')).length === 2)
    expect((await moments(world.db, 'three')).at(-1)).toMatchObject({ outcome: 'act' })
  })
})

describe('selfContinue', () => {
  it('another moment follows an act, and the first without a tool call is the last', async () => {
    await thinker('weaver', 'steady')
    answers('weaver', [note(1), note(2)])
    await live(world, 'weaver', 'weave')
    const ends = (await lived('weaver')).map(({ outcome, content }) => [outcome, content ?? null])
    expect(ends).toEqual([
      ['act', null],
      ['act', null],
      ['see', 'all is done'],
    ])
    const sequence = { event: 'self-continue', actor: '@weaver', of: 16 }
    const same = { digest: expect.any(String), times: 1 }
    const begun = { from: '@operator', content: 'weave' }
    const noted = (value: number) => ({
      did: `did set-being on @weaver with {"field":"note.last","value":${value}}`,
      result: { path: ['note', 'last'], value, merge: true },
    })
    expect(await wakeContents('weaver')).toEqual([
      { said: 'weave' },
      { ...sequence, prior: 'weaver/1/1', step: 1, begun, ...noted(1), same },
      { ...sequence, prior: 'weaver/1/2', step: 2, begun, earlier: [noted(1)], ...noted(2), same },
    ])
  })

  it('a role without it never goes on after an act, and a failure only while its model may decide again', async () => {
    await thinker('once', 'single')
    answers('once', note)
    await live(world, 'once', 'go')
    expect((await lived('once')).length).toBe(1)
    await thinker('stumbler', 'steady')
    answers('stumbler', () => ({ tool: { name: 'do', args: { operation: 'fly' } } }))
    await live(world, 'stumbler', 'go')
    expect((await lived('stumbler')).map(({ outcome }) => outcome)).toEqual(['failure', 'failure', 'failure'])
  })

  it('a model that acts for ever is stopped by a bound that everybody can see', async () => {
    await thinker('restless', 'steady')
    answers('restless', note)
    await live(world, 'restless', 'go', { seconds: 60 })
    const all = await until(async () => {
      const some = await moments(world.db, 'restless')
      return some.some(({ reason }) => reason !== undefined) && some
    })
    expect(all.length).toBe(LIMITS.stepsDefault + 1)
    expect(all.map(({ outcome, reason }) => [outcome, reason ?? null])).toEqual([
      ...Array.from({ length: LIMITS.stepsDefault }, () => ['act', null]),
      ['act', 'steps-spent'],
    ])
    expect(all.at(-1)?.message).toContain(`all ${LIMITS.stepsDefault} steps that its role allows`)
    expect(askedFor(model, 'restless').length).toBe(LIMITS.stepsDefault + 1)
    const notices = (await inbox(world, 'operator')).filter(({ correlation }) =>
      correlation.startsWith('spent/restless/'),
    )
    expect(notices.map(({ content }) => content)).toEqual([
      {
        event: 'steps-spent',
        actor: '@restless',
        moment: `restless/1/${LIMITS.stepsDefault + 1}`,
        steps: LIMITS.stepsDefault,
        message: expect.stringContaining('all 16 steps'),
      },
    ])
    // A wake from outside resets the count.
    answers('restless', [note('fresh')])
    await live(world, 'restless', 'and now?')
    expect((await lived('restless')).length).toBe(LIMITS.stepsDefault + 3)
  })
})

describe('two that answer each other', () => {
  it('answers to what it says do not reset its count of self-continues', async () => {
    await setRole(world, { name: 'gossip', selfContinue: true, canSummon: [{ pattern: '*' }], prompt: '' })
    await thinker('gossip', 'gossip')
    await act(world, 'operator', {
      verb: 'do',
      operation: 'set-budget',
      target: '@gossip',
      args: { hops: 4 },
    })
    answers('gossip', (n) => ({
      tool: { name: 'summon', args: { target: '@echo', content: `and then, ${n}?`, expectReply: true } },
    }))
    await live(world, 'gossip', 'go', { seconds: 60 })
    await until(
      async () => (await countOpen(world.db, 'gossip')) + (await countOpen(world.db, 'echo')) === 0,
      { seconds: 60 },
    )
    // Each summon is answered, and each answer wakes it.
    expect((await wakesOf(world, 'gossip')).filter(({ inReplyTo }) => inReplyTo !== null)).not.toEqual([])
    const all = await moments(world.db, 'gossip')
    const own = (await wakesOf(world, 'gossip')).filter(({ id }) => id.startsWith('continue/'))
    expect(own.length).toBe(LIMITS.stepsDefault)
    expect(all.some(({ reason }) => reason === 'steps-spent')).toBe(true)
    expect(all.length).toBeLessThan(LIMITS.stepsDefault * LIMITS.hopsMax)
    const notices = (await inbox(world, 'operator')).filter(({ correlation }) =>
      correlation.startsWith('spent/gossip/'),
    )
    expect(notices.length).toBe(1)
  }, 120_000)
})

describe('afterwards', () => {
  it('every moment replays', async () => {
    await expectReplays(world)
  })
})
