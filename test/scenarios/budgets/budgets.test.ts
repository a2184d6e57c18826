import { beings, budget, closeInbox, inbox, moments } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { closeEntries, countOpen, listStandings, rebuildRow } from '@treeos/store'
import { FOLD, type Row } from '@treeos/world'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  askedFor,
  beingOf,
  doAs,
  live,
  momentOf,
  play,
  ring,
  rowOf,
  tell,
  until,
  wakeUp,
} from '../../support/life.ts'
import type { Reply } from '../../support/model-server.ts'
import { IS_NIGHT } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const ANSWER_TOKENS = 300
const model = useModelServer()
const world = useWorld({
  extensions: [stage],
  modelServer: model,
  modelTimeoutSeconds: 2,
  model: { answerTokensMax: ANSWER_TOKENS, prices: { test: { prompt: 2, completion: 10 } } },
})
beforeAll(async () => {
  await doAs(world, 'set-budget', '/', {}) // only the budgets that makers set are tried here
  await world.birthPuppet('boss')
})

const setBudget = (being: string, budget: JsonObject, as = 'operator') =>
  doAs(world, 'set-budget', `@${being}`, budget, as)
const thinker = (name: string) => world.birth({ name, cognition: 'llm' })
/** A child of the boss. */
const child = (name: string, more: JsonObject = {}) =>
  play(world, 'boss', {
    verb: 'be',
    operation: 'birth',
    args: { name, cognition: 'llm', role: 'stage:free', ...more },
  })
const bossDoes = (operation: string, target: string, args: JsonObject) =>
  play(world, 'boss', { verb: 'do', operation, target, args })
/** The model answers this being so, and everybody else as it always does. */
const answers = (being: string, reply: Reply) =>
  model.script((request) => (beingOf(request) === being ? reply : undefined))
const says = (usage: { prompt_tokens: number; completion_tokens: number } | null): Reply => ({
  tool: { name: 'summon', args: { content: 'well' } },
  usage,
})
const accountOf = (being: string) =>
  world.db.selectFrom('account').selectAll().where('being', '=', being).executeTakeFirstOrThrow()
const viewOf = async (being: string) => (await beings(world.db)).find((view) => view.being === being)
const entriesOf = async (being: string) =>
  (await inbox(world, 'operator')).filter(({ content }) => (content as JsonObject).actor === `@${being}`)

