import { canonicalJson, isJsonObject, isRoleName, quote } from '@treeos/core'

/** Expands to concrete entries when the prompt is built: who stands in this relation to this being at this moment. */
export type RelToken = { readonly rel: string }
/**
 * Matches by text: `*` alone, or at either end of a literal. After a space, as in `fitness/@coach`, it expands to the
 * beings who are there. With a kind that an extension registered, it means what that makes of it.
 */
export type PatternToken = { readonly pattern: string; readonly kind?: string }
/** Expands by a resolver that an extension registered. */
export type ResolverToken = { readonly resolver: string }
export type Token = RelToken | PatternToken | ResolverToken

/** One line of a can* list: an address, action, stance or operation as it stands, or a token for several. */
export type Entry = string | Token

const TOKENS = ['rel', 'pattern', 'resolver'] as const

/** `*`, `*tail`, `head*`, `*middle*` or a literal without any star. */
export function isPattern(pattern: unknown): pattern is string {
  if (pattern === '*') return true
  if (typeof pattern !== 'string') return false
  const literal = pattern.replace(/^\*/, '').replace(/\*$/, '')
  return literal.trim() !== '' && !literal.includes('*')
}

/** What a pattern matches by text; null for all that first has to be expanded. */
export function textPattern(entry: Entry): string | null {
  if (typeof entry === 'string' || !('pattern' in entry) || entry.kind !== undefined) return null
  return parsePlace(entry.pattern) === null ? entry.pattern : null
}

/** `fitness/@coach`: whom of the beings in a space. */
export interface PlacePattern {
  /** an address as it is written: a path from the root, its slash left out or not, or `~` */
  readonly space: string
  /** of names, `@` included */
  readonly beings: string
}

/** @returns null for a pattern that names no space */
export function parsePlace(pattern: string): PlacePattern | null {
  const at = pattern.lastIndexOf('/@')
  if (at < 0 || pattern.slice(0, at).includes('*')) return null
  return { space: pattern.slice(0, at) || '/', beings: pattern.slice(at + 1) }
}

/** What makes two entries the same one. No string can pass for a token. */
export function entryKey(entry: Entry): string {
  return typeof entry === 'string' ? `=${entry}` : canonicalJson(entry)
}

/** @returns why a value is no entry of a can* list; null when it is one */
export function entryFault(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? 'is blank' : null
  if (!isJsonObject(value)) {
    return `${quote(value)} is no entry; write a string, {"rel"}, {"pattern"} or {"resolver"}`
  }
  const { kind: patternKind, ...token } = value
  const keys = Object.keys(token)
  const kind = TOKENS.find((known) => known === keys[0])
  if (kind === undefined || keys.length !== 1 || (patternKind !== undefined && kind !== 'pattern')) {
    return `${quote(value)} is no token; it has exactly one of ${TOKENS.join(', ')}, and a pattern may have a kind`
  }
  const name = value[kind]
  if (kind === 'pattern' && patternKind !== undefined) {
    if (!isRoleName(patternKind))
      return `${quote(patternKind)} is no name of a kind of pattern, as in court:seats`
    return typeof name === 'string' && name.trim() !== '' ? null : `${quote(name)} is no text`
  }
  if (kind === 'pattern') {
    if (isPattern(name)) return null
    return `${quote(name)} is no pattern; * stands alone or at either end of a literal`
  }
  if (isRoleName(name)) return null
  return `${quote(name)} is no name of a ${kind}: kebab-case, with an optional prefix, as in parent or court:bench`
}
