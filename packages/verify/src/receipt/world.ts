import { isOfState, States } from '../bundle/states.ts'
import { at, isArray, isObject, type Json, type JsonObject } from '../canonical.ts'
import { factHash, genesisHash, isHash, saltedHash } from '../hash.ts'
import { isHeaderOf } from '../header.ts'
import { MissingReel } from '../missing-reel.ts'
import { momentlessKind } from '../momentless.ts'
import { Origins } from '../origin.ts'
import { setPath } from '../set-path.ts'

/** A fact of a witness: its header, and salt and payload where the state that the gates read depends on them. */
export type Link = readonly [header: Json, salt: Json, payload: Json]

/** A reel as far as a witness shows it. */
interface Shown {
  /** number and hash of its last fact */
  readonly head: readonly [seq: number, hash: string]
  /** by number, of the facts that are shown and of the last one in each gap; that of 0 is the genesis hash */
  readonly hashes: ReadonlyMap<number, string>
  /** before each gap: the number and the hash of the last fact that is shown */
  readonly cuts: readonly (readonly [seq: number, hash: string, to: number])[]
}

/** What the gates read of a being, a space or a thing. */
export interface State {
  readonly name: string
  readonly parent: string | null
  readonly home: string
  /** where it is; of a thing its place, which may be a stance */
  readonly space: string
  readonly defaultRole: Json
  readonly isPerson: boolean
  readonly isEnded: boolean
  readonly ceiling: Json
  readonly owner: string | null
  readonly contributors: readonly Json[]
  readonly permissions: Json
  /** rules that are tried there */
  readonly shadow: Json
  /** null: the witness does not name all of them */
  readonly children: readonly string[] | null
}

const NONE: State = {
  name: '',
  parent: null,
  home: '/',
  space: '/',
  defaultRole: null,
  isPerson: false,
  isEnded: false,
  ceiling: null,
  owner: null,
  contributors: [],
  permissions: {},
  shadow: {},
  children: [],
}
const text = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null)

/** Names a child. It is shown only where a role reaches for the children of its being: others have no part in it. */
export const BORE = 'being:bore'

/** How a fact changes that state. Other kinds change nothing of it, so their payloads may be left out. */
const CHANGES: Readonly<Record<string, (state: State, payload: JsonObject) => State>> = {
  'being:born': (_, said) => ({
    ...NONE,
    name: String(said.name),
    parent: text(said.parent),
    home: String(said.home),
    space: String(said.home),
    defaultRole: said.defaultRole ?? null,
    isPerson: at(said.cognition, 'kind') === 'human',
    ceiling: said.ceiling ?? null,
  }),
  'being:ended': (state) => ({ ...state, isEnded: true }),
  'being:moved': (state, { to }) => ({ ...state, space: String(to) }),
  'being:bounded': (state, { ceiling }) => ({ ...state, ceiling: ceiling ?? null }),
  'being:bore': (state, { being }) => ({
    ...state,
    children: state.children === null ? null : [...state.children, String(being)].sort(),
  }),
  'space:created': (_, said) => ({
    ...NONE,
    name: String(said.path),
    owner: text(said.owner),
    permissions: at(said.qualities, 'permissions') ?? {},
    shadow: at(said.qualities, 'shadow') ?? {},
  }),
  'space:contributor-added': (state, { being }) => ({
    ...state,
    contributors: [...state.contributors, being ?? null],
  }),
  'space:contributor-removed': (state, { being }) => ({
    ...state,
    contributors: state.contributors.filter((one) => one !== being),
  }),
  'quality:set': (state, { path, value, merge }) => {
    const { permissions, shadow } = state
    const keys = isArray(path) ? path.map(String) : []
    const rules = setPath({ permissions, shadow }, keys, value ?? null, merge !== false)
    return { ...state, permissions: at(rules, 'permissions') ?? {}, shadow: at(rules, 'shadow') ?? {} }
  },
  'matter:created': (_, said) => ({
    ...NONE,
    name: String(said.id),
    owner: text(said.owner),
    space: String(said.place),
  }),
  'matter:moved': (state, { to }) => ({ ...state, space: String(to) }),
}

/** After a child that is not named. */
const unnamed = (state: State | null): State | null => (state === null ? null : { ...state, children: null })

/** Reels of calls that wait for a yes, and of acts that rules count. */
const OF_TOLD = /^(approval|tally):/
/** Facts there whose contents count; those of the others are their kinds alone. */
const TOLD = ['approval:asked', 'approval:given', 'tally:counted']

/** Whether the state that the gates read depends on the payload of a fact. A quality counts where rules stand: in spaces. */
export const isRead = (reel: string, kind: string): boolean =>
  (TOLD.includes(kind) && OF_TOLD.test(reel)) ||
  (Object.hasOwn(CHANGES, kind) && (kind !== 'quality:set' || reel.startsWith('space:')))

