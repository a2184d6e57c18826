import { randomBytes } from 'node:crypto'
import { type MomentId, TreeosError, utf8Length } from '@treeos/core'
import { MARK_BYTES, SECRET_BYTES, vaultOf } from '../shape/handle.ts'
import { type Overlay, parseOverlay } from '../shape/overlay.ts'

/** What a vault keeps an overlay for: one call, or all moments of a thread. */
export type OverlayUse = 'call' | 'thread'

/**
 * Whose call it is for, by the being that makes it; or which thread, by its id. Who knows the handle alone
 * gets nothing.
 */
export interface Purpose {
  readonly use: OverlayUse
  readonly of: string
}

/** The text and its salt. Both exist in memory only. */
export interface KeptOverlay {
  readonly overlay: Overlay
  readonly salt: string
}

/** Who asks for an overlay, and for what. */
export interface Taker extends Purpose {
  readonly moment: MomentId
  /** the moment whose look this one goes on from; null when it goes on from none */
  readonly after: MomentId | null
}

/**
 * `used`: another moment took it before; `foreign`: it is for the call of another being, or for another
 * thread; `lost`: the vault does not have it, or not any more.
 */
export type TakenOverlay =
  | (KeptOverlay & { readonly status: 'given' })
  | { readonly status: 'used' | 'foreign' | 'lost' }

/** An overlay as one vault hands it on to another, which then serves its handle. */
export interface HandedOn extends KeptOverlay, Purpose {
  readonly handle: string
  readonly boundTo: MomentId | null
  readonly msLeft: number
}

const VAULT_LIMITS = {
  /** a summon may wait this long in an inbox */
  callSeconds: 3600,
  /** after its last use */
  threadSeconds: 24 * 3600,
  entriesMax: 20_000,
  /** of all texts */
  bytesMax: 32 * 1024 * 1024,
} as const

interface Entry extends KeptOverlay, Purpose {
  readonly bytes: number
  expires: number
  /** the moment that took it */
  boundTo: MomentId | null
}

const ID_BYTES = 12
const MARK = /^[0-9a-f]{32}$/

/**
 * Overlays in the memory of one worker. A call's overlay is for one moment: the first that takes it. That
 * moment may take it again until it is over, since an attempt of it may be repeated; a look of it hands it on
 * to the moment that shows what was seen, which belongs to the same call. No other moment gets it.
 */
export class Vault {
  readonly id = randomBytes(ID_BYTES).toString('base64url')
  readonly #entries = new Map<string, Entry>()
  /** how many overlays it holds of each vault that handed its own on to this one */
  readonly #takenOver = new Map<string, number>()
  readonly #limits: Readonly<Record<keyof typeof VAULT_LIMITS, number>>
  readonly #now: () => number
  #bytes = 0

  /** @param now in ms, and never goes back */
  constructor(
    limits: Partial<Record<keyof typeof VAULT_LIMITS, number>> = {},
    now = () => performance.now(),
  ) {
    this.#limits = { ...VAULT_LIMITS, ...limits }
    this.#now = now
  }

  get size(): number {
    this.#forgetExpired()
    return this.#entries.size
  }

