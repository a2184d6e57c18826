import { describe, expect, it } from 'vitest'
import { TreeosError } from './error.ts'
import {
  type Address,
  isBeingName,
  isKey,
  isRoleName,
  momentId,
  parentPath,
  parseAddress,
  parseMomentId,
  parseSpacePath,
  parseStance,
  quote,
  requireBeingName,
  requireRoleName,
  spaceAncestry,
  spaceName,
} from './names.ts'

describe('names', () => {
  it.each(['a', 'a-1', `a${'b'.repeat(31)}`])('%s is a valid name of a being', (name) => {
    expect(isBeingName(name)).toBe(true)
    expect(requireBeingName(name)).toBe(name)
  })
  it.each(['', 'A', '1a', '-a', 'a b', 'a_b', 'ä', 'a\n', `a${'b'.repeat(32)}`, '$reality', 1, null])(
    '%j is not a valid name of a being',
    (name) => {
      expect(isBeingName(name)).toBe(false)
      expect(() => requireBeingName(name)).toThrow(TreeosError)
    },
  )
  it.each(['judge', 'court:judge', 'night-guard'])('%s is a valid name of a role', (name) => {
    expect(requireRoleName(name)).toBe(name)
  })
  it.each(['', 'a:b:c', ':a', 'a:', 'Court:judge', 'a b'])('%j is not a valid name of a role', (name) => {
    expect(isRoleName(name)).toBe(false)
  })
  it('keys may begin with a digit, up to 64 characters', () => {
    expect(isKey('1a')).toBe(true)
    expect(isKey('a'.repeat(64))).toBe(true)
    expect(isKey('a'.repeat(65))).toBe(false)
    expect(isKey('a.b')).toBe(false)
    for (const key of ['constructor', 'prototype', '__proto__'])
      expect([isKey(key), isBeingName(key), isRoleName(key)], key).toEqual([false, false, false])
  })
})

describe('addresses', () => {
  it.each<[string, Address]>([
    ['@ada', { kind: 'being', being: 'ada' }],
    ['library/@ada', { kind: 'being', being: 'ada' }],
    ['/library/nook/@ada', { kind: 'being', being: 'ada' }],
    ['~/@ada', { kind: 'being', being: 'ada' }],
    ['~', { kind: 'home' }],
    ['/', { kind: 'space', path: '/' }],
    ['/library', { kind: 'space', path: '/library' }],
    ['library/nook', { kind: 'space', path: '/library/nook' }],
  ])('%s is read', (text, address) => {
    expect(parseAddress(text)).toEqual(address)
  })

  it.each(['', '@', '@Ada', '@ada@bob', 'a b', '/a//b', '/a/', '../a', '/A', 'UP/@ada', null, 7])(
    '%j is refused, naming it',
    (text) => {
      expect(() => parseAddress(text)).toThrow(
        expect.objectContaining({
          code: 'ADDRESS_PARSE_ERROR',
          message: expect.stringContaining(quote(text)),
        }),
      )
    },
  )

  it('a path is not a stance, nor a stance a path', () => {
    expect(parseStance('a/@ada')).toBe('ada')
    expect(() => parseStance('/a')).toThrow('a stance is needed')
    expect(parseSpacePath('a')).toBe('/a')
    expect(() => parseSpacePath('@ada')).toThrow('a path of a space is needed')
  })
})

describe('paths', () => {
  it('lead up to the root', () => {
    expect(spaceAncestry('/a/b/c')).toEqual(['/a/b/c', '/a/b', '/a', '/'])
    expect(spaceAncestry('/')).toEqual(['/'])
    expect(parentPath('/')).toBeNull()
  })
  it('end in a name', () => {
    expect(spaceName('/a/b')).toBe('b')
    expect(spaceName('/')).toBe('/')
  })
})

it('the id of a moment is read back', () => {
  expect(parseMomentId(momentId('ada', 2, 7))).toEqual({ being: 'ada', generation: 2, n: 7 })
})

it.each<[unknown, string]>([
  ['a\nb', '"a\\nb"'],
  [{ a: 1 }, '{"a":1}'],
  [undefined, 'undefined'],
  [() => 1, 'function'],
  ['x'.repeat(100), `"${'x'.repeat(76)}...`],
])('a value is quoted short and on one line', (value, text) => {
  expect(quote(value)).toBe(text)
})