function requirePayload(
  header: Json,
  salt: Json,
  payload: Json,
  wrong: (what: string) => Error,
): payload is JsonObject {
  if (!isHash(salt) || !isObject(payload)) throw wrong('counts, and its payload is not there')
  if (saltedHash(salt, payload) !== at(header, 'payloadHash')) throw wrong('has another payload')
  return true
}

/** The world at the heads up to which a witness holds its reels. */
export class World {
  readonly #states = new Map<string, State | null>()
  readonly shown = new Map<string, Shown>()
  /** facts of calls that wait for a yes, and of acts that are counted, by reel */
  readonly #told = new Map<string, { readonly header: Json; readonly payload: JsonObject | null }[]>()
  /** what flows read, as far as it is shown */
  readonly states = new States()
  readonly origins = new Origins()
  /** by reel, how many facts of which flows read something are there without their payloads */
  readonly withheld = new Map<string, number>()

  /** @throws {Error} for a reel whose facts do not follow one another, or that lacks a payload that counts */
  constructor(reality: string, reels: JsonObject) {
    for (const [reel, links] of Object.entries(reels)) {
      let state: State | null = null
      let [seq, hash] = [0, genesisHash(reality, reel)]
      const hashes = new Map([[seq, hash]])
      const cuts: [number, string, number][] = []
      for (const link of isArray(links) ? links : [null]) {
        const wrong = (what: string) => new Error(`fact ${seq} of ${reel} ${what}`)
        if (isObject(link)) {
          const { to, hash: last } = link // stands for facts that are left out, up to that number
          const isGap = Number.isSafeInteger(to) && Number(to) > seq && seq > 0 && isHash(last)
          if (!isGap) throw wrong('stands before a gap that has no end')
          cuts.push([seq, hash, Number(to)])
          ;[seq, hash] = [Number(to), String(last)]
          hashes.set(seq, hash)
          continue
        }
        if (!isArray(link) || link.length !== 3) throw wrong('is no [header, salt, payload]')
        const [header, salt, payload] = link as Link
        seq += 1
        if (!isHeaderOf(header, reel, seq)) throw wrong('is of another place, or has another header')
        hash = factHash(hash, header)
        hashes.set(seq, hash)
        const kind = String(at(header, 'kind'))
        const isPlanted = at(header, 'moment') === null && momentlessKind(header, payload) === null
        if (isPlanted) throw wrong('was written by no moment, and TreeOS writes none such without one')
        this.origins.take(reel, seq, header, payload)
        if (OF_TOLD.test(reel)) {
          const isShown = isRead(reel, kind) && requirePayload(header, salt, payload, wrong)
          if (!isShown && (salt !== null || payload !== null))
            throw wrong('brings a payload that nothing is derived from')
          this.#told.set(reel, [
            ...(this.#told.get(reel) ?? []),
            { header, payload: isShown ? payload : null },
          ])
          continue
        }
        if (!isRead(reel, kind)) {
          if (!isOfState(kind)) {
            if (salt !== null || payload !== null)
              throw wrong('brings a payload that nothing is derived from')
          } else if (salt === null && payload === null)
            this.withheld.set(reel, (this.withheld.get(reel) ?? 0) + 1)
          else {
            requirePayload(header, salt, payload, wrong)
            this.states.take(reel, seq, header, payload)
          }
          continue
        }
        if (kind === BORE && salt === null && payload === null) {
          state = unnamed(state)
          continue
        }
        if (!requirePayload(header, salt, payload, wrong)) continue
        this.states.take(reel, seq, header, payload)
        if (state !== null || /:(born|created)$/.test(kind))
          state = CHANGES[kind]?.(state ?? NONE, payload) ?? null
      }
      this.shown.set(reel, { head: [seq, hash], hashes, cuts })
      this.#states.set(reel, state)
    }
  }

  /** @throws {MissingReel} */
  state(reel: string): State | null {
    const state = this.#states.get(reel)
    if (state === undefined) throw new MissingReel(reel)
    return state
  }

  /** The facts of a call that waited for a yes, or of acts that are counted, in order. @throws {MissingReel} */
  told(reel: string): readonly { readonly header: Json; readonly payload: JsonObject | null }[] {
    this.state(reel)
    return this.#told.get(reel) ?? []
  }

  being = (name: string): State | null => this.state(`being:${name}`)
  space = (path: string): State | null => this.state(`space:${path}`)

  /** Makers of a being, the nearest first. */
  lineage(name: string): State[] {
    const makers: State[] = []
    for (let one = this.being(name); one !== null && one.parent !== null && makers.length < 64; ) {
      one = this.being(one.parent)
      if (one !== null) makers.push(one)
    }
    return makers
  }

  isAncestor = (elder: string, being: string): boolean =>
    this.lineage(being).some(({ name }) => name === elder)
  isOrMade = (elder: string, being: string): boolean => elder === being || this.isAncestor(elder, being)
}
