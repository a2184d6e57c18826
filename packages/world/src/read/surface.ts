import { type BeingName, parseAddress, quote, type SpacePath, stanceOf, type Verb } from '@treeos/core'
import {
  type Surface as CanLists,
  type Entry,
  entryKey,
  parsePlace,
  type Token,
  textPattern,
} from '@treeos/roles'
import type { BeingRow } from '../rows/rows.ts'
import type { WorldReader } from './reader.ts'

export type { CanLists }

export const CAN_LISTS = ['canSee', 'canDo', 'canSummon', 'canBe'] as const
export type CanList = (typeof CAN_LISTS)[number]
export const LIST_OF_VERB: Readonly<Record<Verb, CanList>> = {
  see: 'canSee',
  do: 'canDo',
  summon: 'canSummon',
  be: 'canBe',
}

/** For whom a token is expanded, and what it may read. */
export interface ExpansionInput {
  readonly me: BeingRow
  readonly asker: BeingName | null
  readonly world: WorldReader
}

/** Turns a relationship or a named token into stances or addresses, for one being at one moment. */
export type RelationResolver = (input: ExpansionInput) => readonly string[] | Promise<readonly string[]>
/** The same for a pattern of its kind. */
export type PatternResolver = (
  input: ExpansionInput & { readonly pattern: string },
) => readonly string[] | Promise<readonly string[]>

/** What code brings to the expansion of tokens. */
export interface TokenResolvers {
  readonly relations: ReadonlyMap<string, RelationResolver>
  readonly patterns: ReadonlyMap<string, PatternResolver>
  readonly resolvers: ReadonlyMap<string, RelationResolver>
}

/** An entry after expansion: concrete, or a pattern with `*` alone or at either end. */
export type Concrete = string | { readonly pattern: string }
/** What one being may reach for in one moment. */
export type Surface = Readonly<Record<CanList, readonly Concrete[]>>

export interface Expansion extends ExpansionInput {
  readonly tokens: TokenResolvers
}

/** Told of what was left out, with the error itself, which is never recorded. */
export type FaultListener = (what: string, error: unknown) => void

/** Why a token or a view was left out, in words of ours. */
export class Unresolved extends Error {
  override readonly name = 'Unresolved'
}

/** What is recorded of a failing resolver: its own words may differ from one machine to the next. */
export const whyUnresolved = (error: unknown): string =>
  error instanceof Unresolved
    ? error.message
    : `it threw ${error instanceof Error ? error.name : typeof error}`

/** A token that expanded to nothing, and why: shown by explain, never an error. */
export interface DroppedEntry {
  readonly list: CanList
  readonly entry: Entry
  readonly reason: string
}

/**
 * Expands relationship tokens for this being at this moment. A token that is unknown or fails drops its entry and the
 * moment goes on: a capability is then missing, never added.
 */
