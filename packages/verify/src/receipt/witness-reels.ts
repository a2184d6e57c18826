import { type FactDraft, NO_ASIDE, type ReelId, reelOfKey } from '@treeos/core'
import {
  COUNTED_KIND,
  childrenAfter,
  evolve,
  OUTSIDE,
  type Row,
  type RowChange,
  type RowSource,
  rowKeyOf,
  VOUCHED,
} from '@treeos/world'
import { at, isArray, isObject, type Json, type JsonObject } from '../canonical.ts'
import { type KnownRow, knownOf } from '../due/call-to-derive.ts'
import { isPayloadOf } from '../forms/forms.ts'
import { factHash, genesisHash, isHash, saltedHash } from '../hash.ts'
import { isHeaderOf } from '../header.ts'
import type { Head } from '../heads.ts'
import { MissingReel, NotShownError } from '../missing-reel.ts'
import { MomentlessFacts } from '../momentless.ts'
import { isOfWholeRows, Origins } from '../origin.ts'
import { Passkeys } from '../passkeys.ts'

/** A fact of a witness: its header, and salt and payload where something is derived from it. */
export type ReceiptLink = readonly [header: Json, salt: Json, payload: Json]

/** A reel as far as a witness shows it. */
interface ShownReel {
  /** number and hash of its last fact */
  readonly head: readonly [seq: number, hash: string]
  /** by number, of the facts that are shown and of the last one in each gap; that of 0 is the genesis hash */
  readonly hashes: ReadonlyMap<number, string>
  /** before each gap: the number and the hash of the last fact that is shown */
  readonly cuts: readonly (readonly [seq: number, hash: string, to: number])[]
}

/** The kind of the fact by which a child is on the reel of its maker. It is shown only where a role reaches for the children of its being: others have no part in it. */
export const BIRTH_OF_CHILD_KIND = 'being:bore'

/**
 * Kinds of facts whose payloads the gates read, and the default role of a being. A quality counts where rules
 * stand: in spaces.
 */
const PERMISSION_KINDS: ReadonlySet<string> = new Set([
  ...['being:born', 'being:ended', 'being:moved', 'being:bounded', 'being:role-set', BIRTH_OF_CHILD_KIND],
  ...['space:created', 'space:contributor-added', 'space:contributor-removed', 'quality:set'],
  ...['matter:created', 'matter:moved', 'approval:asked', 'approval:given', COUNTED_KIND],
])
/** Kinds of facts that change a row whatever their payloads say. */
const SAY_ALL: ReadonlySet<string> = new Set([
  ...['approval:denied', 'approval:expired', 'approval:used', 'approval:voided'],
  VOUCHED,
])

/** A mark of a thing or a role says nothing more than its kind does. */
const isMarkOfWhole = (reel: ReelId, kind: string): boolean => kind === OUTSIDE && isOfWholeRows(reel)

/** Kinds of facts whose payloads flows and signatures may read, and gates do not. A witness may bring them. */
const CONTEXT_KINDS: ReadonlySet<string> = new Set([
  ...['quality:set', 'being:inhabited', 'being:released', 'being:budgeted', 'signal:published'],
  ...['role:set', 'role:deleted'],
])

/** Whether what a flow reads depends on facts of a kind that no gate reads. */
export const isContextKind = (kind: string): boolean => CONTEXT_KINDS.has(kind)

/** Whether the gates read the payload of a fact, so that a witness brings it. */
export const isPermissionFact = (reel: string, kind: string): boolean =>
  PERMISSION_KINDS.has(kind) && (kind !== 'quality:set' || reel.startsWith('space:'))

/** Reads the payload of a fact that is shown. @returns null for one that is withheld, as it may be */
function payloadOf(
  reel: string,
  [header, salt, payload]: ReceiptLink,
  wrong: (what: string) => Error,
): JsonObject | null {
  const kind = String(at(header, 'kind'))
  const isWithheld = salt === null && payload === null
  const isNeeded = isPermissionFact(reel, kind) && kind !== BIRTH_OF_CHILD_KIND
  if (isWithheld && !isNeeded) return null
  const isOfContext = isContextKind(kind) || kind === OUTSIDE
  const isKnown = isPermissionFact(reel, kind) || (isOfContext && !/^(approval|tally):/.test(reel))
  if (!isKnown) throw wrong('brings a payload that nothing is derived from')
  if (!isHash(salt) || !isObject(payload)) throw wrong('counts, and its payload is not there')
  if (!isPayloadOf(kind, payload)) throw wrong('has a payload of another form')
  if (saltedHash(salt, payload) !== at(header, 'payloadHash')) throw wrong('has another payload')
  return payload
}

const EMPTY: ShownReel['head'] = [0, '']

/** The reels of a witness. What is withheld, or left out in a gap, changes nothing of what is read here: that is said by whoever signed it. */
export class WitnessReels {
  readonly shown = new Map<ReelId, ShownReel>()
  readonly passkeys = new Passkeys()
  readonly origins = new Origins()
  /** by reel, how many facts of which flows read something are there without their payloads */
  readonly withheld = new Map<ReelId, number>()
  /** by reel: what changes its row, each with its number */
  readonly #changes = new Map<ReelId, (RowChange & { readonly seq: number })[]>()
  /** reels with facts that may have changed their rows, and that are withheld or left out */
  readonly #partial = new Set<ReelId>()
  readonly #momentless = new MomentlessFacts()
  /** beings of whose children not all are named */
  readonly #unnamed = new Set<ReelId>()

