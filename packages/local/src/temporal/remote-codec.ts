import type { DataConverter } from '@temporalio/client'
import { LocalError, messageOf } from '../machine/error.ts'

type PayloadCodec = NonNullable<DataConverter['payloadCodecs']>[number]
type Payloads = Parameters<PayloadCodec['encode']>[0]

/** A workflow task waits for it, for 10 s at most. */
const ANSWER_MS_MAX = 5_000
/** What codec servers answer for a payload that they cannot decode. Other errors say nothing of the payload. */
const REFUSES_PAYLOAD = [400, 422, 500]

export interface CodecServer {
  /** base URL; `{namespace}` in it stands for the namespace */
  readonly endpoint: string
  /** value of the header Authorization; null: none is sent */
  readonly auth: string | null
  readonly namespace: string
}

/**
 * Asks a codec server to encode and decode payloads, by the protocol that Temporal's UI and its command line
 * use: POST `/encode` and `/decode`, with payloads as JSON.
 */
export class RemoteCodec implements PayloadCodec {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>

  constructor({ endpoint, auth, namespace }: CodecServer) {
    this.#base = endpoint.replaceAll('{namespace}', encodeURIComponent(namespace)).replace(/\/+$/, '')
    this.#headers = {
      'content-type': 'application/json',
      'x-namespace': namespace,
      ...(auth === null ? {} : { authorization: auth }),
    }
  }

  encode(payloads: Payloads): Promise<Payloads> {
    return this.#ask('encode', payloads)
  }

  decode(payloads: Payloads): Promise<Payloads> {
    return this.#ask('decode', payloads)
  }

  async #ask(what: 'encode' | 'decode', payloads: Payloads): Promise<Payloads> {
    if (payloads.length === 0) return payloads
    const url = `${this.#base}/${what}`
    const answer = await this.#post(url, JSON.stringify({ payloads: payloads.map(toWire) })).catch(
      (error: unknown) => {
        throw new LocalError(`the codec server does not answer at ${url}: ${messageOf(error)}`, {
          cause: error,
        })
      },
    )
    if (answer.status !== 200)
      throw new LocalError(
        `the codec server answered ${answer.status} at ${url}: ${answer.text.slice(0, 200)}`,
        REFUSES_PAYLOAD.includes(answer.status) ? { code: 'INVALID_INPUT' } : {},
      )
    const answered = payloadsIn(answer.text)
    if (answered?.length !== payloads.length)
      throw new LocalError(`the codec server answered at ${url} with other than ${payloads.length} payloads`)
    return answered
  }

  async #post(url: string, body: string): Promise<{ status: number; text: string }> {
    const { egressFetch } = await import('@treeos/egress') // most instances have no codec server
    const response = await egressFetch(url, {
      method: 'POST',
      headers: this.#headers,
      body,
      redirect: 'error', // the credential is for this server
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
    return { status: response.status, text: await response.text() }
  }
}

/** A payload in the JSON form of protobuf. */
interface WirePayload {
  readonly metadata?: Readonly<Record<string, string>> | null
  readonly data?: string | null
}

const toWire = ({ metadata, data }: Payloads[number]): WirePayload => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
})

const fromWire = ({ metadata, data }: WirePayload): Payloads[number] => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
  ),
  data: Buffer.from(data ?? '', 'base64'),
})

/** @returns null for an answer that holds no payloads */
function payloadsIn(text: string): Payloads | null {
  try {
    const { payloads } = JSON.parse(text) as { payloads?: readonly WirePayload[] }
    return payloads?.map(fromWire) ?? null
  } catch {
    return null
  }
}
