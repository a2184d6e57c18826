import {
  type BeingName,
  type Digest,
  type Fact,
  type OutcomeKind,
  type PinnedStack,
  SPEECH_KIND,
  stanceOf,
} from '@treeos/core'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import { listFactsAt, listOutcomesOf, type StoredOutcome } from '@treeos/store'
import { isFactOpen, type OpenPasts, pastsOpenTo } from '../access/past-access.ts'
import { wordsIn } from '../beings/words.ts'
import { PLACING_KINDS, type PlaceChange, placingOf } from '../spaces/place-change.ts'
import { readDecided } from './journal-pages.ts'

/** A moment as a look back at the whole world shows it. */
export interface RetracedMoment {
  readonly being: BeingName
  readonly n: number
  readonly outcome: OutcomeKind
  /** code of a failure, or the reason of a skip; null where the kind says all */
  readonly reason: string | null
  /** of what it wore, in `stacks` of the page; null when it wore no role */
  readonly stack: Digest | null
}

/** What a being said. */
export interface PastWords {
  readonly being: BeingName
  readonly to: string
  /** the beginning of it */
  readonly words: string
}

/** One append, as far as the person may look back at it. */
export interface PastEntry {
  /** its number in the journal: the position in the record after it */
  readonly entry: number
  /** ISO 8601, UTC */
  readonly at: string
  readonly moment: RetracedMoment | null
  readonly placings: readonly PlaceChange[]
  readonly said: readonly PastWords[]
}

export interface PastEntries {
  /** those in which the person may see something */
  readonly entries: readonly PastEntry[]
  /** stacks by the digest that the record names */
  readonly stacks: Readonly<Record<Digest, PinnedStack>>
  /** each entry up to this one is here or on an earlier page, or shows this person nothing */
  readonly upTo: number
  /** the last entry so far */
  readonly newest: number
  readonly isMore: boolean
}

const WORDS_MAX = 200
const KINDS = [...PLACING_KINDS, SPEECH_KIND]

/**
 * One page of the record of the whole reality, from its first fact on: where things were, what beings wore
 * and what they said. A person gets the moments and facts of the beings whose past is open to it. A page
 * costs the same wherever it lies.
 * @param after number of the entry before; 0 for the beginning
 * @throws {TreeosError} as `authorizeActingAs`
 */
export async function retrace(
  at: Presence,
  as: BeingName,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<PastEntries> {
  await authorizeActingAs(at, as)
  const isOpen = pastsOpenTo(at, as)
  const { entries, upTo, newest, isMore } = await readDecided(at.db, { after, limit })
  const ended = await listOutcomesOf(
    at.db,
    entries.flatMap(({ moment }) => moment ?? []),
  )
  const outcomes = new Map(ended.map((outcome) => [outcome.moment, outcome]))
  const placed = await listFactsAt(
    at.db,
    entries.flatMap(({ facts }) => facts),
    KINDS,
  )
  const facts = new Map(placed.map((fact) => [refOf(fact.header), fact]))
  const stacks: Record<Digest, PinnedStack> = {}
  const shown: PastEntry[] = []
  for (const { entry, moment, facts: refs } of entries) {
    const outcome = moment === null ? undefined : outcomes.get(moment)
    const here = refs.flatMap((ref) => facts.get(refOf(ref)) ?? [])
    const open = await openPartOf(isOpen, outcome, here)
    if (open.moment === null && open.placings.length === 0 && open.said.length === 0) continue
    const { stack, stackDigest } = open.moment === null ? NOTHING_WORN : (outcome?.record ?? NOTHING_WORN)
    if (stack !== null && stackDigest !== null) stacks[stackDigest] = stack
    const time = outcome?.sealedAt ?? here[0]?.header.at ?? 0
    shown.push({ entry, at: new Date(time).toISOString(), ...open })
  }
  return { entries: shown, stacks, upTo, newest, isMore }
}

const NOTHING_WORN = { stack: null, stackDigest: null }
const refOf = ({ reel, seq }: { readonly reel: string; readonly seq: number }): string => `${reel} ${seq}`

/** What of an append the person may look back at. */
export async function openPartOf(
  isOpen: OpenPasts,
  outcome: StoredOutcome | undefined,
  facts: readonly Fact[],
): Promise<Omit<PastEntry, 'entry' | 'at'>> {
  const placings: PlaceChange[] = []
  const said: PastWords[] = []
  for (const fact of facts) {
    if (!(await isFactOpen(isOpen, fact.header))) continue
    const placing = placingOf(fact)
    if (placing !== null) placings.push(placing)
    if (fact.header.kind === SPEECH_KIND) said.push(...pastWordsIn(fact))
  }
  const isMine = outcome !== undefined && (await isOpen(outcome.being))
  return { moment: isMine ? momentOf(outcome) : null, placings, said }
}

const momentOf = ({ being, n, kind, reason, record }: StoredOutcome): RetracedMoment => ({
  being,
  n,
  outcome: kind,
  reason,
  stack: record.stackDigest,
})

function pastWordsIn({ header: { actor }, payload }: Fact): PastWords[] {
  if (payload === null || typeof payload.to !== 'string') return []
  const words = wordsIn(payload.content ?? null)
  const text = typeof words === 'string' ? words : JSON.stringify(words)
  return [{ being: actor, to: stanceOf(payload.to), words: text.slice(0, WORDS_MAX).toWellFormed() }]
}
