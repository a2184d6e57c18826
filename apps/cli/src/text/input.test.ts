import { describe, expect, it } from 'vitest'
import { UsageError } from './failure.ts'
import { keysPressed, parseNumber, requireObject, requireStance, splitKey } from './input.ts'

describe('keys', () => {
  it('belong to the namespace before the first dot', () => {
    expect(splitKey('harmony.tick.alive')).toEqual({ namespace: 'harmony', key: 'tick.alive' })
    expect(keysPressed('harmony')).toEqual(['harmony'])
  })

  it.each(['harmony', '', '.tick', 'harmony.', 'a..b', 'Harmony.tick', '__proto__.x', 'a b.c'])(
    'refuses %j as NS.KEY',
    (key) => {
      expect(() => splitKey(key)).toThrow(`key ${JSON.stringify(key)} is not valid`)
    },
  )
})

describe('numbers', () => {
  const wait = parseNumber('--wait', { min: 0, max: 60, whole: false })
  const last = parseNumber('--last', { min: 1, max: 10, whole: true })
  it.each([
    [wait, '0', 0],
    [wait, '1.5', 1.5],
    [last, '10', 10],
  ] as const)('takes what is in range', (parse, text, value) => {
    expect(parse(text)).toBe(value)
  })

  it.each([
    [wait, '-1'],
    [wait, '61'],
    [wait, '1e1'],
    [wait, ''],
    [wait, 'Infinity'],
    [last, '0'],
    [last, '1.5'],
    [last, '11'],
  ] as const)('refuses what is not', (parse, text) => {
    expect(() => parse(text)).toThrow(JSON.stringify(text))
  })
})

it('takes ~ for whoever acts, and a being by its name alone', () => {
  expect(requireStance('~', 'kid')).toBe('kid')
  expect(requireStance('clerk')).toBe('clerk')
  expect(requireStance('/library/@echo', 'kid')).toBe('echo')
  expect(() => requireStance('/library')).toThrow('a stance is needed')
})

it.each([
  ['{"__proto__": {"a": 1}}', 'this key is refused everywhere'],
  ['{"a": {"constructor": 1}}', 'this key is refused everywhere'],
  ['{"a": "\\u0000"}', 'a NUL character is refused'],
  ['{"a": "\\ud800"}', 'a lone surrogate'],
  ['[1]', 'it takes a JSON object'],
  [`{"a": "${'x'.repeat(70_000)}"}`, '70008 bytes, at most 65536 are taken'],
])('refuses %.30s as arguments of an operation', (text, why) => {
  expect(() => requireObject(text, '--args')).toThrow(why)
})

it.each([
  { text: 'clerk', being: 'clerk' },
  { text: '@clerk', being: 'clerk' },
  { text: '/court/@clerk', being: 'clerk' },
  { text: '~', being: 'ann' },
])('the stance $text is that of $being', ({ text, being }) => {
  expect(requireStance(text, 'ann')).toBe(being)
})

it.each(['/clerk', 'Clerk', 'court/clerk', '', 'a b', '@'])('%j is no stance', (text) => {
  expect(() => requireStance(text)).toThrow(UsageError)
})