  /** @throws {Error} for a reel whose facts do not follow one another, or that lacks a payload that counts */
  constructor(reality: string, reels: JsonObject) {
    for (const [reel, links] of Object.entries(reels))
      this.#take(reality, reel, isArray(links) ? links : [null])
  }

  #take(reality: string, reel: ReelId, links: readonly Json[]): void {
    let [seq, hash] = [0, genesisHash(reality, reel)]
    const hashes = new Map([[seq, hash]])
    const cuts: [number, string, number][] = []
    const wrong = (what: string) => new Error(`fact ${seq} of ${reel} ${what}`)
    this.#changes.set(reel, [])
    for (const link of links) {
      if (isObject(link)) {
        const { to, hash: last } = link // stands for facts that are left out, up to that number
        const isGap = Number.isSafeInteger(to) && Number(to) > seq && seq > 0 && isHash(last)
        if (!isGap) throw wrong('stands before a gap that has no end')
        cuts.push([seq, hash, Number(to)])
        this.#partial.add(reel)
        this.origins.leaveOut(reel, Number(to))
        ;[seq, hash] = [Number(to), String(last)]
      } else {
        if (!isArray(link) || link.length !== 3) throw wrong('is not [header, salt, payload]')
        const [header, , payload] = link as unknown as ReceiptLink
        seq += 1
        if (!isHeaderOf(header, reel, seq)) throw wrong('is of another place, or has another header')
        hash = factHash(hash, header)
        if (this.#momentless.take(header, payload) === null)
          throw wrong('was written by no moment, and TreeOS writes none such without one')
        this.#fold(reel, seq, header, payloadOf(reel, link as unknown as ReceiptLink, wrong))
      }
      hashes.set(seq, hash)
    }
    this.shown.set(reel, { head: [seq, hash], hashes, cuts })
  }

  #fold(reel: ReelId, seq: number, header: Json, payload: JsonObject | null): void {
    const kind = String(at(header, 'kind'))
    this.origins.take(reel, seq, header, payload)
    if (payload !== null) this.passkeys.take(reel, seq, header, payload)
    else if (kind === BIRTH_OF_CHILD_KIND) this.#unnamed.add(reel)
    else if (isContextKind(kind) && !isPermissionFact(reel, kind))
      this.withheld.set(reel, (this.withheld.get(reel) ?? 0) + 1)
    if (payload === null && !SAY_ALL.has(kind) && !isMarkOfWhole(reel, kind)) {
      if (rowKeyOf({ reel, kind, payload: {} }) !== null) this.#partial.add(reel)
      return
    }
    const [actor, time] = [String(at(header, 'actor')), Number(at(header, 'at'))]
    const told = (payload ?? {}) as FactDraft['payload']
    this.#changes.get(reel)?.push({ reel, kind, payload: told, actor, at: time, seq })
  }

  /**
   * The rows at the last fact that is shown of each reel. Reading one that is not shown throws MissingReel.
   * @param more.empty reels that were empty then. Where they are given, reading a row of which something is withheld throws NotShownError
   * @param more.heads where reels are read; all that is shown of them when left out
   */
  source({
    empty,
    heads,
  }: {
    readonly empty?: ReadonlySet<ReelId>
    readonly heads?: readonly Head[]
  } = {}): RowSource {
    const cited =
      heads === undefined ? null : new Map(heads.map(([reel, seq, hash]) => [reel, [seq, hash] as const]))
    const nothing = (what: string) => () => {
      throw new NotShownError(`a receipt does not tell ${what}`)
    }
    return {
      rows: (keys) =>
        keys.map((key) => {
          const reel = reelOfKey(key)
          if (empty !== undefined && this.#partial.has(reel)) return nothing(`all of ${reel}`)()
          const [seq, hash] = empty?.has(reel) === true ? EMPTY : this.#head(reel, cited)
          return {
            key,
            state: this.#rowOf(key, reel, seq) as never,
            head: { reel, seq, hash, stateSeq: seq },
          }
        }),
      keysOfChildren: async (being) => {
        const reel = `being:${being}`
        this.#head(reel, cited)
        if (this.#unnamed.has(reel)) return nothing('all children')()
        const facts = (this.#changes.get(reel) ?? []).map(({ kind, payload }) => ({
          header: { kind },
          payload,
        }))
        return childrenAfter(facts as never)
      },
      keysInPlace: nothing('what lies in a place'),
      countInPlace: nothing('what lies in a place'),
      keysOfBeings: nothing('of all beings'),
      blob: nothing('of other contents'),
      aside: NO_ASIDE,
    }
  }

  /** What is shown of the row of a reel. Facts of drivers and budgets may be withheld, so neither is known. */
  readonly knownRow = (reel: ReelId): KnownRow => {
    const shown = this.shown.get(reel)
    if (shown === undefined) return {}
    const { driver: _by, budget: _bounds, ...known } = knownOf(this.#rowOf(reel, reel, shown.head[0]))
    return known
  }

  #head(reel: ReelId, cited: ReadonlyMap<ReelId, ShownReel['head']> | null): ShownReel['head'] {
    const head = cited?.get(reel)
    if (head?.[0] === 0) return head
    const shown = this.shown.get(reel)
    if (shown === undefined || (cited !== null && head === undefined)) throw new MissingReel(reel)
    return head ?? shown.head
  }

  #rowOf(key: string, reel: ReelId, seq: number): Row | null {
    const all = this.#changes.get(reel) ?? []
    const own = all.filter((change) => change.seq <= seq && rowKeyOf(change) === key)
    return own.reduce<Row | null>(evolve, null)
  }
}
