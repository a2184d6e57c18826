import type { Json, JsonObject } from '@treeos/core'
import { LIMITS } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { compileFlow, evaluateFlow, flowPaths } from '../index.ts'

/** Whether one `when` holds in one context; a malformed one does not. */
function holds(when: unknown, context: JsonObject): boolean {
  const roles = { worker: {} }
  return (
    evaluateFlow(compileFlow([{ when, role: 'worker' }]), { context, cognition: 'llm', roles }).primary !==
    null
  )
}

/** A world in which `world.x` is the value, and nothing when it is undefined. */
const world = (x: Json | undefined): JsonObject => ({ world: x === undefined ? {} : { x } })
const onX = (condition: unknown, x: Json | undefined) => holds({ 'world.x': condition }, world(x))

const MISSING = undefined
const LONGEST = 'x'.repeat(LIMITS.comparableBytesMax)
const TOO_LONG = `${LONGEST}x`

describe('the role human of a caller', () => {
  const holdsFor = (condition: unknown, caller: JsonObject | null) =>
    holds({ 'caller.role': condition }, { caller })
  const person = { role: 'guest', cognition: 'human' }
  const model = { role: 'guest', cognition: 'llm' }

  it.each([
    ['human', true, false],
    ['guest', true, true],
    [['human', 'judge'], true, false],
    [{ ne: 'human' }, false, true],
    [{ notIn: ['human'] }, false, true],
    [{ eq: 'human', ne: 'guest' }, false, false],
    [{ ne: 'judge' }, true, true],
  ])('%j holds for a person: %j, for a model: %j', (condition, ofPerson, ofModel) => {
    expect([holdsFor(condition, person), holdsFor(condition, model)]).toEqual([ofPerson, ofModel])
  })

  it('is also one that a being wears, and nobody without a caller', () => {
    expect(holdsFor('human', { role: 'human', cognition: 'llm' })).toBe(true)
    expect([holdsFor('human', null), holdsFor({ ne: 'human' }, null)]).toEqual([false, true])
  })

  it('reads who decides for the caller, so that a slice of the context gives the same', () => {
    expect(flowPaths([{ when: { 'caller.role': ['human'] }, role: 'met' }])).toEqual([
      'caller.cognition',
      'caller.role',
    ])
    expect(flowPaths([{ when: { 'caller.role': 'guest' }, role: 'met' }])).toEqual(['caller.role'])
  })
})

describe('verb', () => {
  it.each(['see', 'do', 'summon', 'be'])('tells %s from the other verbs', (verb) => {
    const matching = ['see', 'do', 'summon', 'be'].filter((wanted) => holds({ verb: wanted }, { verb }))
    expect(matching).toEqual([verb])
  })
})

describe('a bare value is equality', () => {
  it.each([
    ['quiet', 'quiet', true],
    ['quiet', 'loud', false],
    [1, 1, true],
    [1, '1', false],
    [0, false, false],
    ['', null, false],
    [true, true, true],
    [true, 'true', false],
    [null, null, true],
    [null, false, false],
  ])('%j against %j: %j', (wanted, actual, expected) => {
    expect(onX(wanted, actual)).toBe(expected)
    expect(onX({ eq: wanted }, actual)).toBe(expected)
    expect(onX({ ne: wanted }, actual)).toBe(!expected)
  })

  it.each(['quiet', 0, false, null, ''])('a missing path does not equal %j, not even null', (wanted) => {
    expect(onX(wanted, MISSING)).toBe(false)
    expect(onX({ ne: wanted }, MISSING)).toBe(true)
  })

  it('an object, an array and a string over 256 bytes are present and equal nothing', () => {
    for (const opaque of [{}, { a: 1 }, [], ['quiet'], TOO_LONG] as Json[]) {
      expect(onX({ present: true }, opaque)).toBe(true)
      expect(onX(TOO_LONG, opaque)).toBe(false)
      expect(onX({ ne: TOO_LONG }, opaque)).toBe(true)
      expect(onX([TOO_LONG, 'quiet'], opaque)).toBe(false)
      expect(onX({ notIn: [TOO_LONG] }, opaque)).toBe(true)
      expect(onX({ gte: 0 }, opaque)).toBe(false)
    }
  })

  it('256 bytes still compare, 257 do not, whatever they spell', () => {
    expect(onX(LONGEST, LONGEST)).toBe(true)
    expect(onX(TOO_LONG, TOO_LONG)).toBe(false)
    const euros = '€'.repeat(85) // 3 bytes each: 255
    expect(onX(euros, euros)).toBe(true)
    expect(onX(`${euros}é`, `${euros}é`)).toBe(false)
  })
})

