/** Words from outside of a reality: which rows and words hold them, and whether a moment says so. */

import { REGISTRY_REEL as REGISTRY, SPEECH_KIND } from '@treeos/core'
import {
  isWithin,
  type KeyPath,
  marksAfter,
  OUTSIDE,
  type OutsideMarks,
  pathWritten,
  SENT_BY,
  VOUCHED,
  WORDED,
} from '@treeos/world'
import { at, isArray, isObject, type Json, type JsonObject, same } from './canonical.ts'
import type { Head } from './heads.ts'
import type { MomentReads } from './moment-reads.ts'

interface FactToTrack {
  readonly kind: string
  /** of a role; null for any other row, and where the payload is not there */
  readonly name: Json
  /** into which it writes; null for the whole row, undefined where the payload is not there */
  readonly path: KeyPath | null | undefined
  /** of a summon: its payload says that its words are from outside; null where that is gone */
  readonly isOutside: boolean | null
}

/** The marks of a row from one of its facts on. */
interface MarksOfRow {
  readonly marks: OutsideMarks | undefined
  /** false: they depend on a payload that is not here */
  readonly isSure: boolean
}

const UNMARKED: MarksOfRow = { marks: undefined, isSure: true }

/** Kinds of facts that mark, or clear marks. */
const MARKING: ReadonlySet<string> = new Set([OUTSIDE, VOUCHED, 'quality:set', 'signal:published'])

/** Reels on which a mark is of a whole row, whatever its payload says. */
export const isOfWholeRows = (reel: string): boolean => reel === REGISTRY || reel.startsWith('matter:')

/** The marks of all rows at each of their facts. */
export class Origins {
  /** by row, where its marks changed */
  readonly #steps = new Map<string, (MarksOfRow & { readonly seq: number })[]>()
  readonly #told = new Map<string, FactToTrack>()
  /** of what was said, by the hash of its fact: whether its words are from outside */
  readonly #said = new Map<string, boolean | null>()
  /** and where who said it to itself asked to look */
  readonly #turned = new Map<string, Json>()

  /** moments so far that hold words from outside */
  readonly moments = new Set<string>()

  /** @param hash of the fact */
  take(reel: string, seq: number, header: Json, payload: Json, hash = ''): void {
    const kind = String(at(header, 'kind'))
    const name = reel === REGISTRY ? (at(payload, 'name') ?? null) : null
    if (MARKING.has(kind)) {
      const row = rowOf(reel, name)
      const steps = this.#steps.get(row) ?? []
      const before = steps.at(-1) ?? UNMARKED
      const after = marksBehind(before, { reel, kind, payload: payload as JsonObject | null })
      if (after.marks !== before.marks || after.isSure !== before.isSure)
        this.#steps.set(row, [...steps, { ...after, seq }])
    }
    if (kind !== SPEECH_KIND && !WORDED.has(kind)) return
    const isOutside = kind !== SPEECH_KIND ? false : payload === null ? null : at(payload, 'outside') === true
    const path = payload === null ? undefined : pathWritten({ reel, kind, payload: payload as JsonObject })
    this.#told.set(`${seq} ${reel}`, { kind, name, path, isOutside })
    if (kind === SPEECH_KIND) this.#said.set(hash, isOutside)
    if (kind === SPEECH_KIND && payload !== null) this.#turned.set(hash, at(payload, 'orientation') ?? null)
  }

