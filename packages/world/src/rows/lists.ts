import { parseAddress, type SpacePath, stanceOf, type Verb } from '@treeos/core'
import { type Surface as CanLists, type Entry, entryKey, textPattern } from '@treeos/roles'

export type { CanLists }

export const CAN_LISTS = ['canSee', 'canDo', 'canSummon', 'canBe'] as const
export type CanList = (typeof CAN_LISTS)[number]
export const LIST_OF_VERB: Readonly<Record<Verb, CanList>> = {
  see: 'canSee',
  do: 'canDo',
  summon: 'canSummon',
  be: 'canBe',
}

/** An entry after expansion: concrete, or a pattern with `*` alone or at either end. */
export type Concrete = string | { readonly pattern: string }
/** What one being may reach for in one moment. */
export type Surface = Readonly<Record<CanList, readonly Concrete[]>>

/** Stances and paths have one written form, so that a list and a target can be compared as text. */
export function canonicalTarget(list: CanList, text: string, home: SpacePath): string {
  if (list === 'canDo' || list === 'canBe') return text
  try {
    const address = parseAddress(text)
    if (address.kind === 'being') return stanceOf(address.being)
    if (address.kind === 'thread' || address.kind === 'matter') return text
    return address.kind === 'home' ? home : address.path
  } catch {
    return text // what no address can name covers nothing but itself
  }
}

export function covers(entries: readonly Concrete[], target: string): Concrete | undefined {
  return entries.find((entry) =>
    typeof entry === 'string' ? entry === target : matches(entry.pattern, target),
  )
}

export function matches(pattern: string, target: string): boolean {
  if (pattern === '*') return true
  const open = pattern.startsWith('*')
  const close = pattern.endsWith('*')
  const body = pattern.slice(open ? 1 : 0, close ? -1 : undefined)
  if (open && close) return target.includes(body)
  if (open) return target.endsWith(body)
  return close ? target.startsWith(body) : target === body
}

/**
 * Finds what `wanted` holds beyond `held`: what a being authors or assigns may hold no more than its reach. See-resolvers
 * count too, since their views enter the prompt; who may see everything may look through any.
 * @param home of the author: what its own entries are read from
 */
export function firstBeyond(
  wanted: CanLists & { readonly see: readonly string[] },
  held: CanLists & { readonly see: readonly string[] },
  home: SpacePath,
): { list: CanList | 'see'; entry: Entry } | null {
  for (const list of CAN_LISTS) {
    const entry = wanted[list].find((item) => !holdsEntry(list, held[list], item, home))
    if (entry !== undefined) return { list, entry }
  }
  const seesAll = held.canSee.some((entry) => isPattern(entry, '*'))
  const view = seesAll ? undefined : wanted.see.find((name) => !held.see.includes(name))
  return view === undefined ? null : { list: 'see', entry: view }
}

/** Whether a list holds an entry: the same one, or a pattern over the form in which the gate will compare it. */
export function holdsEntry(list: CanList, held: readonly Entry[], entry: Entry, home: SpacePath): boolean {
  return held.some((mine) => {
    if (isPattern(mine, '*')) return true
    if (isOfHome(entry)) return false
    if (entryKey(mine) === entryKey(entry)) return true
    if (typeof entry !== 'string' || entry === '~') return false // means another place for every wearer
    const target = canonicalTarget(list, entry, home)
    if (typeof mine === 'string') return mine !== '~' && canonicalTarget(list, mine, home) === target
    const pattern = textPattern(mine)
    return pattern !== null && matches(pattern, target)
  })
}

/** Whoever is at home means others for every wearer, as no address of one's own does. */
const isOfHome = (entry: Entry): boolean =>
  typeof entry !== 'string' &&
  'pattern' in entry &&
  entry.kind === undefined &&
  entry.pattern.startsWith('~/')

const isPattern = (entry: Entry, pattern: string): boolean => textPattern(entry) === pattern