describe('comparisons need two numbers', () => {
  it.each([
    { operator: 'gt', at8: false, at9: false, at10: true },
    { operator: 'gte', at8: false, at9: true, at10: true },
    { operator: 'lt', at8: true, at9: false, at10: false },
    { operator: 'lte', at8: true, at9: true, at10: false },
  ])('$operator 9 holds at 8: $at8, at 9: $at9, at 10: $at10', ({ operator, at8, at9, at10 }) => {
    expect([8, 9, 10].map((actual) => onX({ [operator]: 9 }, actual))).toEqual([at8, at9, at10])
    for (const other of ['9', '10', '', true, false, null, MISSING, {}, [9]]) {
      expect(onX({ [operator]: 9 }, other)).toBe(false)
    }
  })

  it.each([
    [8, false],
    [9, true],
    [16, true],
    [17, false],
  ])('between 9 and 17 at %i: %j', (hour, expected) => {
    expect(holds({ 'time.hour': { gte: 9, lt: 17 } }, { time: { hour } })).toBe(expected)
  })
})

describe('membership and presence', () => {
  it('an array is in', () => {
    const places = ['court', 'library', 7, null]
    for (const condition of [places, { in: places }]) {
      for (const actual of ['court', 'library', 7, null]) expect(onX(condition, actual)).toBe(true)
      for (const actual of ['dojo', '7', false, MISSING]) expect(onX(condition, actual)).toBe(false)
    }
  })

  it('notIn holds exactly where in does not, missing paths included', () => {
    for (const actual of ['court', 'dojo', null, MISSING]) {
      expect(onX({ notIn: ['court', null] }, actual)).toBe(!onX({ in: ['court', null] }, actual))
    }
  })

  it('nothing is in an empty list', () => {
    expect(onX([], 'court')).toBe(false)
    expect(onX({ notIn: [] }, 'court')).toBe(true)
  })

  it.each([
    [MISSING, false],
    [null, false],
    [false, true],
    [0, true],
    ['', true],
    [{}, true],
    [[], true],
  ])('%j is present: %j', (actual, expected) => {
    expect(onX({ present: true }, actual)).toBe(expected)
    expect(onX({ present: false }, actual)).toBe(!expected)
  })

  it('all operators of one object must hold, and {} holds', () => {
    expect(onX({ gte: 1, ne: 5, present: true }, 4)).toBe(true)
    expect(onX({ gte: 1, ne: 5, present: true }, 5)).toBe(false)
    expect(onX({}, MISSING)).toBe(true)
  })
})

