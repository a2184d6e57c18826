import { LIMITS } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { parseRole, permissionsOf, toolsOf, withDefaults } from '../index.ts'

const factoryWorker = {
  name: 'factory-worker',
  canSee: ['station', 'conveyor', 'qa-dashboard'],
  canDo: ['operate-lathe', 'attach-trucks', 'log-defect'],
  canSummon: ['supervisor'],
  canBe: [],
  prompt: "You're a worker at SkateCo's main factory.",
}

describe('a role is its name, four lists, a prompt, and documented fields', () => {
  it('six fields make a role; nothing is added but an empty see', () => {
    expect(parseRole(factoryWorker)).toEqual({ ...factoryWorker, see: [] })
  })

  it('absent lists are empty, an absent prompt says nothing', () => {
    expect(parseRole({ name: 'idle' })).toEqual({
      name: 'idle',
      canSee: [],
      canDo: [],
      canSummon: [],
      canBe: [],
      see: [],
      prompt: '',
    })
  })

  it('every documented field is kept as it is written', () => {
    const role = {
      ...factoryWorker,
      description: 'Works the line.',
      see: ['neighbors', 'dance:grid'],
      requiredCognition: 'llm',
      selfContinue: 'until-answered',
      steps: 200,
      defaultOrientation: 'inward',
      forceToolCall: true,
      triggerOn: [],
      respondMode: 'none',
      prose: 'answers',
      canSummon: ['@operator', { rel: 'parent' }, { pattern: 'fitness/@coach' }, { resolver: 'court:bench' }],
      prompt: { function: '@treeos/court@1.2.3' },
    }
    expect(parseRole(role)).toEqual(role)
  })

  it('the same role is the same bytes, in whatever order its fields are written', () => {
    const backwards = Object.fromEntries(Object.entries(factoryWorker).reverse())
    expect(JSON.stringify(parseRole(backwards))).toBe(JSON.stringify(parseRole(factoryWorker)))
  })

  it.each([
    [
      'promt',
      { ...factoryWorker, promt: 'typo' },
      /role field promt is not a field of a role; known are name, /,
    ],
    ['canDeny', { ...factoryWorker, canDeny: [] }, /canDeny/],
    ['constructor', { ...factoryWorker, constructor: 1 }, /constructor/],
    ['__proto__', JSON.parse('{"name":"x","__proto__":{}}'), /__proto__/],
  ])('an unknown field is refused by its name: %s', (_field, input, message) => {
    expect(() => parseRole(input)).toThrow(message)
  })

  it.each([
    ['a string', 'worker', /a role is an object, not "worker"/],
    ['null', null, /not null/],
    ['an array', [], /not an array/],
    ['no name', { prompt: '' }, /role field name is missing/],
    ['a text for a list', { name: 'x', canSee: 'docket' }, /canSee is an array, not "docket"/],
    ['null as a list', { name: 'x', canBe: null }, /canBe is an array, not null/],
    ['a blank entry', { name: 'x', canDo: ['a', ' '] }, /canDo\[1\] is blank/],
    ['a name with a star', { name: 'x', canSummon: ['@*'] }, /write \{"pattern":"@\*"\}/],
    ['a number as entry', { name: 'x', canDo: [7] }, /canDo\[0\] 7 is not an entry/],
    [
      'an unknown token',
      { name: 'x', canDo: [{ deny: 'x' }] },
      /canDo\[0\] .*exactly one of rel, pattern, res/,
    ],
    ['a token of two', { name: 'x', canDo: [{ rel: 'parent', pattern: '*' }] }, /exactly one of/],
    ['an empty token', { name: 'x', canDo: [{}] }, /exactly one of/],
    [
      'a bad rel',
      { name: 'x', canSummon: [{ rel: 'My Parent' }] },
      /"My Parent" is not a valid name of a rel/,
    ],
    [
      'a bad pattern',
      { name: 'x', canSummon: [{ pattern: 'a*b' }] },
      /"a\*b" is not a pattern; \* stands alone or/,
    ],
    ['a bad see', { name: 'x', see: ['Neighbors'] }, /see\[0\] .* not "Neighbors"/],
    [
      'a cognition outside the set',
      { name: 'x', requiredCognition: 'panel' },
      /one of llm, human, scripted, not/,
    ],
    [
      'a flag that is text',
      { name: 'x', selfContinue: 'yes' },
      /selfContinue is true, false or "until-answered", not "yes"/,
    ],
    ['steps beyond the bound', { name: 'x', steps: 201 }, /steps is a whole number from 0 to 200, not 201/],
    ['half a step', { name: 'x', steps: 1.5 }, /steps is a whole number/],
    ['an orientation', { name: 'x', defaultOrientation: 'back' }, /one of forward, half, inward, not "back"/],
    ['a respond mode', { name: 'x', respondMode: 'sync' }, /one of async, none, not "sync"/],
    ['a trigger', { name: 'x', triggerOn: ['On Change'] }, /triggerOn\[0\]/],
    ['a prompt that is a number', { name: 'x', prompt: 7 }, /prompt is text or .* not 7/],
    [
      'an unpinned function prompt',
      { name: 'x', prompt: { function: '@treeos/court' } },
      /prompt is text or/,
    ],
    ['a range as a pin', { name: 'x', prompt: { function: 'court@^1.0.0' } }, /prompt is text or/],
    ['a real function', { name: 'x', prompt: () => '' }, /role field prompt a function is not JSON/],
    ['an undefined field', { name: 'x', prose: undefined }, /role field prose .*undefined/],
    ['a NUL', { name: 'x', prompt: '\0' }, /role field prompt a NUL/],
  ])('%s is refused', (_what, input, message) => {
    expect(() => parseRole(input)).toThrow(message)
    expect(() => parseRole(input)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }))
  })

  it('a value at a bound is accepted; a larger one is refused with its size', () => {
    const entries = (count: number) => Array.from({ length: count }, (_, i) => `e${i}`)
    const most = {
      name: 'x',
      canSee: entries(LIMITS.canEntriesMax),
      prompt: 'p'.repeat(LIMITS.rolePromptBytesMax),
    }
    expect(parseRole(most).canSee).toHaveLength(256)
    for (const [over, message] of [
      [{ ...most, canSee: entries(257) }, /canSee has at most 256 entries, this one 257/],
      [
        { ...most, triggerOn: entries(4).map((name) => name.padEnd(64, 'x')) },
        /triggerOn has at most 256 bytes, this one 269/,
      ],
      [{ ...most, prompt: `${most.prompt}p` }, /prompt has at most 32768 bytes, this one 32769/],
      [{ ...most, description: 'd'.repeat(32 * 1024) }, /a role has at most 65536 bytes, this one 6\d+/],
    ] as const) {
      expect(() => parseRole(over)).toThrow(message)
      expect(() => parseRole(over)).toThrow(expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }))
    }
  })

  it('the result is deeply frozen and shares nothing with the input', () => {
    const input = { name: 'x', canSee: [{ rel: 'parent' }], prompt: { function: 'court@1.0.0' } }
    const role = parseRole(input)
    input.canSee[0]!.rel = 'child'
    expect(role.canSee).toEqual([{ rel: 'parent' }])
    for (const part of [role, role.canSee, role.canSee[0], role.see, role.prompt]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
  })
})

