import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Signatures by the rules of https://www.standardwebhooks.com, for webhooks that come and for those that go.
 */

/** A secret as its owners write it down. */
export const shownSecret = (secret: Buffer): string => `whsec_${secret.toString('base64')}`

/** A message that is older or younger is refused: its signature may have been overheard. */
const SKEW_SECONDS_MAX = 300
/** A dot ends the id in the signed text. */
const ID = /^[^.\s]{1,128}$/
const SIGNATURES_MAX = 10

export interface SignedHeaders {
  readonly 'webhook-id': string
  /** seconds since 1970 UTC */
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

/** Of the bytes as they are sent: a body that was decoded and encoded again may be another one. */
const signatureOf = (secret: Buffer, id: string, timestamp: string, body: string | Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${id}.${timestamp}.`, 'utf8').update(body).digest()

/** @param id names the message: the same each time it is sent @param at ms since 1970 UTC */
export function signedHeaders(
  secret: Buffer,
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
): SignedHeaders {
  const timestamp = String(Math.floor(at / 1000))
  const signature = signatureOf(secret, id, timestamp, body).toString('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

/** The id of a message that its sender signed lately; null for any other. @param now ms since 1970 UTC */
export function signedId(
  secret: Buffer,
  header: (name: keyof SignedHeaders) => string | undefined,
  { body, now }: { readonly body: Uint8Array; readonly now: number },
): string | null {
  const [id, timestamp, signatures] = [
    header('webhook-id') ?? '',
    header('webhook-timestamp') ?? '',
    header('webhook-signature') ?? '',
  ]
  if (!ID.test(id) || !/^\d{1,12}$/.test(timestamp)) return null
  if (Math.abs(now / 1000 - Number(timestamp)) > SKEW_SECONDS_MAX) return null
  const right = signatureOf(secret, id, timestamp, body)
  const given = signatures.split(' ').slice(0, SIGNATURES_MAX)
  return given.some((one) => isSignature(one, right)) ? id : null
}

function isSignature(text: string, right: Buffer): boolean {
  const [version, value = ''] = text.split(',')
  const given = Buffer.from(value, 'base64')
  return version === 'v1' && given.length === right.length && timingSafeEqual(given, right)
}
