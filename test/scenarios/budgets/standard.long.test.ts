import { beings, budget, budgets, moments } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { rebuildRow } from '@treeos/store'
import { FOLD, type Row, STANDARD_BUDGETS } from '@treeos/world'
import { sql } from 'kysely'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  askedFor,
  beingOf,
  doAs,
  expectRefused,
  live,
  momentOf,
  play,
  tell,
  until,
  wakeUp,
} from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const ANSWER_TOKENS = 300
const model = useModelServer()
const world = useWorld({
  extensions: [stage],
  modelServer: model,
  model: { answerTokensMax: ANSWER_TOKENS, prices: { test: { prompt: 2, completion: 10 } } },
})
beforeAll(async () => {
  await world.birthPuppet('boss')
})

const setStandard = (standard: JsonObject) => doAs(world, 'set-budget', '/', standard)
const setBudget = (being: string, given: JsonObject) => doAs(world, 'set-budget', `@${being}`, given)
const viewOf = async (being: string) => (await beings(world.db)).find((view) => view.being === being)
const { llm: LLM, scripted: SCRIPTED } = STANDARD_BUDGETS

describe('a being without a budget of its own', () => {
  it('has the standard one from its birth, and what it used is shown', async () => {
    await world.birth({ name: 'mind', cognition: 'llm' })
    model.script(() => ({
      tool: { name: 'summon', args: { content: 'well' } },
      usage: { prompt_tokens: 100, completion_tokens: 20 },
    }))
    expect(await live(world, 'mind', 'hello')).toMatchObject({ outcome: 'act' })
    expect(askedFor(model, 'mind').at(-1)).toMatchObject({ max_tokens: ANSWER_TOKENS })
    // The allowance of its person is no limit of its own: only the standard budget shows it.
    const { revision: _count, tokensPerPerson, ...limits } = LLM
    expect(await budget(world, 'mind')).toEqual({
      being: 'mind',
      stance: '@mind',
      standard: true,
      limits,
      used: { tokens: 120, money: 0.0004, moments: 1, births: 0 },
      held: { tokens: 0, money: 0 },
    })
    const all = await budgets(world)
    expect(all.map(({ being }) => being)).toEqual([null, null, 'mind'])
    expect(all.find((view) => view.for === 'llm')?.limits).toEqual({ ...limits, tokensPerPerson })
    expect(await viewOf('mind')).not.toHaveProperty('budget')
  })

  it('is said alike by SQL and TypeScript', async () => {
    for (const [cognition, standard] of Object.entries(STANDARD_BUDGETS)) {
      const { rows } = await sql<{ said: unknown }>`select treeos.standard(${cognition}) as said`.execute(
        world.db,
      )
      expect(rows[0]?.said).toEqual(standard)
    }
  })

  it('costs a moment no round trip: as many statements as without any budget', async () => {
    const statements: string[] = []
    const { query } = pg.Client.prototype
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      statements.push(JSON.stringify(args[0]))
      return Reflect.apply(query, this, args)
    } as typeof query
    try {
      /** Statements of the being's third moment: by then the worker holds what each moment of it needs. */
      const countFor = async (name: string) => {
        await world.birth({ name, cognition: 'llm' })
        for (let i = 0; i < 2; i++) await live(world, name, 'hello')
        statements.length = 0
        const { n } = await live(world, name, 'hello')
        await new Promise((resolve) => setTimeout(resolve, 300))
        return statements.filter((text) => text.includes(`${name}/1/${n}`)).length
      }
      const bounded = await countFor('bounded')
      await setStandard({})
      const unbounded = await countFor('unbounded')
      expect(bounded).toBeGreaterThan(0)
      expect(bounded).toBe(unbounded)
    } finally {
      pg.Client.prototype.query = query
      await setStandard({ momentsPerMinute: LLM.momentsPerMinute!, tokens: LLM.tokens! })
    }
  })

  it('lives no more moments in a minute than the standard says; the others wait, and none is lost', async () => {
    await setStandard({ momentsPerMinute: 3 })
    await world.birth({ name: 'hasty', cognition: 'llm' })
    model.script(() => ({ content: '' }))
    const wakes = await wakeUp(world, 'hasty', ['a', 'b', 'c', 'd', 'e'])
    await until(async () => (await moments(world.db, 'hasty')).length === 3)
    await new Promise((resolve) => setTimeout(resolve, 6000)) // the sweep comes by meanwhile
    expect(await moments(world.db, 'hasty')).toHaveLength(3)
    expect((await budget(world, 'hasty')).used.moments).toBe(3)
    // The control: with the standard pace lifted the rest is lived at once.
    await setStandard({ tokens: 1_000_000 })
    for (const wake of wakes) expect(await momentOf(world, wake)).toMatchObject({ outcome: 'see' })
  })

  it('a budget of its own replaces the standard one: {} takes all limits away', async () => {
    await setStandard({ momentsPerMinute: 2, tokens: 1 })
    await world.birth({ name: 'free', cognition: 'llm' })
    await setBudget('free', {})
    for (const wake of await wakeUp(world, 'free', ['a', 'b', 'c', 'd']))
      expect(await momentOf(world, wake)).toMatchObject({ outcome: 'see' })
    expect(await budget(world, 'free')).toMatchObject({ being: 'free', limits: { per: 'total' } })
  })

  it('is parked when its day is used up, its maker is told, and a larger standard lets it go on', async () => {
    await setStandard({ tokens: 100 })
    await world.birth({ name: 'spender', cognition: 'llm' })
    expect(await live(world, 'spender', 'go')).toMatchObject({
      outcome: 'failure',
      reason: 'BUDGET_EXCEEDED',
    })
    expect((await viewOf('spender'))?.parked).toMatchObject({
      of: 'spender',
      limit: 'tokens',
      per: 'day',
      max: 100,
    })
    const wake = await tell(world, 'spender', 'again')
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await moments(world.db, 'spender')).toHaveLength(1)
    model.script((request) =>
      beingOf(request) === 'spender' ? { tool: { name: 'summon', args: { content: 'done' } } } : undefined,
    )
    await setStandard({ tokens: 1_000_000 })
    expect(await momentOf(world, wake)).toMatchObject({ outcome: 'act' })
    expect(await viewOf('spender')).not.toHaveProperty('parked')
    // Its own first budget is not mistaken for the standard one that parked it.
    await setStandard({ tokens: 100 })
    await live(world, 'spender', 'go')
    expect(await viewOf('spender')).toHaveProperty('parked')
    await setBudget('spender', { tokens: 1_000_000 })
    expect(await viewOf('spender')).not.toHaveProperty('parked')
    await setStandard({ tokens: 1_000_000 })
  })
})