describe('role names', () => {
  it.each(['worker', 'court-watcher', 'emotions:bored', 'a1'])('%s is one', (name) => {
    expect(parseRole({ name }).name).toBe(name)
  })
  it.each(['Worker', '1st', 'a_b', 'a b', '', ':x', 'a:', 'a:b:c', 'a:B', '__proto__', 7, null])(
    '%j is refused by its name',
    (name) => {
      expect(() => parseRole({ name })).toThrow(
        expect.objectContaining({
          code: 'INVALID_INPUT',
          message: expect.stringContaining(JSON.stringify(name)),
        }),
      )
    },
  )
})

it('a role declares no cognition', () => {
  expect(() => parseRole({ name: 'x', cognition: 'llm' })).toThrow(/role field cognition is not a field/)
})

it.each(['*', '@*', '*coach', '*oac*', 'fitness/@coach', '* a'])('%j is a pattern', (pattern) => {
  expect(parseRole({ name: 'x', canSummon: [{ pattern }] }).canSummon).toEqual([{ pattern }])
})
it.each(['', ' ', '**', '***', '*a*b', 'a**', 7, null])('%j is not a pattern', (pattern) => {
  expect(() => parseRole({ name: 'x', canSummon: [{ pattern }] })).toThrow(/is not a pattern/)
})

describe('tools are exactly the non-empty lists', () => {
  const verbs = ['see', 'do', 'summon', 'be'] as const
  const subsets = Array.from({ length: 16 }, (_, bits) => verbs.filter((_, i) => bits & (1 << i)))
  it.each(subsets.map((tools) => ({ tools })))('$tools', ({ tools }) => {
    const list = (verb: (typeof verbs)[number]) => (tools.includes(verb) ? ['x'] : [])
    const surface = { canSee: list('see'), canDo: list('do'), canSummon: list('summon'), canBe: list('be') }
    expect(toolsOf(surface)).toEqual(tools)
    expect(permissionsOf({ ...surface, see: [] })).toEqual(tools)
  })

  it('see-resolvers permit seeing and expose no tool', () => {
    const role = parseRole({ name: 'x', canDo: ['dance'], see: ['neighbors'] })
    expect(toolsOf(role)).toEqual(['do'])
    expect(permissionsOf(role)).toEqual(['see', 'do'])
  })
})

describe('what is left out is derived', () => {
  it('every default', () => {
    expect(withDefaults(parseRole({ name: 'x', canDo: ['dance'] }))).toEqual({
      name: 'x',
      canSee: [],
      canDo: ['dance'],
      canSummon: [],
      canBe: [],
      see: [],
      prompt: '',
      description: '',
      selfContinue: false,
      defaultOrientation: 'forward',
      forceToolCall: false,
      triggerOn: ['message'],
      respondMode: 'async',
      views: 'default',
      layout: 'as-told',
      prose: 'see',
      permissions: ['do'],
    })
  })

  it('what is written stays, an empty triggerOn included', () => {
    const written = {
      triggerOn: [],
      selfContinue: true,
      requiredCognition: 'human',
    }
    expect(withDefaults(parseRole({ name: 'x', ...written }))).toMatchObject(written)
  })
})
