import { isKey, quote, TreeosError } from '@treeos/core'
import { type ArgumentForm, optional, TEXT } from './argument-forms.ts'
import type { Arguments } from './arguments.ts'

const RIGHT = 'one kebab-case word, or the type of an extension'

/** Types of extensions are checked when the operation decides, which knows them. */
export const typeArgument = (about: string): ArgumentForm =>
  optional(TEXT, about, { right: RIGHT, isRight: (type) => isKey(type) || String(type).includes(':') })

/** Reads a type: a kebab-case word, or `<extension>:<type>` as a loaded extension defines it. */
export function typeIn(given: Arguments, known: Readonly<Record<string, string>>, fallback: string): string {
  const type: string = given.optionalText('type') ?? fallback
  if (Object.hasOwn(known, type)) return type
  const there = Object.keys(known).sort().join(', ')
  if (isWord(type)) return type
  if (!type.includes(':')) throw given.fault('type', type, RIGHT)
  throw new TreeosError(
    'INVALID_TYPE',
    `no extension here brings the type ${quote(type)}; there is ${there === '' ? 'none' : there}`,
  )
}

const isWord = (type: string): boolean => isKey(type)