export async function expandSurface(
  lists: CanLists,
  at: Expansion,
  onFault: FaultListener = () => undefined,
): Promise<{ surface: Surface; dropped: DroppedEntry[] }> {
  const dropped: DroppedEntry[] = []
  const expand = async (list: CanList): Promise<Concrete[]> => {
    const out: Concrete[] = []
    for (const entry of lists[list]) {
      try {
        out.push(...(await expandEntry(list, entry, at)))
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

async function expandEntry(list: CanList, entry: Entry, at: Expansion): Promise<Concrete[]> {
  if (typeof entry === 'string') return [canonicalTarget(list, entry, at.me.home)]
  const pattern = textPattern(entry)
  if (pattern !== null) return [{ pattern }]
  const names = await namesOf(entry, at)
  if (!Array.isArray(names) || names.some((found) => typeof found !== 'string')) {
    throw new Unresolved(`${JSON.stringify(entry)} gave no list of names`)
  }
  return names.map((found) => canonicalTarget(list, found, at.me.home))
}

async function namesOf(token: Token, { me, asker, world, tokens }: Expansion): Promise<readonly string[]> {
  const input = { me, asker, world }
  if ('rel' in token) {
    const resolve = tokens.relations.get(token.rel)
    if (resolve === undefined) throw new Unresolved(`no relationship ${quote(token.rel)} is registered`)
    return resolve(input)
  }
  if ('resolver' in token) {
    const resolve = tokens.resolvers.get(token.resolver)
    if (resolve === undefined) throw new Unresolved(`no resolver ${quote(token.resolver)} is registered`)
    return resolve(input)
  }
  const { pattern, kind } = token
  if (kind === undefined) return beingsAt(pattern, me, world)
  const resolve = tokens.patterns.get(kind)
  if (resolve === undefined) throw new Unresolved(`no kind of pattern ${quote(kind)} is registered`)
  return resolve({ ...input, pattern })
}

/** Who is in the space that a pattern names, of those whose stance it matches. */
async function beingsAt(pattern: string, me: BeingRow, world: WorldReader): Promise<string[]> {
  const place = parsePlace(pattern)
  const address = place === null ? null : parseAddress(place.space)
  if (place === null || (address?.kind !== 'home' && address?.kind !== 'space'))
    throw new Unresolved(`${quote(pattern)} names no space`)
  const space = address.kind === 'home' ? me.home : address.path
  if ((await world.space(space)) === null) throw new Unresolved(`there is no space ${space}`)
  return (await world.occupants(space)).map(stanceOf).filter((stance) => matches(place.beings, stance))
}

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

function matches(pattern: string, target: string): boolean {
  if (pattern === '*') return true
  const open = pattern.startsWith('*')
  const close = pattern.endsWith('*')
  const body = pattern.slice(open ? 1 : 0, close ? -1 : undefined)
  if (open && close) return target.includes(body)
  if (open) return target.endsWith(body)
  return close ? target.startsWith(body) : target === body
}

/** Longer targets are shortened in messages, so that the reason is not lost behind them. */
const NAMED_CHARS_MAX = 80

/** First gate: which entry allows it, or which list or ceiling refused it. */
export type ListDecision =
  | { readonly allowed: true; readonly by: string }
  | { readonly allowed: false; readonly by: string; readonly why: string }

/** The composed list must hold the target, and so must every ceiling up the birth chain. */
export function listGate(
  surface: Surface,
  ceilings: readonly Ceiling[],
  list: CanList,
  target: string,
): ListDecision {
  const entry = covers(surface[list], target)
  const named = target.length > NAMED_CHARS_MAX ? quote(target) : target
  if (entry === undefined)
    return { allowed: false, by: list, why: `${named} is not in ${list} (${show(surface[list])})` }
  for (const { being, lists, home } of ceilings) {
    const bound = lists[list].flatMap((item): Concrete[] => {
      if (typeof item === 'string') return [canonicalTarget(list, item, home)]
      const pattern = textPattern(item)
      return pattern === null ? [] : [{ pattern }]
    })
    if (covers(bound, target) === undefined) {
      const by = `the ceiling of ${stanceOf(being)} in ${list}`
      return { allowed: false, by, why: `${named} is above ${by}` }
    }
  }
  return { allowed: true, by: `${list}: ${typeof entry === 'string' ? entry : JSON.stringify(entry)}` }
}

export interface Ceiling {
  readonly being: BeingName
  readonly home: SpacePath
  readonly lists: CanLists
}

/** The ceilings that bound a being: its own and every maker's. */
export async function ceilingsOf(reader: WorldReader, me: BeingRow): Promise<Ceiling[]> {
  return [me, ...(await reader.lineage(me.name))].flatMap((being) =>
    being.ceiling === null ? [] : [{ being: being.name, home: being.home, lists: being.ceiling }],
  )
}

function show(entries: readonly Concrete[]): string {
  if (entries.length === 0) return 'which is empty'
  const names = entries
    .slice(0, 12)
    .map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)))
  return entries.length > 12 ? `${names.join(', ')}, … ${entries.length} in all` : names.join(', ')
}

function unique(entries: readonly Concrete[]): Concrete[] {
  const seen = new Set<string>()
  return entries.filter((entry) => {
    const key = typeof entry === 'string' ? entry : JSON.stringify(entry)
    return seen.has(key) ? false : seen.add(key)
  })
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
