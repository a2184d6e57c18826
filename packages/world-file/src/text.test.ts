import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readWorldText, writeWorld } from './text.ts'

const EMPTY = { treeos: 1, roles: {}, signals: {}, spaces: {}, beings: {}, tools: {}, outside: [] } as const

/** Without integers that lose digits when JSON is read, which a file may not hold. */
const hasSafeNumbers = (json: unknown): boolean =>
  typeof json === 'number'
    ? !Number.isInteger(json) || Number.isSafeInteger(json)
    : typeof json !== 'object' || json === null || Object.values(json).every(hasSafeNumbers)

describe('the text of a world', () => {
  it.each(['yaml', 'json'] as const)('gives back any value, as %s', (form) => {
    const plainText = (text: string) =>
      !/\0|\\u0000|__proto__|constructor|prototype|\\ud[89a-f]/i.test(text) && text.isWellFormed()
    const value = fc
      .jsonValue({ maxDepth: 3, noUnicodeString: false })
      .filter((json) => plainText(JSON.stringify(json)) && hasSafeNumbers(json))
    fc.assert(
      fc.property(value, fc.string({ unit: 'binary' }).filter(plainText), (json, text) => {
        const plain = JSON.parse(JSON.stringify(json))
        const world = { ...EMPTY, signals: { weather: { values: { sky: [plain, text] } } } }
        const written = writeWorld(world as never, form)
        expect(readWorldText(written, 'w.yaml')).toEqual(world)
        expect(writeWorld(readWorldText(written, 'w.yaml'), form)).toBe(written)
      }),
      { numRuns: 60 },
    )
  })

  it.each([
    ['treeos: 2', 'w.yaml:1: treeos: takes 1, the version of this form, and not 2'],
    ['roles: {}', 'w.yaml:1: treeos: takes 1, the version of this form'],
    ['- a', 'w.yaml:1: takes an object with roles, spaces, beings …'],
    ['treeos: 1\nbeings:\n  guard:\n    cognition: robot\n    home: /', 'w.yaml:4: beings.guard.cognition: '],
    [
      'treeos: 1\nbeings:\n  guard:\n    cognition: llm\n    home: court',
      'w.yaml:5: beings.guard.home: takes a path',
    ],
    ['treeos: 1\nbeings:\n  Guard: {}', 'takes the name of a being'],
    [
      'treeos: 1\nbeings:\n  guard: {cognition: llm, home: /, parent: "@ann"}',
      'beings.guard: has no field "parent"',
    ],
    [
      'treeos: 1\nspaces:\n  /a: {type: room, rules: {do: 1}}',
      'w.yaml:3: spaces./a.rules.do: takes an object, and not 1',
    ],
    ['treeos: 1\nroles: &a {}\nspaces: *a', 'w.yaml:3: *a: a file has no aliases; write the value'],
    ['treeos: 1\nroles: {}\nroles: {}', 'w.yaml:3: Map keys must be unique'],
    ['treeos: !!binary aGk=', 'w.yaml:1: '],
    ['treeos: 1\nsignals: {a: {values: {b: .nan}}}', 'NaN'],
    ['treeos: 1\nsignals: {a: {values: {__proto__: {x: 1}}}}', '__proto__'],
    ['treeos: [', 'w.yaml:1: '],
  ])('says of %j where and what is wrong', (text, message) => {
    expect(() => readWorldText(text, 'w.yaml')).toThrow(message)
  })

  it('refuses what is nested without end', () => {
    expect(() => readWorldText('['.repeat(50_000), 'w.yaml')).toThrow('w.yaml:1: ')
  })
})
