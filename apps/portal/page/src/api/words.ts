import { useEffect, useSyncExternalStore } from 'react'

/** The next piece of what a model writes; `tool` is null for plain words. */
export interface StreamedPiece {
  readonly tool: string | null
  readonly text: string
}

/** A call of a model that is under way, as far as it was heard. */
export interface CallSoFar {
  readonly moment: string
  readonly thread: string
  readonly attempt: number
  readonly pieces: readonly StreamedPiece[]
  /** parts were lost on their way, or came before this page streamed */
  readonly hasGap: boolean
  readonly end: 'answered' | 'lost' | null
  readonly nextPart: number
}

export interface StreamedWords {
  readonly being: string
  readonly moment: string
  readonly thread: string
  readonly attempt: number
  readonly part: number
  readonly says: readonly StreamedPiece[]
  readonly end?: 'answered' | 'lost'
}

/** Of one being; the older ones are over. */
const CALLS_MAX = 4
/** More than a decision can hold. */
const CHARS_MAX = 200_000
/** As the server takes. */
const WANTED_MAX = 20

const NO_CALLS: readonly CallSoFar[] = []
const calls = new Map<string, readonly CallSoFar[]>()
/**
 * The last moment of each being that ended. Words take another way than the record, and may come after it.
 */
const ended = new Map<string, number>()
const wanted = new Map<string, number>()
const callListeners = new Set<() => void>()
const wantListeners = new Set<() => void>()

const tellListeners = () => {
  for (const listener of callListeners) listener()
}

/** The beings whose words this tab shows. */
export const wantedBeings = (): string[] => [...wanted.keys()].slice(0, WANTED_MAX)

/** @returns ends it */
export function onWanted(listener: () => void): () => void {
  wantListeners.add(listener)
  return () => void wantListeners.delete(listener)
}

/** Words of a moment that has ended are left out. */
export function hearWords(words: StreamedWords): void {
  if (numberOf(words.moment) <= (ended.get(words.being) ?? 0)) return
  const known = callsOf(words.being)
  const isSame = ({ moment, attempt }: CallSoFar) => moment === words.moment && attempt === words.attempt
  const before = known.find(isSame)
  const call = withWords(before, words)
  const others = known.filter((one) => !isSame(one))
  calls.set(words.being, [...others, call].slice(-CALLS_MAX))
  tellListeners()
}

/** Adds what was heard next. */
export function withWords(before: CallSoFar | undefined, words: StreamedWords): CallSoFar {
  const { moment, thread, attempt, part, says, end } = words
  const pieces = [...(before?.pieces ?? [])]
  let room = CHARS_MAX - pieces.reduce((sum, { text }) => sum + text.length, 0)
  for (const { tool, text } of says) {
    const added = text.slice(0, Math.max(0, room))
    room -= added.length
    const last = pieces.at(-1)
    if (last !== undefined && last.tool === tool)
      pieces[pieces.length - 1] = { tool, text: last.text + added }
    else pieces.push({ tool, text: added })
  }
  const hasGap = (before?.hasGap ?? false) || part !== (before?.nextPart ?? 0)
  return { moment, thread, attempt, pieces, hasGap, end: end ?? before?.end ?? null, nextPart: part + 1 }
}

/** A moment has ended: what was decided is in the record now. */
export function forgetCalls(being: string, n: number): void {
  ended.set(being, Math.max(n, ended.get(being) ?? 0))
  const known = calls.get(being)
  if (known === undefined) return
  const left = known.filter(({ moment }) => numberOf(moment) > n)
  if (left.length === known.length) return
  if (left.length === 0) calls.delete(being)
  else calls.set(being, left)
  tellListeners()
}

/** Numbers of moments go on over all lives of a being. */
const numberOf = (moment: string): number => Number(moment.split('/')[2])

export const callsOf = (being: string): readonly CallSoFar[] => calls.get(being) ?? NO_CALLS

const subscribe = (listener: () => void) => {
  callListeners.add(listener)
  return () => void callListeners.delete(listener)
}

/** What the model of a being writes now, while it is shown. Null: of nobody. */
export function useWords(being: string | null): readonly CallSoFar[] {
  useEffect(() => {
    if (being === null) return
    want(being, 1)
    return () => want(being, -1)
  }, [being])
  return useSyncExternalStore(subscribe, () => (being === null ? NO_CALLS : callsOf(being)))
}

function want(being: string, more: 1 | -1): void {
  const count = (wanted.get(being) ?? 0) + more
  if (count > 0) wanted.set(being, count)
  else {
    wanted.delete(being)
    calls.delete(being)
  }
  for (const listener of wantListeners) listener()
}
