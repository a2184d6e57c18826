import { asJson, type FactDraft, isJsonObject, type Json, REGISTRY_REEL, type ReelId } from '@treeos/core'
import type { KeyPath, OutsideMark, OutsideMarks, Row } from './rows.ts'

/** The fact that a row holds words from outside: it follows the facts of a moment that held such words. */
export const OUTSIDE = 'origin:outside'
/** The fact that a person vouches for a row: it counts as the reality's own from then on. */
export const VOUCHED = 'origin:vouched'

/**
 * Kinds of facts that write words into a row. Others only say where something is, who may do what, or that
 * something is over.
 */
export const WORDED: ReadonlySet<string> = new Set([
  'being:born',
  'quality:set',
  'space:created',
  'signal:published',
  'role:set',
  'matter:created',
  'matter:written',
])

/** Ids of wakes that a moment sent and that no fact of its says: the kind, the moment, and whom they wake. */
export const SENT_BY = /^(?:change|awakened|notice|parked|refused)\/([^/]+\/\d+\/\d+)(?:\/|$)/

/** Whether a fact says where the words of a row are from, and nothing else. */
export const isOrigin = ({ kind }: Pick<FactDraft, 'kind'>): boolean => kind === OUTSIDE || kind === VOUCHED

/** The path whose marks always count: both gates read the rules of every space that they read. */
export const RULES: KeyPath = ['permissions']

/** More paths than this mark the whole row. */
const MARKED_PATHS_MAX = 32

/** Where a row holds words from outside; undefined where it holds none. */
export const marksOf = (row: Row | null): OutsideMarks | undefined => (row as OutsideMark | null)?.outside

/** Whether a row holds words from outside, in whatever part. */
export const isMarked = (row: Row | null): boolean => marksOf(row) !== undefined

/** Whether one of two paths leads to the other, or they are the same. */
export const doMeet = (one: KeyPath, other: KeyPath): boolean =>
  one.length <= other.length ? isWithin(other, one) : isWithin(one, other)

/** Whether a path is the other one, or leads below it. */
export const isWithin = (path: KeyPath, outer: KeyPath): boolean => outer.every((key, i) => path[i] === key)

/**
 * The marks of a row after a fact of its reel. What is set in a moment without words from outside has no mark
 * any more, below it neither; the mark of any other moment follows its facts.
 */
export function marksAfter(
  marks: OutsideMarks | undefined,
  { kind, payload }: Pick<FactDraft, 'kind' | 'payload'>,
): OutsideMarks | undefined {
  if (kind === VOUCHED) return undefined
  if (kind === OUTSIDE) return withMarked(marks ?? [], payload.paths)
  if (marks === undefined || marks === true) return marks
  if (kind === 'quality:set') return withoutSet(marks, payload.path, payload.value, payload.merge !== false)
  return kind === 'signal:published' ? withoutSet(marks, payload.key, payload.value, false) : marks
}

function withMarked(marks: OutsideMarks, paths: Json | undefined): OutsideMarks {
  if (marks === true || !Array.isArray(paths) || !paths.every(isKeyPath)) return true
  let after = marks
  for (const path of paths)
    if (!after.some((outer) => isWithin(path, outer)))
      after = [...after.filter((inner) => !isWithin(inner, path)), path]
  return after.length === 0 || after.length > MARKED_PATHS_MAX ? true : after
}

/** An object that is merged leaves what it does not name. */
function withoutSet(
  marks: readonly KeyPath[],
  path: Json | undefined,
  value: Json | undefined,
  merge: boolean,
): OutsideMarks | undefined {
  if (!isKeyPath(path)) return marks
  const set =
    merge && isJsonObject(value ?? null) ? Object.keys(value as object).map((key) => [...path, key]) : [path]
  const left = marks.filter((mark) => !set.some((outer) => isWithin(mark, outer)))
  return left.length === 0 ? undefined : left
}

const isKeyPath = (path: Json | undefined): path is string[] =>
  Array.isArray(path) && path.length > 0 && path.every((key) => typeof key === 'string')

/** The fact about a row: on the registry it names the role. */
export const originFact = (
  kind: typeof OUTSIDE | typeof VOUCHED,
  { reel, name }: { readonly reel: ReelId; readonly name?: string },
): FactDraft => ({ reel, kind, payload: name === undefined ? {} : { name } })

/** The path into which a fact writes; null where it writes into the whole row. */
export function pathWritten({ reel, kind, payload }: FactDraft): KeyPath | null {
  const path = kind === 'quality:set' ? payload.path : kind === 'signal:published' ? payload.key : null
  return !reel.startsWith('matter:') && isKeyPath(path ?? null) ? (path as string[]) : null
}

/**
 * The marks that follow facts of a moment with words from outside: one for each row that they write words
 * into, with the paths where they did.
 */
export function marksFor(facts: readonly FactDraft[]): FactDraft[] {
  const written = new Map<string, { readonly at: Parameters<typeof originFact>[1]; paths: OutsideMarks }>()
  for (const fact of facts) {
    const { reel, kind, payload } = fact
    if (!WORDED.has(kind)) continue
    const at = reel === REGISTRY_REEL ? { reel, name: String(payload.name) } : { reel }
    const key = `${reel} ${at.name ?? ''}`
    const path = pathWritten(fact)
    const { paths } = written.get(key) ?? { paths: [] }
    written.set(key, { at, paths: path === null ? true : withMarked(paths, [[...path]]) })
  }
  return [...written.values()].map(({ at, paths }) => {
    const mark = originFact(OUTSIDE, at)
    return paths === true ? mark : { ...mark, payload: { paths: asJson(paths) } }
  })
}
