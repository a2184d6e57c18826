import {
  type BeingName,
  isJsonObject,
  type Json,
  type OutcomeKind,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import { authorizeActingAs } from '@treeos/reality'
import {
  catalogRowsOf,
  type FoundEntry,
  type FoundMoment,
  findAddresses,
  findLived,
  findSaid,
  searching,
  type WordsWanted,
} from '@treeos/store'
import { choicesOf, type Registry, ROLE_MANAGER, toldContent } from '@treeos/world'
import { openTo } from '../access/past-access.ts'
import {
  type BeingSnapshot,
  type SeeConnection,
  unlessRefused,
  withSnapshot,
} from '../beings/being-snapshot.ts'
import { textsIn } from '../beings/entry-words.ts'
import { spacesSeen } from '../spaces/surroundings.ts'
import { excerptOf, searchWords } from './excerpts.ts'

/** Words that somebody said. */
export interface SaidWords {
  readonly thread: string
  readonly channel: string | null
  /** null where no being spoke */
  readonly from: string | null
  readonly to: string
  /** ISO 8601, UTC */
  readonly at: string
  /** the part of it that holds what was looked for */
  readonly words: string
  /** who searched said it or was told it, so it may open the thread */
  readonly isMine: boolean
  /** number of the moment of the one that was told, where that past is open */
  readonly n: number | null
  /** they come from outside; left out for all others */
  readonly outside?: true
}

/** A moment that did, wore or failed with the words. */
export interface LivedWords {
  readonly being: string
  readonly n: number
  /** ISO 8601, UTC */
  readonly at: string
  readonly outcome: OutcomeKind
  readonly reason: string | null
  readonly primary: string | null
  readonly words: string
}

/** Things by their names. */
interface NamedEntries {
  /** stances */
  readonly beings: readonly string[]
  /** paths */
  readonly spaces: readonly string[]
  readonly roles: readonly { readonly name: string; readonly description: string }[]
}

/** What holds the words. Each list is bounded, and none says how much there is beyond it. */
export interface SearchResult extends NamedEntries {
  readonly said: readonly SaidWords[]
  readonly moments: readonly LivedWords[]
}

export interface SearchRequest {
  readonly text: string
  /** of each list */
  readonly limit: number
  /** nobody waits for the answer any more */
  readonly signal?: AbortSignal | undefined
}

/** Of what Postgres finds some is left out: a word may be a key of JSON. */
const SPARE = 4
/** One or two letters are in nearly everything that was said: these are looked for among names alone. */
const WORD_CHARS_MIN = 3
const NO_NAMES: NamedEntries = { beings: [], spaces: [], roles: [] }

/**
 * Searches all that a being may read: beings, spaces and roles by name; and what was said and done in the
 * newest moments of those whose past is open to it.
 * @throws {TreeosError} as `authorizeActingAs`; TIMEOUT where it takes too long
 */
export async function search(
  at: SeeConnection,
  as: BeingName,
  { text, limit, signal }: SearchRequest,
): Promise<SearchResult> {
  await authorizeActingAs(at, as)
  const words = searchWords(text)
  if (words.length === 0) return { ...NO_NAMES, said: [], moments: [] }
  const named = (await unlessRefused(namesHolding(at, as, text.trim().toLowerCase()))) ?? NO_NAMES
  if (signal?.aborted === true) throw new TreeosError('CANCELLED', 'nobody waits for the answer any more')
  const found = await wordsHeld(at, as, words, limit)
  return {
    beings: named.beings.slice(0, limit),
    spaces: named.spaces.slice(0, limit),
    roles: named.roles.slice(0, limit),
    ...found,
  }
}

async function wordsHeld(
  at: SeeConnection,
  as: BeingName,
  words: readonly string[],
  limit: number,
): Promise<Pick<SearchResult, 'said' | 'moments'>> {
  if (!words.some((word) => word.length >= WORD_CHARS_MIN)) return { said: [], moments: [] }
  const of = await openTo(at, as)
  const wanted: WordsWanted = { of, words, limit: limit * SPARE }
  const { said, lived } = await searching(at.db, async (tx) => ({
    said: await findSaid(tx, wanted),
    lived: await findLived(tx, wanted),
  }))
  const mayOpen = ({ entry }: FoundEntry) => of === null || entry.being === as || entry.caller?.name === as
  return {
    said: onceAThread(said.flatMap((one) => saidOf(one, words, mayOpen(one)))).slice(0, limit),
    moments: lived.flatMap((one) => livedOf(one, words)).slice(0, limit),
  }
}

/** An answer often repeats what it answers: of each thread the newest words that fit. */
const onceAThread = (said: readonly SaidWords[]): SaidWords[] =>
  [...new Map(said.toReversed().map((one) => [one.thread, one])).values()].sort((a, b) =>
    a.at < b.at ? 1 : -1,
  )

function saidOf({ entry, n }: FoundEntry, words: readonly string[], isMine: boolean): SaidWords[] {
  const { being, caller, channel = null, root: thread, at } = entry
  const told = textsIn(toldContent(entry))
  const excerpt = excerptOf(told, words) ?? excerptOf(`${channel ?? ''}: ${told}`, words)
  if (excerpt === null) return []
  const from = caller === null ? null : stanceOf(caller.name)
  const outside = entry.outside === true ? { outside: true as const } : {}
  const said = { thread, channel, from, to: stanceOf(being), at: new Date(at).toISOString(), words: excerpt }
  return [{ ...said, isMine, n, ...outside }]
}

function livedOf(
  { kind, sealedAt, decision, detail, ...moment }: FoundMoment,
  words: readonly string[],
): LivedWords[] {
  const { being, n, reason, primary } = moment
  const own = [detail ?? '', textsIn(ownTextsIn(decision)), reason ?? '', primary ?? '']
  const excerpt = excerptOf(own.filter(Boolean).join(' · '), words)
  if (excerpt === null) return []
  const at = new Date(sealedAt).toISOString()
  return [{ being: stanceOf(being), n, at, outcome: kind, reason, primary, words: excerpt }]
}

/**
 * What a mind wrote, and which calls it made. Words to others are left out: the search for what was said
 * finds them.
 */
function ownTextsIn(decision: Json): Json {
  if (!isJsonObject(decision)) return null
  const { content = null, call = null } = decision
  return isJsonObject(call) && call.verb !== 'summon' ? [content, call] : content
}

const namesHolding = (at: SeeConnection, as: BeingName, text: string): Promise<NamedEntries> =>
  withSnapshot(at, as, async (snapshot) => {
    const keeper = await unlessRefused(snapshot.regard(ROLE_MANAGER))
    return keeper?.cognition.script === ROLE_MANAGER
      ? namesInCatalogs(snapshot, at.registry, text)
      : namesSeen(snapshot, text)
  })

/** Who may see the role manager may see its catalogs, which name every being, space and role. */
async function namesInCatalogs(
  { db }: BeingSnapshot,
  registry: Registry,
  text: string,
): Promise<NamedEntries> {
  const addresses = await findAddresses(db, { text, of: 'all', limit: NAMES_MAX })
  const { roles } = await choicesOf(registry, catalogRowsOf(db))
  return {
    beings: addresses.filter((address) => address.startsWith('@')),
    spaces: addresses.filter((address) => address.startsWith('/')),
    roles: roles
      .filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(text))
      .map(({ name, description }) => ({ name, description }))
      .sort((a, b) => Number(b.name.includes(text)) - Number(a.name.includes(text))),
  }
}
const NAMES_MAX = 100

/** What its looks around show a being: spaces, who is in them, and whom its own list names. */
async function namesSeen(snapshot: BeingSnapshot, text: string): Promise<NamedEntries> {
  const { spaces } = await spacesSeen(snapshot)
  const listed = snapshot.surface.canSee.filter((entry) => typeof entry === 'string' && entry.startsWith('@'))
  const stances = new Set([
    stanceOf(snapshot.me.name),
    ...(listed as string[]),
    ...spaces.flatMap(({ inside }) => inside),
  ])
  const holding = (names: Iterable<string>) =>
    [...names]
      .filter((name) => name.includes(text))
      .sort((a, b) => a.indexOf(text) - b.indexOf(text) || (a < b ? -1 : 1))
  return { beings: holding(stances), spaces: holding(spaces.map(({ path }) => path)), roles: [] }
}
