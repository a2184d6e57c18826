import { canonicalJson, isJsonObject, isRoleName, quote } from '@treeos/core'

/**
 * A relationship entry. In each moment it stands for the beings that are related in this way to the wearer of
 * the role.
 */
export type RelToken = { readonly rel: string }
/**
 * Matches by text: `*` alone, or at either end of a literal. After a space, as in `fitness/@coach`, it
 * expands to the beings in that space. A kind is registered by an extension, which expands the pattern.
 */
export type PatternToken = { readonly pattern: string; readonly kind?: string }
/** Expands by a resolver that an extension registered. */
export type ResolverToken = { readonly resolver: string }
export type Token = RelToken | PatternToken | ResolverToken

/** One entry of a can* list: an address, operation or stance, or an object that expands to several. */
export type Entry = string | Token

const TOKENS = ['rel', 'pattern', 'resolver'] as const

/** `*`, `*tail`, `head*`, `*middle*` or a literal without any star. */
export function isPattern(pattern: unknown): pattern is string {
  if (pattern === '*') return true
  if (typeof pattern !== 'string') return false
  const literal = pattern.replace(/^\*/, '').replace(/\*$/, '')
  return literal.trim() !== '' && !literal.includes('*')
}

/** The pattern of an entry that matches by text; null for other entries. */
export function textPattern(entry: Entry): string | null {
  if (typeof entry === 'string' || !('pattern' in entry) || entry.kind !== undefined) return null
  return parsePlace(entry.pattern) === null ? entry.pattern : null
}

/** `fitness/@coach`: a pattern over the beings in a space. */
export interface PlacePattern {
  /** an address as written: a path with or without the first slash, or `~` */
  readonly space: string
  /** a pattern of names, with the `@` */
  readonly beings: string
}

/** @returns null for a pattern that names no space */
export function parsePlace(pattern: string): PlacePattern | null {
  const at = pattern.lastIndexOf('/@')
  if (at < 0 || pattern.slice(0, at).includes('*')) return null
  return { space: pattern.slice(0, at) || '/', beings: pattern.slice(at + 1) }
}

/** A key that is equal for equal entries only. */
export function entryKey(entry: Entry): string {
  return typeof entry === 'string' ? `=${entry}` : canonicalJson(entry)
}

/** No name has a star, so a literal with one would match nothing. */
function literalFault(literal: string): string | null {
  if (literal.trim() === '') return 'is blank'
  if (!literal.includes('*')) return null
  const pattern = literal.trim()
  const offered = isPattern(pattern)
    ? `; for all that match it write {"pattern":${JSON.stringify(pattern)}}`
    : ''
  return `${quote(literal)} names nothing: no name has a star${offered}`
}

/** @returns why a value cannot be an entry of a can* list; null when it can */
export function entryFault(value: unknown): string | null {
  if (typeof value === 'string') return literalFault(value)
  if (!isJsonObject(value)) {
    return `${quote(value)} is not an entry; write a string, {"rel"}, {"pattern"} or {"resolver"}`
  }
  const { kind: patternKind, ...token } = value
  const keys = Object.keys(token)
  const kind = TOKENS.find((known) => known === keys[0])
  if (kind === undefined || keys.length !== 1 || (patternKind !== undefined && kind !== 'pattern')) {
    return `${quote(value)} is not a token; it has exactly one of ${TOKENS.join(', ')}, and a pattern may have a kind`
  }
  const name = value[kind]
  if (kind === 'pattern' && patternKind !== undefined) {
    if (!isRoleName(patternKind))
      return `${quote(patternKind)} is not a valid name of a kind of pattern, as in court:seats`
    return typeof name === 'string' && name.trim() !== '' ? null : `${quote(name)} is not text`
  }
  if (kind === 'pattern') {
    if (isPattern(name)) return null
    return `${quote(name)} is not a pattern; * stands alone or at either end of a literal`
  }
  if (isRoleName(name)) return null
  return `${quote(name)} is not a valid name of a ${kind}: kebab-case, with an optional prefix, as in parent or court:bench`
}