  /** Facts of a reel are left out up to this one: they may have marked it, or cleared marks. */
  leaveOut(reel: string, seq: number): void {
    for (const row of new Set([rowOf(reel, null), ...this.#rowsOf(reel)])) {
      const steps = this.#steps.get(row) ?? []
      this.#steps.set(row, [...steps, { ...(steps.at(-1) ?? UNMARKED), isSure: false, seq }])
    }
  }

  marksAt(reel: string, seq: number, name: Json = null): MarksOfRow {
    return this.#steps.get(rowOf(reel, name))?.findLast((step) => step.seq <= seq) ?? UNMARKED
  }

  /** Whether a row is marked somewhere. */
  isMarked(reel: string, seq: number, name: Json = null): boolean {
    return this.marksAt(reel, seq, name).marks !== undefined
  }

  /** Whether any row of a reel is marked: which of them a moment read may not be known. */
  hasMark(reel: string, seq: number): boolean {
    return this.#rowsOf(reel).some((row) => this.isMarked(reel, seq, row.slice(reel.length + 1)))
  }

  /** The roles of the registry of which something is told. */
  #rowsOf(reel: string): string[] {
    return [...this.#steps.keys()].filter((row) => row.startsWith(`${reel} `))
  }

  /** null where that is gone, undefined where no such words are here */
  said = (hash: Json): boolean | null | undefined => this.#said.get(String(hash))

  /** undefined where no such words are here, or they are gone */
  turned = (hash: Json): Json | undefined => this.#turned.get(String(hash))

  told = (reel: string, seq: number): FactToTrack | undefined => this.#told.get(`${seq} ${reel}`)
}

const rowOf = (reel: string, name: Json): string => (reel === REGISTRY ? `${reel} ${name}` : reel)

function marksBehind(
  { marks, isSure }: MarksOfRow,
  {
    reel,
    kind,
    payload,
  }: { readonly reel: string; readonly kind: string; readonly payload: JsonObject | null },
): MarksOfRow {
  const isOfWhole = kind === OUTSIDE && (isOfWholeRows(reel) || at(payload, 'paths') === undefined)
  if (kind === VOUCHED || (isOfWhole && (payload !== null || isOfWholeRows(reel))))
    return { marks: kind === VOUCHED ? undefined : true, isSure: true }
  if (payload !== null) return { marks: marksAfter(marks, { kind, payload }), isSure }
  if (kind === OUTSIDE) return marks === true ? { marks, isSure } : { marks: true, isSure: false }
  return marks === undefined || marks === true ? { marks, isSure } : { marks, isSure: false }
}

/** Whether a row that a fact wrote into has the mark that is due. @param path undefined where that is not known */
const isMarkedAt = ({ marks, isSure }: MarksOfRow, path: KeyPath | null | undefined): boolean =>
  !isSure ||
  marks === true ||
  (marks !== undefined &&
    (path === undefined || (path !== null && marks.some((mark) => isWithin(path, mark)))))

/**
 * Whether something into which a moment wrote words has no mark: none of its facts is one, and its row had
 * none as a whole.
 * @param was the marks before; null where they are not known
 */
export const lacksMark = (
  facts: readonly { readonly reel: string; readonly kind: string; readonly payload: Json }[],
  was: (reel: string, name: Json) => MarksOfRow | null,
): boolean =>
  facts.some(({ reel, kind, payload }) => {
    if (!WORDED.has(kind) || (reel === REGISTRY && payload === null)) return false
    const name = reel === REGISTRY ? (at(payload, 'name') ?? null) : null
    const path = payload === null ? undefined : pathWritten({ reel, kind, payload: payload as JsonObject })
    const isOfIt = (fact: (typeof facts)[number]) =>
      fact.kind === OUTSIDE &&
      fact.reel === reel &&
      (fact.payload === null ||
        (same(at(fact.payload, 'name') ?? null, name) &&
          isMarkedAt(marksBehind(UNMARKED, fact as Parameters<typeof marksBehind>[1]), path)))
    const before = was(reel, name)
    return !facts.some(isOfIt) && before?.isSure === true && before.marks !== true
  })

/** What of a bundle or of a receipt a moment is compared with. */
interface OriginEvidence {
  readonly origins: Origins
  readonly isWhole: (reel: string) => boolean
  readonly program: Json | undefined
  /** what it read beside reels; undefined where that is not shown, or where not all that it read is */
  readonly noted: Json | undefined
  /** what of the rows with marked paths counts */
  readonly reads: MomentReads
}

/** Whether a moment holds words from outside: null where that depends on what is not here. */
export function holdsOutside(
  open: Json,
  basis: readonly Head[],
  { origins, isWhole, program, noted, reads }: OriginEvidence,
) {
  if (at(open, 'wake', 'outside') === true) return true
  if (at(open, 'cognition', 'kind') === 'human') return false
  if (at(noted, 'aside', 'past', 'outside') === true) return true
  const roles = Object.keys(at(program, 'roles') ?? {})
  const shown = ['said', 'past'].flatMap((part) => at(noted, 'aside', part, 'facts') ?? [])
  const words = shown.map((ref) =>
    isArray(ref) ? origins.told(String(ref[0]), Number(ref[1]))?.isOutside : false,
  )
  const marksOfDryRun = at(open, 'triedOutside') ?? []
  const counted = basis.filter(([reel]) => !(isArray(marksOfDryRun) && marksOfDryRun.includes(reel)))
  const found = counted.map(([reel, seq]) => {
    if (reel === REGISTRY) return roles.some((name) => origins.isMarked(reel, seq, name))
    const { marks, isSure } = isWhole(reel) ? origins.marksAt(reel, seq) : UNMARKED
    const doCount = marks === undefined ? false : reads.count(reel, marks)
    return isSure || (doCount === false && marks !== undefined) ? doCount : null
  })
  if (found.includes(true) || words.includes(true)) return true
  const isAll =
    !found.includes(null) &&
    noted !== undefined &&
    isObject(program) &&
    basis.every(
      ([reel, seq]) => seq === 0 || (isWhole(reel) && !(reel === REGISTRY && origins.hasMark(reel, seq))),
    )
  return isAll && words.every((word) => word === false) ? false : null
}

/**
 * Compares what a moment says of its origin with what it read, and with the marks that stand behind what it
 * wrote.
 * @param found whether it holds words from outside, by what it read
 */
export function* faultsOfOrigin(
  { record, open }: { readonly record: JsonObject; readonly open: Json },
  { origins, isWhole }: OriginEvidence,
  found: boolean | null,
): Generator<readonly [reason: string, what: string]> {
  const holds = at(open, 'outside') === true
  const said = origins.said(at(open, 'wake', 'cause') ?? null) ?? null
  const isSummon = at(open, 'wake', 'kind') === 'summon'
  const saysSo = at(open, 'wake', 'outside') === true
  // A wake after a refusal has the cause of the wake before, and the moment that was refused may have seen more than words.
  if (said !== null && said !== saysSo && (isSummon || said))
    yield ['origin-mismatch', 'the words that woke it say otherwise where they are from']
  const turned = origins.turned(at(open, 'wake', 'cause') ?? null)
  if (isSummon && turned !== undefined && !same(turned, at(open, 'wake', 'orientation') ?? null))
    yield ['context-mismatch', 'what woke it asked to look elsewhere']
  const wake = at(open, 'wake')
  const sender = at(wake, 'kind') === 'event' ? SENT_BY.exec(String(at(wake, 'id')))?.[1] : undefined
  if (sender !== undefined && origins.moments.has(sender) && at(wake, 'outside') !== true)
    yield ['origin-mismatch', 'who sent its wake held words from outside, and the wake does not say so']
  if (found === true && !holds) yield ['origin-mismatch', 'it holds words from outside, and does not say so']
  if (found === false && holds)
    yield ['origin-mismatch', 'it says that it holds words from outside, and nothing of it does']
  if (!holds) return
  origins.moments.add(String(record.moment))
  const facts = (isArray(record.facts) ? record.facts : []).filter((ref) => isArray(ref))
  for (const [reel, seq] of facts) {
    const told = origins.told(String(reel), Number(seq))
    const last = Math.max(...facts.flatMap((ref) => (ref[0] === reel ? [Number(ref[1])] : [])))
    if (told?.kind === SPEECH_KIND && told.isOutside === false)
      yield ['origin-mismatch', 'what it says holds words from outside, and does not say so']
    else if (
      told !== undefined &&
      told.kind !== SPEECH_KIND &&
      isWhole(String(reel)) &&
      !isMarkedAt(origins.marksAt(String(reel), last, told.name), told.path)
    )
      yield ['origin-mismatch', 'what it wrote holds words from outside, and has no mark']
  }
}
