import {
  type BeingName,
  brandError,
  classOfThrown,
  parseAddress,
  quote,
  readThrown,
  stanceOf,
} from '@treeos/core'
import { type Entry, parsePlace, type Token, textPattern } from '@treeos/roles'
import {
  type CanList,
  type CanLists,
  type ConcreteEntry,
  canonicalTarget,
  matches,
  type Surface,
} from '../rows/lists.ts'
import type { BeingRow, SpaceRow } from '../rows/rows.ts'
import type { WorldReader } from './reader.ts'

/** The being for which an entry is expanded, and what the expansion may read. */
export interface ExpansionInput {
  readonly me: BeingRow
  readonly asker: BeingName | null
  readonly world: WorldReader
}

/** Turns a relationship or a named resolver into stances or addresses, for one being in one moment. */
export type RelationResolver = (input: ExpansionInput) => readonly string[] | Promise<readonly string[]>
/** The same for a pattern of its kind. */
export type PatternResolver = (
  input: ExpansionInput & { readonly pattern: string },
) => readonly string[] | Promise<readonly string[]>

/** The code that entries are expanded with. */
export interface TokenResolvers {
  readonly relations: ReadonlyMap<string, RelationResolver>
  readonly patterns: ReadonlyMap<string, PatternResolver>
  readonly resolvers: ReadonlyMap<string, RelationResolver>
}

export interface Expansion extends ExpansionInput {
  readonly tokens: TokenResolvers
  /** whether the rules of a space let its beings be named to who is expanded for */
  readonly opens: (space: SpaceRow) => Promise<boolean>
}

/** Called for each entry or view that was left out, with the error, which is never recorded. */
export type FaultListener = (what: string, error: unknown) => void

/** Why an entry or a view was left out, in words that are the same on every machine. */
export class UnresolvedEntryError extends Error {
  override readonly name = 'UnresolvedEntryError'

  static {
    brandError(UnresolvedEntryError, 'UnresolvedEntryError')
  }
}

/** The reason that is recorded for a failing resolver. Its own message may differ from machine to machine. */
export const whyUnresolved = (error: unknown): string =>
  readThrown(() => error instanceof UnresolvedEntryError, false)
    ? (error as UnresolvedEntryError).message
    : `it threw ${classOfThrown(error)}`

/** An entry that could not be expanded, and why. `explain` shows it; it is not an error. */
export interface DroppedEntry {
  readonly list: CanList
  readonly entry: Entry
  readonly reason: string
}

/**
 * Expands relationship entries for one being in one moment. An entry that is unknown or fails is dropped, and
 * the moment goes on without that capability.
 */
export async function expandSurface(
  lists: CanLists,
  at: Expansion,
  onFault: FaultListener = () => undefined,
): Promise<{ surface: Surface; dropped: DroppedEntry[] }> {
  const dropped: DroppedEntry[] = []
  const expand = async (list: CanList): Promise<ConcreteEntry[]> => {
    const out: ConcreteEntry[] = []
    for (const entry of lists[list]) {
      try {
        if (typeof entry === 'string') out.push(canonicalTarget(list, entry, at.me.home))
        else out.push(...(await expandEntry(list, entry, at)))
      } catch (error) {
        dropped.push({ list, entry, reason: whyUnresolved(error) })
        onFault(`${list} ${JSON.stringify(entry)}`, error)
      }
    }
    return unique(out)
  }
  const surface = {
    canSee: await expand('canSee'),
    canDo: await expand('canDo'),
    canSummon: await expand('canSummon'),
    canBe: await expand('canBe'),
  }
  return { surface, dropped }
}

async function expandEntry(list: CanList, entry: Token, at: Expansion): Promise<ConcreteEntry[]> {
  const pattern = textPattern(entry)
  if (pattern !== null) return [{ pattern }]
  const names = await namesOf(entry, at)
  if (!Array.isArray(names) || names.some((found) => typeof found !== 'string')) {
    throw new UnresolvedEntryError(`${JSON.stringify(entry)} gave no list of names`)
  }
  return names.map((found) => canonicalTarget(list, found, at.me.home))
}

async function namesOf(token: Token, at: Expansion): Promise<readonly string[]> {
  const { me, asker, world, tokens } = at
  const input = { me, asker, world }
  if ('rel' in token) {
    const resolve = tokens.relations.get(token.rel)
    if (resolve === undefined)
      throw new UnresolvedEntryError(`no relationship ${quote(token.rel)} is registered`)
    return resolve(input)
  }
  if ('resolver' in token) {
    const resolve = tokens.resolvers.get(token.resolver)
    if (resolve === undefined)
      throw new UnresolvedEntryError(`no resolver ${quote(token.resolver)} is registered`)
    return resolve(input)
  }
  const { pattern, kind } = token
  if (kind === undefined) return beingsAt(pattern, at)
  const resolve = tokens.patterns.get(kind)
  if (resolve === undefined) throw new UnresolvedEntryError(`no kind of pattern ${quote(kind)} is registered`)
  return resolve({ ...input, pattern })
}

/** Stances of the beings in the space that a pattern names, where the pattern matches them. */
async function beingsAt(pattern: string, { me, world, opens }: Expansion): Promise<string[]> {
  const place = parsePlace(pattern)
  const address = place === null ? null : parseAddress(place.space)
  if (place === null || (address?.kind !== 'home' && address?.kind !== 'space'))
    throw new UnresolvedEntryError(`${quote(pattern)} names no space`)
  const space = address.kind === 'home' ? me.home : address.path
  const row = await world.space(space)
  if (row === null) throw new UnresolvedEntryError(`there is no space ${space}`)
  if (!(await opens(row))) throw new UnresolvedEntryError(`a rule keeps ${space} from ${stanceOf(me.name)}`)
  return (await world.occupants(space)).map(stanceOf).filter((stance) => matches(place.beings, stance))
}

function unique(entries: readonly ConcreteEntry[]): ConcreteEntry[] {
  const seen = new Set<string>()
  return entries.filter((entry) => {
    const key = typeof entry === 'string' ? entry : JSON.stringify(entry)
    return seen.has(key) ? false : seen.add(key)
  })
}