describe('births', () => {
  const birth = (name: string) =>
    play(world, 'boss', {
      verb: 'be',
      operation: 'birth',
      args: { name, cognition: 'scripted', script: 'silent' },
    })

  it('of a being end at the standard number, and only its makers raise it', async () => {
    await doAs(world, 'set-budget', '/', { for: 'scripted', births: 2 })
    expect(await birth('kid-1')).toMatchObject({ outcome: 'act' })
    expect(await birth('kid-2')).toMatchObject({ outcome: 'act' })
    expect(await birth('kid-3')).toMatchObject({
      outcome: 'failure',
      reason: 'RATE_LIMITED',
      message:
        '@boss and its offspring have made 2 beings, and the standard budget (births) allows no more; set-budget on @boss changes that',
    })
    await setBudget('boss', { births: 3 })
    expect(await birth('kid-3')).toMatchObject({ outcome: 'act' })
    expect((await birth('kid-4')).message).toContain('the budget of @boss allows 3')
    await setBudget('boss', {})
    expect(await birth('kid-4')).toMatchObject({ outcome: 'act' })
  })

  it('of a line of beings count together, whoever of the line makes the next one', async () => {
    await doAs(world, 'set-budget', '/', { for: 'scripted', births: 3 })
    const bear = (maker: string, name: string) => {
      const args = { name, cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' }
      return play(world, maker, { verb: 'be', operation: 'birth', args })
    }
    await world.birthPuppet('first')
    for (const [maker, child] of [
      ['first', 'second'],
      ['second', 'third'],
      ['third', 'fourth'],
    ] as const)
      expect(await bear(maker, child)).toMatchObject({ outcome: 'act' })
    for (const maker of ['first', 'second', 'third', 'fourth']) {
      expect(await bear(maker, `${maker}-too`)).toMatchObject({
        outcome: 'failure',
        reason: 'RATE_LIMITED',
        message: expect.stringContaining('@first and its offspring have made 3 beings'),
      })
      // Control: by itself none of them has made more than one.
      expect((await budget(world, maker)).used.births).toBeLessThan(2)
    }
    // A maker that the operator trusts with more may go on, within what its elders have.
    await setBudget('first', {})
    expect(await bear('first', 'fifth')).toMatchObject({ outcome: 'act' })
  })

  it('of a person have no standard number', async () => {
    for (let i = 0; i < 3; i++)
      await world.birth({ name: `mine-${i}`, cognition: 'scripted', script: 'silent' })
  })
})

describe('a being that lives by the standard budget', () => {
  const kid = 'freed'
  const set = (args: JsonObject) =>
    play(world, 'nurse', { verb: 'do', operation: 'set-budget', target: `@${kid}`, args })
  beforeAll(async () => {
    await setStandard({ momentsPerMinute: 5, births: 2, tokens: 1000 })
    await world.birthPuppet('nurse')
    const args = { name: kid, cognition: 'llm', role: 'stage:mute' }
    await play(world, 'nurse', { verb: 'be', operation: 'birth', args })
  })

  it.each<[JsonObject, string]>([
    [{}, 'momentsPerMinute without a limit is more than 5'],
    [{ momentsPerMinute: 6, births: 2, tokens: 1000, per: 'day' }, 'momentsPerMinute 6 is more than 5'],
    [{ momentsPerMinute: 5, births: 3, tokens: 1000, per: 'day' }, 'births 3 is more than 2'],
    [{ momentsPerMinute: 5, births: 2, per: 'day' }, 'tokens without a limit is more than 1000 a day'],
    [{ momentsPerMinute: 5, births: 2, tokens: 1001, per: 'total' }, 'tokens 1001 is more than 1000 a day'],
  ])('frees no child from it with %j', async (given, says) => {
    const { outcome, reason, message } = await set(given)
    expect({ outcome, reason }).toEqual({ outcome: 'failure', reason: 'FORBIDDEN' })
    expect(message).toContain(says)
  })

  it('bounds a child more closely, for a day or in total', async () => {
    for (const [tokens, per] of [
      [1000, 'day'],
      [999, 'total'],
    ] as const)
      expect(await set({ momentsPerMinute: 5, births: 1, tokens, per })).toMatchObject({ outcome: 'act' })
  })

  it('the control: with a budget of its own, which counts what its children use, it may', async () => {
    await setBudget('nurse', { momentsPerMinute: 100, tokens: 10_000, per: 'day' })
    expect(await set({})).toMatchObject({ outcome: 'act' })
  })
})

describe('the standard budgets', () => {
  it('are set by the operator alone, also where a rule of / permits others', async () => {
    await doAs(world, 'set-space', '/', { field: 'permissions.do.set-budget', value: true })
    const call = { verb: 'do', operation: 'set-budget', target: '/', args: { tokens: 9_000_000 } }
    expect(await play(world, 'boss', call)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    await doAs(world, 'set-space', '/', { field: 'permissions.do.set-budget', value: null })
  })

  it.each<[string, string, JsonObject, RegExp]>([
    ['set-space', '/', { field: 'budget.llm', value: {} }, /budget of \/ is set with set-budget/],
    ['set-space', '/', { field: 'budget', value: null }, /is set with set-budget|not valid/],
    ['set-budget', '/', { for: 'human', tokens: 1 }, /llm, scripted/],
    ['set-budget', '/', { hops: 1 }, /no argument "hops"/],
    ['set-budget', '/library', { tokens: 1 }, /takes a being or the reality, \//],
  ])('%s on %s refuses %j', async (action, target, args, message) => {
    await expectRefused(
      world,
      () => doAs(world, action, target, args),
      action === 'set-budget' && target !== '/' ? 'INVALID_TYPE' : 'INVALID_INPUT',
      message,
    )
  })

  it('replay, and the rows are what their reels say', async () => {
    await setStandard({ momentsPerMinute: LLM.momentsPerMinute!, tokens: LLM.tokens! })
    await doAs(world, 'set-budget', '/', { for: 'scripted', momentsPerMinute: SCRIPTED.momentsPerMinute! })
    const rows = () =>
      world.db
        .selectFrom('projection')
        .selectAll()
        .where('key', 'in', ['space:/', 'being:mind'])
        .orderBy('key')
        .execute()
    const before = await rows()
    for (const { key } of before) await rebuildRow<Row>(world.owner, key, FOLD)
    expect(await rows()).toEqual(before)
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