describe('set-budget', () => {
  it('is for makers and the operator; nobody sets its own or frees itself', async () => {
    await child('kid')
    await child('other')
    const refusal = { outcome: 'failure', reason: 'FORBIDDEN' }
    expect(await bossDoes('set-budget', '@boss', { tokens: 1 })).toMatchObject(refusal)
    await expect(setBudget('operator', { tokens: 1 })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    for (const operation of ['set-budget', 'unpark-being'])
      for (const target of ['@kid', '@boss', '@other']) {
        answers('kid', { tool: { name: 'do', args: { operation, target, args: {} } } })
        expect(await live(world, 'kid', 'go')).toMatchObject(refusal)
      }
    model.reset()
    expect(await bossDoes('set-budget', '@kid', { tokens: 100_000 })).toMatchObject({ outcome: 'act' })
    expect(await viewOf('kid')).toMatchObject({ budget: { tokens: 100_000, per: 'total' } })
    await expect(doAs(world, 'unpark-being', '@kid', {})).rejects.toMatchObject({ code: 'RESOURCE_CONFLICT' })
  })

  it('grants no more than its setter holds', async () => {
    await setBudget('boss', { tokens: 500, money: 0.5, momentsPerMinute: 1000, per: 'day' })
    const set = async (budget: JsonObject) => (await bossDoes('set-budget', '@kid', budget)).reason
    expect(await set({ tokens: 501, per: 'day' })).toBe('FORBIDDEN')
    expect(await set({ money: 0.500001, per: 'day' })).toBe('FORBIDDEN')
    expect(await set({ momentsPerMinute: 1001 })).toBe('FORBIDDEN')
    expect(await set({ tokens: 500, money: 0.5, momentsPerMinute: 1000, per: 'day' })).toBeUndefined()
    expect(await set({ tokens: 501 })).toBeUndefined() // for good: that may be more than a day's
    expect(await set({})).toBeUndefined() // no bound of its own; the boss's holds
    await setBudget('boss', {})
    expect(await viewOf('boss')).not.toHaveProperty('budget')
  })

  it.each<[JsonObject, RegExp]>([
    [{ tokens: -1 }, /tokens is -1/],
    [{ tokens: 1.5 }, /tokens is 1.5/],
    [{ momentsPerMinute: 0 }, /from 1/],
    [{ money: 0.0000001 }, /millionth/],
    [{ per: 'week' }, /day, total/],
    [{ coins: 1 }, /no argument "coins"/],
  ])('refuses %j and says what would be right', async (budget, message) => {
    await expect(setBudget('kid', budget)).rejects.toThrow(message)
  })

  it('is out of reach of set-being', async () => {
    await setBudget('kid', { tokens: 7 })
    await doAs(world, 'set-being', '@kid', { field: 'budget.tokens', value: 1_000_000 })
    expect((await rowOf(world, 'kid')).budget).toMatchObject({ tokens: 7 })
    expect(await accountOf('kid')).toMatchObject({ tokens_max: 7 })
    await setBudget('kid', {})
  })
})

describe('the cost of a call', () => {
  const spent = async (being: string) => {
    const { total_tokens, total_micros, reserved_tokens } = await accountOf(being)
    return { tokens: total_tokens, micros: total_micros, held: reserved_tokens }
  }

  it('the most tokens an answer may have goes to the model under a budget only; the cost is what the provider says, else the most that was sent and received', async () => {
    await thinker('counted')
    await live(world, 'counted', 'free')
    expect(askedFor(model, 'counted').at(-1)).not.toHaveProperty('max_tokens')
    await setBudget('counted', { tokens: 1_000_000 })
    answers('counted', says({ prompt_tokens: 100, completion_tokens: 20 }))
    await live(world, 'counted', 'go')
    expect(askedFor(model, 'counted').at(-1)).toMatchObject({ max_tokens: ANSWER_TOKENS })
    expect(await spent('counted')).toEqual({ tokens: 120, micros: 400, held: 0 })
    answers('counted', says(null))
    await live(world, 'counted', 'go')
    const { messages = [], tools = [] } = askedFor(model, 'counted').at(-1) ?? {}
    const texts = [...messages.map(({ content }) => content), JSON.stringify(tools)]
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    const { tokens, held } = await spent('counted')
    expect(held).toBe(0)
    expect(tokens).toBeGreaterThan(120 + bytes + 512)
    // the answer is short, and far from what it might have
    expect(tokens).toBeLessThan(120 + bytes + 512 + 400)
  })

  it('is nothing of a request that was turned away, and the worst of each attempt that was lost', async () => {
    await thinker('unlucky')
    await setBudget('unlucky', { tokens: 1_000_000 })
    answers('unlucky', { status: 401 })
    expect(await live(world, 'unlucky', 'go')).toMatchObject({ outcome: 'failure', reason: 'LLM_FAILED' })
    expect(await spent('unlucky')).toEqual({ tokens: 0, micros: 0, held: 0 })
    const replies: Reply[] = [
      { status: 429, headers: { 'retry-after-ms': '1' } },
      { reset: 'mid-body' },
      says({ prompt_tokens: 10, completion_tokens: 1 }),
    ]
    model.script((request) => (beingOf(request) === 'unlucky' ? replies.shift() : undefined))
    expect(await live(world, 'unlucky', 'go')).toMatchObject({ outcome: 'act' })
    const rows = await world.db
      .selectFrom('reservation')
      .selectAll()
      .where('moment', '=', 'unlucky/1/2')
      .orderBy('attempt')
      .execute()
    expect(rows.map(({ settled_tokens }) => settled_tokens)).toEqual([0, rows[1]?.tokens, 11])
    expect(await spent('unlucky')).toMatchObject({ tokens: (rows[1]?.tokens ?? 0) + 11, held: 0 })
  })
})

describe('an outage', () => {
  const unsureOf = async (being: string) => (await budget(world, being)).unsure?.tokens ?? 0

  it('counts the most that lost calls can have cost; who owns the budget gives it back, for that budget alone', async () => {
    await setBudget('boss', { tokens: 1_000_000, per: 'day' })
    await child('outcast')
    await setBudget('outcast', { tokens: 200_000, per: 'day' })
    answers('outcast', { reset: 'mid-body' })
    expect(await live(world, 'outcast', 'hello?')).toMatchObject({ outcome: 'failure', reason: 'LLM_FAILED' })
    const lost = (await budget(world, 'outcast')).used.tokens
    expect([await unsureOf('outcast'), await unsureOf('boss')]).toEqual([lost, lost])
    expect(lost).toBeGreaterThan(ANSWER_TOKENS)

    // What is left is too little for another call, so it is parked.
    model.reset()
    await setBudget('outcast', { tokens: lost + 10, per: 'day' }) // and enough once nothing was lost
    expect(await live(world, 'outcast', 'and now?')).toMatchObject({ reason: 'BUDGET_EXCEEDED' })
    const wake = await tell(world, 'outcast', 'well?')
    expect(await bossDoes('unpark-being', '@outcast', { release: true })).toMatchObject({ outcome: 'act' })
    expect(await momentOf(world, wake)).toMatchObject({ outcome: 'act' })
    expect(await unsureOf('outcast')).toBe(0)
    expect((await budget(world, 'outcast')).used.tokens).toBeLessThan(lost)
    expect(await unsureOf('boss')).toBe(lost)
    await expect(doAs(world, 'unpark-being', '@outcast', { release: 'all' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
    await setBudget('boss', {})
  })
})

describe('a breach', () => {
  it('asks no mind, parks the being and tells its maker once; a raised budget lets every wake have its outcome', async () => {
    await thinker('spender')
    model.reset()
    await setBudget('spender', { tokens: 4000 })
    answers('spender', says({ prompt_tokens: 1500, completion_tokens: 100 }))
    const wakes = []
    for (let i = 0; i < 5; i++) wakes.push(await tell(world, 'spender', `errand ${i}`))
    const parked = await until(async () => (await viewOf('spender'))?.parked)
    expect(parked).toMatchObject({ of: 'spender', revision: 1, limit: 'tokens', max: 4000 })
    const lived = await moments(world.db, 'spender')
    const asked = askedFor(model, 'spender').length
    expect(lived.map(({ outcome, reason }) => [outcome, reason ?? null])).toEqual([
      ...Array.from({ length: asked }, () => ['act', null]),
      ['failure', 'BUDGET_EXCEEDED'],
    ])
    expect(lived.at(-1)?.message).toContain('set-budget on @spender with at least')
    await ring(world, 'spender')
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await countOpen(world.db, 'spender')).toBe(5 - lived.length)
    const entries = await entriesOf('spender')
    expect(entries.map(({ content }) => content)).toEqual([
      {
        event: 'parked',
        actor: '@spender',
        correlation: wakes[lived.length - 1],
        code: 'BUDGET_EXCEEDED',
        message: lived.at(-1)?.message,
        budget: { ...parked, of: '@spender' },
      },
    ])

    // It needs a decision, so it is not read away, neither with all notices nor by itself.
    const [entry] = entries
    const kindOf = async () =>
      (await inbox(world, 'operator')).find(({ correlation }) => correlation === entry!.correlation)?.kind
    expect(await kindOf()).toBe('budget')
    for (const how of ['read', 'dismissed'] as const)
      await closeInbox(world, { as: 'operator', how, entries: null })
    expect(await closeEntries(world.db, 'operator', [entry!.correlation], 'read')).toBe(0)
    await expect(
      closeInbox(world, { as: 'operator', how: 'read', entries: [entry!.correlation] }),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('@spender is parked') })
    expect(await kindOf()).toBe('budget')
    expect((await listStandings(world.db, ['spender', 'boss'])).map((one) => one.isParked)).toEqual([
      true,
      false,
    ])

    await expect(doAs(world, 'resume-being', '@spender', {})).rejects.toMatchObject({
      code: 'RESOURCE_CONFLICT',
      message: expect.stringContaining('is not paused, but parked by a budget: '),
    })
    await setBudget('spender', { tokens: 100_000 })
    const ends = await Promise.all(wakes.map((wake) => momentOf(world, wake)))
    expect(ends.filter(({ outcome }) => outcome === 'failure')).toHaveLength(1)
    expect(await viewOf('spender')).not.toHaveProperty('parked')
    expect(await kindOf()).toBe('notice') // nothing waits for a decision any more
    expect(await moments(world.db, 'spender')).toHaveLength(5)
  })

  it('of a tree parks whoever met it, and tells the maker of the one whose limit it is', async () => {
    await child('branch')
    await setBudget('boss', { money: 0.001 })
    expect(await live(world, 'branch', 'go')).toMatchObject({ reason: 'BUDGET_EXCEEDED' })
    expect((await viewOf('branch'))?.parked).toMatchObject({ of: 'boss', limit: 'money', max: 0.001 })
    expect((await entriesOf('branch')).map(({ content }) => (content as JsonObject).event)).toEqual([
      'parked',
    ])
    const wake = await tell(world, 'branch', 'again')
    // An approval without more money: it tries, and is told again.
    await doAs(world, 'unpark-being', '@branch', {})
    expect(await momentOf(world, wake)).toMatchObject({ outcome: 'failure', reason: 'BUDGET_EXCEEDED' })
    expect(await entriesOf('branch')).toMatchObject([{ times: 2 }])
    const last = await tell(world, 'branch', 'and again')
    await setBudget('boss', { money: 1 })
    expect(await momentOf(world, last, 40)).toMatchObject({ outcome: 'act' })
  })

  it('of a script is its own failure: it parks nobody', async () => {
    const code = { kind: 'failure', code: 'BUDGET_EXCEEDED', message: 'so I say', breach: { of: 'boss' } }
    expect(await live(world, 'boss', { return: code })).toMatchObject({ reason: 'BUDGET_EXCEEDED' })
    expect(await viewOf('boss')).not.toHaveProperty('parked')
  })
})

describe('moments per minute', () => {
  it('lets those beyond it rest until the next minute, and loses none', async () => {
    await thinker('hasty')
    await setBudget('hasty', { momentsPerMinute: 2 })
    const left = 60_000 - (Date.now() % 60_000)
    if (left < 8000) await new Promise((resolve) => setTimeout(resolve, left + 100))
    // By day one minute more is waited for, and at night two.
    const wakes = await wakeUp(world, 'hasty', IS_NIGHT ? ['a', 'b', 'c', 'd', 'e'] : ['a', 'b', 'c'])
    await until(async () => (await moments(world.db, 'hasty')).length === 2)
    await ring(world, 'hasty')
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await moments(world.db, 'hasty')).toHaveLength(2)
    // The sweep rings it when the minute is over; here it is over at once.
    for (const lived of IS_NIGHT ? [4, 5] : [3]) {
      await sql`update treeos.account set minute = minute - interval '1 minute' where being = 'hasty'`.execute(
        world.owner,
      )
      await until(async () => (await moments(world.db, 'hasty')).length === lived, { seconds: 40 })
    }
    for (const wake of wakes) expect(await momentOf(world, wake)).toMatchObject({ outcome: 'see' })
  }, 120_000)
})

describe('what was lived under a budget', () => {
  it('replays, and its rows are what their reels say', async () => {
    const before = await world.db
      .selectFrom('projection')
      .selectAll()
      .where('key', 'like', 'being:%')
      .orderBy('key')
      .execute()
    const accounts = await world.db.selectFrom('account').selectAll().orderBy('being').execute()
    const parkings = await world.db.selectFrom('parking').selectAll().orderBy('being').execute()
    for (const { key } of before) await rebuildRow<Row>(world.owner, key, FOLD)
    expect(
      await world.db
        .selectFrom('projection')
        .selectAll()
        .where('key', 'like', 'being:%')
        .orderBy('key')
        .execute(),
    ).toEqual(before)
    expect(await world.db.selectFrom('account').selectAll().orderBy('being').execute()).toEqual(accounts)
    expect(await world.db.selectFrom('parking').selectAll().orderBy('being').execute()).toEqual(parkings)
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