  /** The vaults whose handles it serves: itself, and those that handed their overlays on to it. */
  get names(): readonly string[] {
    return [this.id, ...this.#takenOver.keys()]
  }

  serves(id: string): boolean {
    return id === this.id || this.#takenOver.has(id)
  }

  /**
   * @param mark ends the handle, so that two handles tell whether they are of one request with one text: 16
   *   bytes in hex
   * @returns a new handle; it says nothing of the text
   * @throws {TreeosError} INVALID_INPUT or PAYLOAD_TOO_LARGE for no overlay, RATE_LIMITED when the vault is
   *   full
   */
  put({ use, of }: Purpose, { overlay, salt }: KeptOverlay, mark?: string): string {
    if (mark !== undefined && !MARK.test(mark))
      throw new TreeosError('INVALID_INPUT', `a mark is ${MARK_BYTES} bytes in hex`)
    const kept = parseOverlay(overlay)
    if (!/^[0-9a-f]{64}$/.test(salt)) throw new TreeosError('INVALID_INPUT', 'a salt is 32 bytes in hex')
    if (typeof of !== 'string' || of === '')
      throw new TreeosError('INVALID_INPUT', `an overlay of a ${use} says which ${use} it is for`)
    const bytes = utf8Length(kept.content)
    this.#requireRoom(1, bytes)
    const secret = randomBytes(SECRET_BYTES)
    if (mark !== undefined) secret.write(mark, SECRET_BYTES - MARK_BYTES, 'hex')
    const handle = `${this.id}.${secret.toString('base64url')}`
    const expires = this.#now() + this.#lifeOf(use)
    this.#entries.set(handle, { overlay: kept, salt, use, of, bytes, expires, boundTo: null })
    this.#bytes += bytes
    return handle
  }

  take(handle: string, { moment, after, ...purpose }: Taker): TakenOverlay {
    const entry = this.#find(handle)
    if (entry === null) return { status: 'lost' }
    const { overlay, salt, use, of, boundTo } = entry
    if (use !== purpose.use || of !== purpose.of) return { status: 'foreign' }
    if (use === 'thread') entry.expires = this.#now() + this.#lifeOf(use)
    else if (boundTo === null || boundTo === moment || boundTo === after) entry.boundTo = moment
    else return { status: 'used' }
    return { status: 'given', overlay, salt }
  }

  /**
   * Forgets the overlay of a call.
   * @param moment the moment that is over; null takes back one that no moment has taken
   */
  drop(handle: string, moment: MomentId | null): void {
    const entry = this.#find(handle)
    if (entry !== null && entry.boundTo === moment) this.#forget(handle, entry)
  }

  /** All that it holds, for the vault of another worker. */
  handOn(): HandedOn[] {
    this.#forgetExpired()
    const now = this.#now()
    return [...this.#entries].map(([handle, { bytes: _, expires, ...kept }]) => ({
      ...kept,
      handle,
      msLeft: expires - now,
    }))
  }

  /**
   * Takes over overlays of another vault, all or none: their handles, uses and times stay as they were.
   * @throws {TreeosError} RATE_LIMITED when there is no room for all
   */
  takeOver(handed: readonly HandedOn[]): void {
    const taken = handed.filter(({ handle }) => !this.#entries.has(handle))
    const sizes = taken.map(({ overlay }) => utf8Length(parseOverlay(overlay).content))
    this.#requireRoom(
      taken.length,
      sizes.reduce((sum, bytes) => sum + bytes, 0),
    )
    for (const [i, { handle, msLeft, ...kept }] of taken.entries()) {
      const bytes = sizes[i] ?? 0
      const expires = this.#now() + Math.min(msLeft, this.#lifeOf(kept.use))
      const of = vaultOf(handle)
      this.#entries.set(handle, { ...kept, bytes, expires })
      this.#bytes += bytes
      if (of !== this.id) this.#takenOver.set(of, (this.#takenOver.get(of) ?? 0) + 1)
    }
  }

  clear(): void {
    this.#entries.clear()
    this.#takenOver.clear()
    this.#bytes = 0
  }

  /** @throws {TreeosError} RATE_LIMITED */
  #requireRoom(entries: number, bytes: number): void {
    this.#forgetExpired()
    const { entriesMax, bytesMax } = this.#limits
    if (this.#entries.size + entries <= entriesMax && this.#bytes + bytes <= bytesMax) return
    throw new TreeosError(
      'RATE_LIMITED',
      `the vault is full: it holds ${this.#entries.size} overlays with ${this.#bytes} bytes, at most ${entriesMax} with ${bytesMax} bytes; try again when earlier calls are over`,
    )
  }

  #lifeOf(use: OverlayUse): number {
    return 1000 * (use === 'call' ? this.#limits.callSeconds : this.#limits.threadSeconds)
  }

  #find(handle: string): Entry | null {
    const entry = this.#entries.get(handle)
    if (entry === undefined) return null
    if (entry.expires > this.#now()) return entry
    this.#forget(handle, entry)
    return null
  }

  #forgetExpired(): void {
    const now = this.#now()
    for (const [handle, entry] of this.#entries) if (entry.expires <= now) this.#forget(handle, entry)
  }

  #forget(handle: string, { bytes }: Entry): void {
    this.#entries.delete(handle)
    this.#bytes -= bytes
    const of = vaultOf(handle)
    const left = (this.#takenOver.get(of) ?? 0) - 1
    if (left > 0) this.#takenOver.set(of, left)
    else this.#takenOver.delete(of)
  }
}
