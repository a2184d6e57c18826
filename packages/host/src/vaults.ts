import { setTimeout as sleep } from 'node:timers/promises'
import type { OverlayAccess } from '@treeos/activities'
import { RecurringWork } from '@treeos/client'
import type { MomentId } from '@treeos/core'
import { newSalt, type OverlayMode, saltFrom, VaultAwayError, vaultOf } from '@treeos/overlay'
import {
  type Listener,
  type ListenOptions,
  listen,
  type TakenOverlay,
  type Taker,
  Vault,
  VaultClient,
} from '@treeos/overlay/vault'
import { announceVault, findVault, forgetVault, type StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import { handOn } from './hand-on.ts'

/** A third of the time after which a silent vault counts as dead. */
const ANNOUNCE_EVERY_MS = 5000
/** A vault whose worker lives and does not answer is asked for this long. */
const PATIENCE_MS = 15_000
const ASK_AGAIN_MS = 300
/** A program that listens again at once has another vault, so two refusals mean that this one is gone. */
const REFUSALS_MAX = 2

export interface VaultsOptions {
  readonly db: Kysely<StoreDb>
  /** null: this worker keeps no overlays and reaches none */
  readonly vault: ListenOptions | null
  readonly mode: OverlayMode
  readonly onError: (where: string, error: unknown) => void
}

/** The vault of this worker, and the way to those of the others. */
export class Vaults implements OverlayAccess {
  readonly mode: OverlayMode
  readonly #db: Kysely<StoreDb>
  readonly #options: ListenOptions | null
  readonly #onError: VaultsOptions['onError']
  readonly #vault = new Vault()
  readonly #caller: VaultClient | null
  readonly #saltKey: Uint8Array
  #listener: Listener | null = null
  #announcing: RecurringWork | null = null

  constructor({ db, vault, mode, onError }: VaultsOptions) {
    this.mode = mode
    this.#db = db
    this.#options = vault
    this.#onError = onError
    this.#caller = vault === null ? null : new VaultClient(vault.key, vault.tls)
    this.#saltKey = vault?.key ?? Buffer.from(newSalt(), 'hex')
  }

  /** Resolves once clients find this vault. */
  async start(): Promise<void> {
    if (this.#options === null) return
    const { url } = await listen(this.#vault, this.#options).then((listener) => {
      this.#listener = listener
      return listener
    })
    const announce = async () => {
      for (const id of this.#vault.names) await announceVault(this.#db, { id, url })
    }
    await announce()
    this.#announcing = new RecurringWork(ANNOUNCE_EVERY_MS, announce, (error) =>
      this.#onError('vault', error),
    )
    this.#announcing.start()
  }

  async take(handle: string, taker: Taker): Promise<TakenOverlay> {
    const id = vaultOf(handle)
    if (this.#vault.serves(id)) return this.#vault.take(handle, taker)
    if (this.#caller === null) return { status: 'lost' }
    const late = performance.now() + PATIENCE_MS
    for (let refusals = 0; ; await sleep(ASK_AGAIN_MS)) {
      const at = await findVault(this.#db, id)
      if (at === null) return { status: 'lost' }
      try {
        return await this.#caller.take(at.url, handle, taker)
      } catch (error) {
        if (!(error instanceof VaultAwayError)) throw error
        if (error.isGone) refusals += 1
        if (refusals >= REFUSALS_MAX || !at.lives || performance.now() > late) return { status: 'lost' }
      }
    }
  }

  drop(handle: string, moment: MomentId): void {
    if (this.#vault.serves(vaultOf(handle))) this.#vault.drop(handle, moment)
    else
      this.#dropElsewhere(handle, moment).catch((error) => {
        if (!(error instanceof VaultAwayError)) this.#onError('vault', error)
      })
  }

  async #dropElsewhere(handle: string, moment: MomentId): Promise<void> {
    const at = await findVault(this.#db, vaultOf(handle))
    if (at !== null) await this.#caller?.drop(at.url, handle, moment)
  }

  saltFor(moment: MomentId): string {
    return saltFrom(this.#saltKey, moment)
  }

  /**
   * Hands on what it holds to another worker, if there is one. Call it when no moment is lived here any more.
   */
  async close(): Promise<void> {
    await this.#announcing?.close()
    if (this.#listener !== null) {
      this.#listener.pause()
      await this.#leave(this.#listener.url).catch((error) => this.#onError('vault', error))
      await this.#listener.close()
    }
    this.#vault.clear()
  }

  async #leave(url: string): Promise<void> {
    const at = { db: this.#db, caller: this.#caller, url }
    const onError = (error: unknown) => this.#onError('vault', error)
    if (at.caller !== null && (await handOn(this.#vault, { ...at, caller: at.caller }, onError))) return
    for (const id of this.#vault.names) await forgetVault(this.#db, id)
  }
}
