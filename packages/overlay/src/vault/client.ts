import { createHmac, hkdfSync } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isErrorCode, type MomentId, TreeosError } from '@treeos/core'
import { MARK_BYTES, vaultOf } from '../shape/handle.ts'
import type { Overlay } from '../shape/overlay.ts'
import { VaultAwayError } from '../shape/vault-away-error.ts'
import type { MutualTls } from './listener.ts'
import { answerAbout, askAbout, type VaultQuestion } from './message.ts'
import { seal, unseal } from './seal.ts'
import type { HandedOn, KeptOverlay, Purpose, TakenOverlay, Taker } from './vault.ts'

/** Of the JSON of the overlays in one message; a vault takes messages of 64 KiB. */
export const HANDED_ON_BYTES_MAX = 60 * 1024

const ANSWER_MS_MAX = 3000
const ANSWER_BYTES_MAX = 64 * 1024

/** @throws {TreeosError} the refusal of the vault */
function unrefused(answer: unknown): unknown {
  const { refused } = (answer ?? {}) as { refused?: { code: string; message: string } }
  if (refused === undefined) return answer
  throw new TreeosError(isErrorCode(refused.code) ? refused.code : 'INTERNAL', refused.message)
}

/** Asks the vaults of other processes. */
export class VaultClient {
  readonly #key: Uint8Array
  readonly #tls: MutualTls | undefined

  constructor(key: Uint8Array, tls?: MutualTls) {
    this.#key = key
    this.#tls = tls
  }

  /**
   * @param request names the request that brings the overlay: handles of one request and text have one mark
   * @throws {TreeosError} of the vault, such as RATE_LIMITED @throws {VaultAwayError}
   */
  async put(
    at: { readonly id: string; readonly url: string },
    purpose: Purpose,
    kept: KeptOverlay,
    request?: string,
  ): Promise<string> {
    const mark = request === undefined ? {} : { mark: this.#markFor(request, kept.overlay) }
    const answer = await this.#ask(at, { ask: 'put', ...purpose, ...kept, ...mark })
    const { handle } = unrefused(answer) as { handle?: string }
    if (handle === undefined) throw new TreeosError('INTERNAL', 'the vault gave no handle')
    return handle
  }

  /**
   * Hands overlays on to a vault. They must fit into one message, see `HANDED_ON_BYTES_MAX`.
   * @throws {TreeosError} RATE_LIMITED when it has no room for them, and then it took none @throws
   *   {VaultAwayError}
   */
  async handOn(
    at: { readonly id: string; readonly url: string },
    handed: readonly HandedOn[],
  ): Promise<void> {
    unrefused(await this.#ask(at, { ask: 'take-over', handed }))
  }

  /** @throws {VaultAwayError} */
  async take(url: string, handle: string, taker: Taker): Promise<TakenOverlay> {
    return (await this.#ask({ id: vaultOf(handle), url }, { ask: 'take', handle, ...taker })) as TakenOverlay
  }

  /** @throws {VaultAwayError} */
  async drop(url: string, handle: string, moment: MomentId | null): Promise<void> {
    await this.#ask({ id: vaultOf(handle), url }, { ask: 'drop', handle, moment })
  }

  /**
   * 32 bytes that follow from the key of the instance, a name and a salt: whoever has key and salt makes them
   * again, so they are stored nowhere.
   */
  secretFor(name: string, salt: Uint8Array): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#key, salt, `treeos.secret.v1 ${name}`, 32))
  }

  /** Under the key of the instance, so nobody without it can guess a short text from the mark. */
  #markFor(request: string, overlay: Overlay): string {
    const hex = createHmac('sha256', this.#key)
      .update(JSON.stringify(['treeos.overlay.mark.v1', request, overlay]), 'utf8')
      .digest('hex')
    return hex.slice(0, 2 * MARK_BYTES)
  }

  async #ask({ id, url }: { id: string; url: string }, question: VaultQuestion): Promise<unknown> {
    const message = seal(this.#key, askAbout(id), question)
    const { status, body } = await this.#post(url, message)
    if (status === 403) throw new VaultAwayError('another program listens there', true)
    if (status !== 200) throw new VaultAwayError(`status ${status}`, false)
    try {
      return unseal(this.#key, answerAbout(id, message), body)
    } catch {
      throw new VaultAwayError('another program listens there', true)
    }
  }

  #post(url: string, message: Buffer): Promise<{ status: number; body: Buffer }> {
    const away = (error: NodeJS.ErrnoException) =>
      new VaultAwayError(error.code ?? 'no answer', error.code === 'ECONNREFUSED')
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', timeout: ANSWER_MS_MAX, agent: false as const }
      const sent = url.startsWith('https:')
        ? httpsRequest(url, { ...options, ...this.#tls, checkServerIdentity: () => undefined }) // the authority is ours alone
        : httpRequest(url, options)
      sent.on('timeout', () => sent.destroy())
      sent.on('error', (error) => reject(away(error)))
      sent.on('response', (answer) => {
        const parts: Buffer[] = []
        let bytes = 0
        answer.on('data', (part: Buffer) => {
          bytes += part.length
          if (bytes > ANSWER_BYTES_MAX) sent.destroy()
          else parts.push(part)
        })
        answer.on('error', (error) => reject(away(error)))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(parts) }))
      })
      sent.end(message)
    })
  }
}
