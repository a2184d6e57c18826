import { answer, type Json, type JsonObject, recordFact, setQuality } from '@treeos/sdk'
import { being, decide, matter, runScript } from '@treeos/sdk/testing'
import { describe, expect, it } from 'vitest'
import food, { totals } from './index.ts'

const ate = (food: string, kcal: number) => ({ food, kcal })

it('each day comes to the sum of what was eaten, the newest first', () => {
  expect(
    totals({
      '2026-11-21': [ate('porridge', 350), ate('soup', 480)],
      '2026-12-01': [ate('water', 0)],
      '2026-11-22': [],
    }),
  ).toEqual([
    { day: '2026-12-01', entries: 1, kcal: 0 },
    { day: '2026-11-22', entries: 0, kcal: 0 },
    { day: '2026-11-21', entries: 2, kcal: 830 },
  ])
  expect(totals({})).toEqual([])
})

const pia = being({ name: 'pia', space: '/kitchen' })
const logOf = (owner: string, days: JsonObject) =>
  matter({ id: `${owner}s`, type: 'food-log', owner, place: '/kitchen', qualities: { food: days } })
/** The decision for one more meal in a log with these days. */
const logs = (days: JsonObject, args: JsonObject, target = logOf('pia', days)) =>
  decide(food, 'food:log', { actor: pia, target, args })
const MEAL = { day: '2026-11-22', food: 'an apple', kcal: 80 }

describe('food:log', () => {
  it('adds a meal to its day', async () => {
    const log = logOf('pia', { '2026-11-21': [ate('soup', 480)], '2026-11-22': [ate('rice', 300)] })
    expect(await logs({}, MEAL, log)).toEqual({
      facts: [
        setQuality(log, 'food.2026-11-22', [ate('rice', 300), ate('an apple', 80)]),
        recordFact(log, 'food:logged', MEAL),
      ],
      result: { day: '2026-11-22', entries: 2, kcal: 380 },
    })
  })

  it.each<[string, JsonObject, RegExp]>([
    ['no such day', { ...MEAL, day: '2026-02-30' }, /day is "2026-02-30": /],
    ['a day of another type', { ...MEAL, day: 22 }, /day is 22: .*string/],
    ['no food', { ...MEAL, food: '' }, /food is "": /],
    ['too long a food', { ...MEAL, food: 'x'.repeat(81) }, /food is "x+.*80/],
    ['less than nothing', { ...MEAL, kcal: -1 }, /kcal is -1: /],
    ['no whole number', { ...MEAL, kcal: 1.5 }, /kcal is 1\.5: /],
    ['too much', { ...MEAL, kcal: 20_001 }, /kcal is 20001: .*20000/],
    ['an argument it has not', { ...MEAL, mood: 'good' }, /"mood"/],
  ])('refuses %s by name', async (_what, args, message) => {
    await expect(logs({}, args)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(message),
    })
  })

  it('goes on to the last entry of a day, and not beyond; a thing that is not a log has no days', async () => {
    const full = (entries: number) => ({ '2026-11-22': Array(entries).fill(ate('rice', 10)) })
    expect((await logs(full(49), MEAL)).result).toMatchObject({ entries: 50 })
    await expect(logs(full(50), MEAL)).rejects.toMatchObject({
      code: 'RESOURCE_CONFLICT',
      message: '2026-11-22 of matter:pias has 50 entries, a day takes at most 50',
    })
    await expect(logs({}, MEAL, matter({ id: 'spoon' }))).rejects.toMatchObject({
      code: 'INVALID_TYPE',
      message: 'matter:spoon is a thing, not a food-log',
    })
  })

  it('writes over a day that somebody set to something else', async () => {
    expect((await logs({ '2026-11-22': 'pie' }, MEAL)).result).toMatchObject({ entries: 1, kcal: 80 })
  })
})

it('the diary tells what the days of its own log came to: a malformed day does not count', async () => {
  const kept = { '2026-11-22': [ate('rice', 300)], '2026-11-23': 'pie', someday: [ate('pie', 1)] }
  const world = [logOf('pia', kept), logOf('guest', kept)]
  const asks = (wake: { kind?: string; content: Json }, rows = world) =>
    runScript(food, 'food:diary', {
      me: pia,
      wears: ['food:eater'],
      wake: { from: 'guest', ...wake },
      world: rows,
    })
  expect(await asks({ content: { ask: 'totals' } })).toEqual(
    answer([{ log: 'matter:pias', days: [{ day: '2026-11-22', entries: 1, kcal: 300 }] }]),
  )
  const words = answer('2026-11-22: 300 kcal in 1 entry.')
  expect(await asks({ content: 'how?' })).toEqual(words)
  // After it has noted a meal it says what the day came to.
  expect(await asks({ kind: 'continue', content: { event: 'self-continue' } })).toEqual(words)
  expect(await asks({ content: 'how?' }, [])).toEqual(answer('I keep no log yet.'))
})
