import { canonicalJson, isJsonObject, isRoleName, quote } from '@treeos/core'

/** Expands to concrete entries when the prompt is built: who stands in this relation to this being at this moment. */
export type RelToken = { readonly rel: string }
/** Matches by text: `*` alone, or at either end of a literal. */
export type PatternToken = { readonly pattern: string }
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
  const keys = Object.keys(value)
  const kind = TOKENS.find((token) => token === keys[0])
  if (kind === undefined || keys.length !== 1) {
    return `${quote(value)} is no token; it has exactly one of ${TOKENS.join(', ')}`
  }
  const name = value[kind]
  if (kind === 'pattern') {
    if (isPattern(name)) return null
    return `${quote(name)} is no pattern; * stands alone or at either end of a literal`
  }
  if (isRoleName(name)) return null
  return `${quote(name)} is no name of a ${kind}: kebab-case, with an optional prefix, as in parent or court:bench`
}
