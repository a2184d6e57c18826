import { isBeingName, parseAddress, type SpacePath, stanceOf, type Verb } from '@treeos/core'
import { type CanLists, type Entry, entryKey, textPattern } from '@treeos/roles'

export type { CanLists }

export const CAN_LISTS = ['canSee', 'canDo', 'canSummon', 'canBe'] as const
export type CanList = (typeof CAN_LISTS)[number]
export const LIST_OF_VERB: Readonly<Record<Verb, CanList>> = {
  see: 'canSee',
  do: 'canDo',
  summon: 'canSummon',
  be: 'canBe',
}

/** An entry after expansion: a name or address, or a pattern with `*` alone or at either end. */
export type ConcreteEntry = string | { readonly pattern: string }
/** What one being may reach for in one moment. */
export type Surface = Readonly<Record<CanList, readonly ConcreteEntry[]>>

/**
 * The one written form of a stance or path, so that list entries and targets compare as text. Only beings are
 * summoned, so a bare name among them is that being.
 */
export function canonicalTarget(list: CanList, text: string, home: SpacePath): string {
  if (list === 'canDo' || list === 'canBe') return text
  if (list === 'canSummon' && isBeingName(text)) return stanceOf(text)
  try {
    const address = parseAddress(text)
    if (address.kind === 'being') return stanceOf(address.being)
    if (address.kind === 'thread' || address.kind === 'matter') return text
    return address.kind === 'home' ? home : address.path
  } catch {
    return text // not an address: it covers only itself
  }
}

export function covers(entries: readonly ConcreteEntry[], target: string): ConcreteEntry | undefined {
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
 * The views of the substrate. They show only what the wearer may see and what is its own, so every author may
 * name them.
 */
export const SUBSTRATE_VIEWS = [
  'me',
  'place',
  'occupants',
  'things',
  'conversation',
  'inbox',
  'threads',
] as const
export type SubstrateView = (typeof SUBSTRATE_VIEWS)[number]
const everyoneNames: ReadonlySet<string> = new Set(SUBSTRATE_VIEWS)

/**
 * Finds the first entry of `wanted` that `held` does not cover: what a being authors or assigns may not
 * exceed its reach. See-resolvers count too, since their views enter the prompt; a being that may see
 * everything may use any of them.
 * @param home of the author, for the entry `~`
 */
export function firstBeyond(
  wanted: CanLists & { readonly see: readonly string[] },
  held: CanLists & { readonly see: readonly string[] },
  home: SpacePath,
): { list: CanList | 'see'; entry: Entry } | null {
  for (const list of CAN_LISTS) {
    const entry = wanted[list].find((item) => !coversEntry(list, held[list], item, home))
    if (entry !== undefined) return { list, entry }
  }
  const seesAll = held.canSee.some((entry) => isPattern(entry, '*'))
  const isBeyond = (name: string) => !everyoneNames.has(name) && !held.see.includes(name)
  const view = seesAll ? undefined : wanted.see.find(isBeyond)
  return view === undefined ? null : { list: 'see', entry: view }
}

/**
 * Whether a list covers an entry: by the same entry, or by a pattern over the form that the gate compares.
 */
export function coversEntry(list: CanList, held: readonly Entry[], entry: Entry, home: SpacePath): boolean {
  return held.some((mine) => {
    if (isPattern(mine, '*')) return true
    if (isOfHome(entry)) return false
    if (entryKey(mine) === entryKey(entry)) return true
    // it is another place for every being that wears the role
    if (typeof entry !== 'string' || entry === '~') return false
    const target = canonicalTarget(list, entry, home)
    if (typeof mine === 'string') return mine !== '~' && canonicalTarget(list, mine, home) === target
    const pattern = textPattern(mine)
    return pattern !== null && matches(pattern, target)
  })
}

/** `~/…` names the beings at home, so it means others for every being that wears the role. */
const isOfHome = (entry: Entry): boolean =>
  typeof entry !== 'string' &&
  'pattern' in entry &&
  entry.kind === undefined &&
  entry.pattern.startsWith('~/')

const isPattern = (entry: Entry, pattern: string): boolean => textPattern(entry) === pattern
