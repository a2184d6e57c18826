import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { composeRoles, type Entry, entryKey, parseRole, toolsOf, type WornRole } from '../index.ts'

function worn(role: Record<string, unknown>): WornRole {
  const spec = parseRole({ prompt: '', ...role })
  return { spec, prompt: spec.prompt as string }
}

const LISTS = ['canSee', 'canDo', 'canSummon', 'canBe'] as const

describe('lists are ordered unions', () => {
  it('entries of the primary come first, and the first occurrence is kept', () => {
    const composed = composeRoles([
      worn({ name: 'a', canSee: ['x', 'y'], canDo: ['dance'], see: ['grid'] }),
      worn({ name: 'b', canSee: ['z', 'x'], canSummon: ['@clerk'], see: ['mood', 'grid'] }),
      worn({ name: 'c', canSee: ['y', 'w'], canBe: ['release'] }),
    ])
    expect(composed).toMatchObject({
      name: 'a',
      stackedNames: ['b', 'c'],
      canSee: ['x', 'y', 'z', 'w'],
      canDo: ['dance'],
      canSummon: ['@clerk'],
      canBe: ['release'],
      see: ['grid', 'mood'],
      permissions: ['see', 'do', 'summon', 'be'],
    })
  })

  it('entries are equal when their fields are equal; a string never equals an object entry', () => {
    const literal = '{"rel":"parent"}'
    const canSummon = [{ rel: 'parent' }, literal, { pattern: 'parent' }, `=${literal}`]
    const composed = composeRoles([
      worn({ name: 'a', canSummon }),
      worn({ name: 'b', canSummon: [{ rel: 'parent' }] }),
    ])
    expect(composed.canSummon).toEqual(canSummon)
  })
})

describe('prompts are framed by name', () => {
  it('the primary has no frame, each modifier has a heading, with a rule between', () => {
    const composed = composeRoles([
      worn({ name: 'worker', prompt: 'You work.' }),
      worn({ name: 'emotions:bored', prompt: 'You are bored.' }),
      worn({ name: 'emotions:alert', prompt: 'Listen!\n' }),
    ])
    expect(composed.prompt).toBe(
      [
        'You work.',
        '---',
        'Additionally, you are currently in this mode — emotions:bored:',
        'You are bored.',
        '---',
        'Additionally, you are currently in this mode — emotions:alert:',
        'Listen!\n',
      ].join('\n\n'),
    )
  })

  it('an empty prompt leaves no frame and no gap', () => {
    const blank = worn({ name: 'blank', prompt: ' \n' })
    const bored = worn({ name: 'bored', prompt: 'Bored.' })
    expect(composeRoles([blank]).prompt).toBe('')
    expect(composeRoles([bored, blank]).prompt).toBe('Bored.')
    expect(composeRoles([blank, blank, bored]).prompt).toBe(
      'Additionally, you are currently in this mode — bored:\n\nBored.',
    )
  })

  it('one role as primary and stacked appears once', () => {
    const twice = composeRoles([
      worn({ name: 'worker', prompt: 'You work.' }),
      worn({ name: 'bored', prompt: 'Bored.' }),
      worn({ name: 'worker', prompt: 'You work.' }),
    ])
    expect(twice.prompt.split('You work.')).toHaveLength(2)
    expect(twice.stackedNames).toEqual(['bored'])
  })

  it('a prompt function contributes its rendered text, not its marker', () => {
    const spec = parseRole({ name: 'judge', prompt: { function: 'court@1.0.0' } })
    expect(composeRoles([{ spec, prompt: 'You are Ada, the judge.' }]).prompt).toBe('You are Ada, the judge.')
  })
})

it('every other field is the primary’s, defaults included', () => {
  const loud = {
    requiredCognition: 'llm',
    selfContinue: 'until-answered',
    steps: 40,
    forceToolCall: true,
    triggerOn: ['schedule'],
    defaultOrientation: 'half',
    respondMode: 'none',
    prose: 'answers',
  }
  const quiet = {
    requiredCognition: null,
    selfContinue: false,
    forceToolCall: false,
    triggerOn: ['message'],
    defaultOrientation: 'forward',
    respondMode: 'async',
    prose: 'see',
  }
  expect(composeRoles([worn({ name: 'a' }), worn({ name: 'b', ...loud })])).toMatchObject(quiet)
  expect(composeRoles([worn({ name: 'a' }), worn({ name: 'b', ...loud })])).not.toHaveProperty('steps')
  expect(composeRoles([worn({ name: 'b', ...loud }), worn({ name: 'a' })])).toMatchObject(loud)
})

it('the result is frozen, and without a role there is none', () => {
  const composed = composeRoles([worn({ name: 'a', canSee: ['x'] })])
  for (const part of [
    composed,
    ...LISTS.map((list) => composed[list]),
    composed.see,
    composed.stackedNames,
  ]) {
    expect(Object.isFrozen(part)).toBe(true)
  }
  expect(() => composeRoles([])).toThrow(/a stack has a primary/)
})

const anyEntry: fc.Arbitrary<Entry> = fc.oneof(
  fc.constantFrom('a', 'b', '{"rel":"a"}'),
  fc.record({ rel: fc.constantFrom('a', 'b') }),
  fc.record({ pattern: fc.constantFrom('a', '*') }),
)
const anyList = fc.array(anyEntry, { maxLength: 4 })
const anyWorn = fc
  .record({
    name: fc.constantFrom('a', 'b'),
    canSee: anyList,
    canDo: anyList,
    canSummon: anyList,
    canBe: anyList,
  })
  .map(worn)

it('a modifier never removes anything', () => {
  fc.assert(
    fc.property(fc.array(anyWorn, { minLength: 1, maxLength: 4 }), anyWorn, (roles, modifier) => {
      const before = composeRoles(roles)
      const after = composeRoles([...roles, modifier])
      for (const list of LISTS) {
        expect(after[list].slice(0, before[list].length)).toEqual(before[list])
        const keys = after[list].map(entryKey)
        expect(new Set(keys).size).toBe(keys.length)
        const given = [...roles, modifier].flatMap(({ spec }) => spec[list].map(entryKey))
        expect(new Set(keys)).toEqual(new Set(given))
      }
      expect(toolsOf(after)).toEqual(expect.arrayContaining(toolsOf(before)))
    }),
  )
})
