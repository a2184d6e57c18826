import { type JsonObject, perform, publishSignal, recordFact, setQuality, silence } from '@treeos/sdk'
import { being, decide, renderPrompt, runScript, signals, space } from '@treeos/sdk/testing'
import { describe, expect, it } from 'vitest'
import factory from './index.ts'

const tess = being({ name: 'tess', space: '/factory' })
const STOCK = { decks: 0, boards: 0, found: 0, open: 0 }
const hallOf = (stock: JsonObject | string | null) =>
  space({ path: '/factory', type: 'factory:hall', qualities: { factory: { stock } } })
const hall = (stock: Partial<typeof STOCK & { ordered: number }> = {}) => hallOf({ ...STOCK, ...stock })
const RUNNING = { line: 'running' }
const BROKEN = { line: 'running', broken: true }

const does = (action: string, target = hall(), line: JsonObject = RUNNING, args: JsonObject = {}) =>
  decide(factory, action, { actor: tess, target, args, world: [signals('factory', line)] })
/** Arguments of the operations that take some. */
const ARGS: Readonly<Record<string, JsonObject>> = {
  run: { running: true },
  'log-defect': { what: 'a truck is askew' },
}
const defect = (open: number) =>
  does('factory:log-defect', hall({ open, found: open }), RUNNING, ARGS['log-defect'])

describe('on the line', () => {
  it('a deck goes onto the conveyor, and off it into a board', async () => {
    expect(await does('factory:operate-lathe', hall({ decks: 4 }))).toEqual({
      facts: [setQuality(hall(), 'factory.stock', { ...STOCK, decks: 5 })],
      result: { decks: 5 },
    })
    expect(await does('factory:attach-trucks', hall({ decks: 1, boards: 8 }))).toEqual({
      facts: [
        setQuality(hall(), 'factory.stock', { ...STOCK, boards: 9 }),
        recordFact(hall(), 'factory:made', { board: 9, by: 'tess' }),
      ],
      result: { board: 9 },
    })
  })

  it('an order counts down with each board, and its last one stops the line', async () => {
    const started = await does(
      'factory:run',
      hall({ boards: 8, ordered: 1 }),
      {},
      { running: true, order: 2 },
    )
    expect(started.facts).toEqual([
      setQuality(hall(), 'factory.stock', { ...STOCK, boards: 8, ordered: 2 }),
      publishSignal('factory.line', 'running'),
    ])
    const board = async (ordered: number) =>
      (await does('factory:attach-trucks', hall({ decks: 1, boards: 8, ordered }))).facts
    expect(await board(2)).toContainEqual(
      setQuality(hall(), 'factory.stock', { ...STOCK, boards: 9, ordered: 1 }),
    )
    const stops = publishSignal('factory.line', 'stopped')
    expect(await board(2)).not.toContainEqual(stops)
    expect(await board(1)).toContainEqual(stops)
    // Without an order the line runs until it is stopped.
    const endless = await does('factory:run', hall({ ordered: 1 }), {}, { running: true })
    expect(endless.facts[0]).toEqual(setQuality(hall(), 'factory.stock', STOCK))
  })

  it('one open defect is noted, and the second breaks it', async () => {
    expect((await defect(0)).result).toEqual({ open: 1, broken: false })
    const { facts, result } = await defect(1)
    expect(result).toEqual({ open: 2, broken: true })
    expect(facts).toContainEqual(publishSignal('factory.broken', true))
  })

  it('a repair mends all that is open, and tells whoever called; the line is whole again if it was broken', async () => {
    const mends = (line: JsonObject) => does('factory:repair', hall({ open: 2, found: 7 }), line)
    const mended = [
      setQuality(hall(), 'factory.stock', { ...STOCK, found: 7 }),
      recordFact(hall(), 'factory:repaired', { defects: 2 }),
    ]
    const said = { result: { mended: 2 }, reply: 'The line runs again: 2 defects mended.' }
    expect(await mends(RUNNING)).toEqual({ facts: mended, ...said })
    const whole = publishSignal('factory.broken', null)
    expect(await mends(BROKEN)).toEqual({ facts: [...mended, whole], ...said })
  })

  it.each<[string, string, ReturnType<typeof hall>, JsonObject]>([
    ['the line of /factory is stopped: factory:run starts it', 'operate-lathe', hall(), { line: 'stopped' }],
    ['the line of /factory is stopped: factory:run starts it', 'log-defect', hall(), {}],
    ['the line of /factory is broken: factory:repair mends it', 'operate-lathe', hall(), BROKEN],
    [
      '5 decks are on the conveyor of /factory, it takes no more',
      'operate-lathe',
      hall({ decks: 5 }),
      RUNNING,
    ],
    ['no deck is on the conveyor of /factory', 'attach-trucks', hall(), RUNNING],
    ['nothing is to be mended in /factory', 'repair', hall(), RUNNING],
    // A malformed stock counts as an empty one.
    ['no deck is on the conveyor of /factory', 'attach-trucks', hallOf('much'), RUNNING],
    ['no deck is on the conveyor of /factory', 'attach-trucks', hallOf(null), RUNNING],
    ['nothing is to be mended in /factory', 'repair', hallOf({ open: -1 }), RUNNING],
  ])('%s: factory:%s is refused', async (message, action, target, line) => {
    await expect(does(`factory:${action}`, target, line, ARGS[action])).rejects.toMatchObject({
      code: 'RESOURCE_CONFLICT',
      message,
    })
  })

  it.each<[string, JsonObject, RegExp]>([
    ['run', { running: 'yes' }, /running is "yes": /],
    ['operate-lathe', { speed: 3 }, /takes no arguments?.* "speed"/],
    ['attach-trucks', { n: 2 }, /takes no arguments?.* "n"/],
    ['log-defect', {}, /what is missing; it takes a text/],
    ['log-defect', { what: 7 }, /what is 7: .*string/],
    ['log-defect', { what: '' }, /what is "": /],
    ['log-defect', { what: 'x'.repeat(201) }, /"x+.*200/],
    ['repair', { with: 'tape' }, /takes no arguments?.* "with"/],
  ])('factory:%s names what is wrong with %j', async (action, args, message) => {
    await expect(does(`factory:${action}`, hall(), RUNNING, args)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(message),
    })
  })

  it.each(['run', 'operate-lathe', 'attach-trucks', 'log-defect', 'repair'])(
    'factory:%s is for a hall alone',
    async (action) => {
      await expect(
        does(`factory:${action}`, space({ path: '/yard' }), RUNNING, ARGS[action]),
      ).rejects.toMatchObject({ code: 'INVALID_TYPE', message: '/yard is a room, not a factory' })
    },
  )
})

