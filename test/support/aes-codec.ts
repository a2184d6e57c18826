import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Payload, PayloadCodec } from '@temporalio/common'
import proto from '@temporalio/proto'

const { Payload: Wire } = proto.temporal.api.common.v1
const ENCODING = 'binary/encrypted'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Keys by their ids. The last one encrypts, all decrypt. */
export type AesKeys = Map<string, Buffer>

export const newAesKey = (): Buffer => randomBytes(32)

/**
 * Encrypts each payload as a whole by AES-256-GCM, under the newest key, whose id is in its metadata. It is
 * strict: it refuses to read what is in clear, or of a key that it does not have.
 */
export class AesCodec implements PayloadCodec {
  readonly #keys: AesKeys

  constructor(keys: AesKeys) {
    this.#keys = keys
  }

  async encode(payloads: Payload[]): Promise<Payload[]> {
    const [id, key] = [...this.#keys].at(-1)!
    return payloads.map((payload) => {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const text = Buffer.concat([cipher.update(Wire.encode(payload).finish()), cipher.final()])
      return {
        metadata: { encoding: Buffer.from(ENCODING), 'encryption-key-id': Buffer.from(id) },
        data: Buffer.concat([iv, cipher.getAuthTag(), text]),
      }
    })
  }

  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map(({ metadata, data }) => {
      const encoding = Buffer.from(metadata?.encoding ?? []).toString()
      if (encoding !== ENCODING) throw new Error(`a payload in clear: ${encoding || 'no encoding'}`)
      const id = Buffer.from(metadata?.['encryption-key-id'] ?? []).toString()
      const key = this.#keys.get(id)
      if (key === undefined) throw new Error(`no key ${id}`)
      const bytes = Buffer.from(data ?? [])
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES))
      return Wire.decode(Buffer.concat([text, decipher.final()]))
    })
  }
}

/** `id:key` with commas between, the newest last, as TEMPORAL_CODEC_KEYS has them. */
export const writeAesKeys = (keys: AesKeys): string =>
  [...keys].map(([id, key]) => `${id}:${key.toString('base64')}`).join(',')

export const readAesKeys = (text: string): AesKeys =>
  new Map(
    text.split(',').map((one) => {
      const [id = '', key = ''] = one.split(':')
      return [id, Buffer.from(key, 'base64')]
    }),
  )