describe('composites', () => {
  const context = { verb: 'do', inHomeSpace: false, world: { a: 1, b: 2 } }
  it.each([
    [{ not: { inHomeSpace: true } }, true],
    [{ not: { inHomeSpace: false } }, false],
    [{ or: [{ verb: 'do' }, { verb: 'be' }] }, true],
    [{ or: [{ verb: 'see' }, { verb: 'be' }] }, false],
    [{ and: [{ verb: 'do' }, { 'world.a': 1 }] }, true],
    [{ and: [{ verb: 'do' }, { 'world.a': 2 }] }, false],
    [{ or: [] }, false],
    [{ and: [] }, true],
    [{}, true],
    [{ not: {} }, false],
    [{ not: { or: [] } }, true],
    [{ not: { verb: 'do', 'world.a': 2 } }, true],
  ])('%j: %j', (when, expected) => {
    expect(holds(when, context)).toBe(expected)
  })

  it('siblings of a composite count: every key of one object must hold', () => {
    expect(holds({ or: [{ verb: 'do' }], 'world.a': 1 }, context)).toBe(true)
    expect(holds({ or: [{ verb: 'do' }], 'world.a': 2 }, context)).toBe(false)
    expect(holds({ 'world.a': 1, not: { verb: 'do' } }, context)).toBe(false)
    expect(holds({ and: [{ verb: 'do' }], or: [], not: { verb: 'be' } }, context)).toBe(false)
  })

  it('conditions nest 32 deep; the 33rd makes the clause malformed', () => {
    const nested = (depth: number): object => (depth === 1 ? { verb: 'do' } : { not: nested(depth - 1) })
    expect(holds(nested(31), context)).toBe(true)
    expect(holds(nested(32), context)).toBe(false) // an odd number of nots: well formed, and false
    expect(holds({ not: {}, or: [nested(31)] }, context)).toBe(false)
    expect(holds(nested(33), context)).toBe(false) // would hold if it were read
  })

  it('a when has 512 conditions; one more makes the clause malformed', () => {
    const alternatives = (count: number) => ({ or: Array.from({ length: count }, () => ({ verb: 'do' })) })
    expect(holds(alternatives(511), context)).toBe(true)
    expect(holds(alternatives(512), context)).toBe(false)
    expect(holds({ or: Array.from({ length: 512 }, () => ({})) }, context)).toBe(false)
  })
})

describe('paths reach own properties of plain objects only', () => {
  it.each([
    'world.__proto__',
    'world.__proto__.polluted',
    'world.constructor',
    'world.constructor.name',
    'world.toString',
    'world.hasOwnProperty',
    'world.x.length',
    'world.list.length',
    'world.list.0',
    'verb.length',
  ])('%s is missing', (path) => {
    const context = { verb: 'do', world: { x: 'quiet', list: ['a'] } }
    expect(holds({ [path]: { present: true } }, context)).toBe(false)
    expect(holds({ [path]: { present: false } }, context)).toBe(true)
    expect(holds({ [path]: { ne: 'anything' } }, context)).toBe(true)
  })

  it('a value inherited from a prototype is missing', () => {
    const context = { world: Object.create({ inherited: 'yes' }) as JsonObject }
    expect(holds({ 'world.inherited': 'yes' }, context)).toBe(false)
  })

  it.each(['verb', 'caller.role', 'space.name', 'space.quality.tone', 'world.drum.alive', 'me.toString'])(
    '%s is missing, although someone has put it on the prototype of every object',
    (path) => {
      const keys = path.split('.')
      const touched: string[] = []
      for (const key of keys) {
        if (key in Object.prototype) continue
        const get = () => touched.push(key)
        Object.defineProperty(Object.prototype, key, { get, configurable: true })
      }
      try {
        for (const context of [{}, { [keys[0]!]: {} }, { verb: 'do' }] as JsonObject[]) {
          if (path === 'verb' && Object.hasOwn(context, 'verb')) continue
          expect(holds({ [path]: { present: false } }, context)).toBe(true)
          expect(holds({ [path]: { ne: 'x' } }, context)).toBe(true)
        }
      } finally {
        for (const key of keys) if (key !== 'toString') Reflect.deleteProperty(Object.prototype, key)
      }
      expect(touched).toEqual([])
    },
  )

  it('nested keys of signals and qualities are read', () => {
    const context = {
      world: { harmony: { tick: { alive: true } } },
      space: { name: 'nook', quality: { ambient: { tone: 'quiet' } } },
      me: { quality: { mood: { level: 3 } } },
    }
    expect(holds({ 'world.harmony.tick.alive': true }, context)).toBe(true)
    expect(holds({ 'space.quality.ambient.tone': 'quiet' }, context)).toBe(true)
    expect(holds({ 'me.quality.mood.level': { gte: 3 } }, context)).toBe(true)
    expect(holds({ 'world.harmony.tick.tempo': { present: true } }, context)).toBe(false)
  })
})