describe('whoever works there', () => {
  const sees = (decks: number, wears: string[], content: JsonObject = { event: 'idle' }, stock = {}) => ({
    me: tess,
    wears,
    wake: { content },
    world: [hall({ decks, ...stock }), signals('factory', RUNNING)],
  })

  it.each<[number, string, string, ReturnType<typeof perform>]>([
    [4, 'factory:worker', 'idle', perform('factory:operate-lathe', '/factory')],
    [5, 'factory:worker', 'idle', silence],
    [4, 'factory:worker', 'changed', silence],
    [4, 'factory:halted', 'idle', silence],
  ])('with %i decks in sight the lathe, as %s, woken by %s', async (decks, role, event, decision) => {
    expect(await runScript(factory, 'factory:lathe', sees(decks, [role], { event }))).toEqual(decision)
  })

  it('the lathe turns no more decks than are ordered', async () => {
    const turns = (decks: number, ordered: number) =>
      runScript(factory, 'factory:lathe', sees(decks, ['factory:worker'], { event: 'idle' }, { ordered }))
    expect(await turns(2, 3)).toEqual(perform('factory:operate-lathe', '/factory'))
    expect(await turns(3, 3)).toEqual(silence)
  })

  it('is called by name', async () => {
    expect(await renderPrompt(factory, 'factory:worker', { me: tess })).toMatch(/^You are tess, on the line/)
  })
})
