import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { at, canonical, isObject, type Json, type JsonObject } from './canonical.ts'
import type { Moment } from './moment.ts'

/** Whether a passkey shows that a person made an act. */
export type PasskeyResult =
  /** it is not an act of a person, it called nothing, or the person had no passkey */
  | { readonly kind: 'none' }
  | { readonly kind: 'signed'; readonly by: string; readonly at: number }
  /** the person had a passkey, and did not use it */
  | { readonly kind: 'unsigned'; readonly by: string }
  /**
   * the fact that shows the passkey was erased, or is missing. An act without a signature may be of a person
   * without a passkey
   */
  | { readonly kind: 'unknown'; readonly by: string; readonly why: string; readonly isSigned: boolean }
  | { readonly kind: 'wrong'; readonly by: string; readonly why: string }

type PersonMoment = Pick<Moment, 'record' | 'open' | 'decision' | 'salt'>

/**
 * Who acts when a person does: the driver of the being, or the person itself. Null for a moment that no
 * person's act opened.
 */
export function signerOf(open: Json, being: string): string | null {
  if (at(open, 'wake', 'kind') !== 'act') return null
  const driver = at(open, 'driver') ?? null
  return typeof driver === 'string' ? driver : being
}

const base64url = (text: Json | undefined): Buffer | null => {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'base64url') : null
  return bytes !== null && bytes.toString('base64url') === text ? bytes : null
}
const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()

/**
 * What a passkey signs for an act, as its challenge. The handle of an overlay is not signed: it is made
 * afterwards.
 */
export function challengeOf(
  reality: string,
  { record, open, salt }: Omit<PersonMoment, 'decision'>,
  { call, at: signedAt }: { readonly call: JsonObject; readonly at: Json },
): string {
  const { overlay: _, ...said } = call
  const being = String(record.being)
  const nonce = String(at(open, 'wake', 'id')).replace(/^act\//, '')
  const asked = {
    treeos: 'act.v1',
    ...{ reality, being, call: said, nonce, salt },
    signer: signerOf(open, being),
    answers: at(open, 'answers') ?? null,
    at: signedAt,
  }
  return sha256(canonical(asked)).toString('base64url')
}

/**
 * Checks who made the act of a person.
 * @param keys the passkeys that its signer had, by their ids; null where they are not known
 */
export function signingOf(reality: string, act: PersonMoment, keys: Json): PasskeyResult {
  const { record, open, decision } = act
  const being = String(record.being)
  const signed = at(open, 'signed')
  const by = signerOf(open, being)
  if (by === null)
    return signed === undefined
      ? { kind: 'none' }
      : { kind: 'wrong', by: being, why: 'no act of a person opened it, and it has the signature of one' }
  const isCall = decision === null ? record.decision !== null : at(decision, 'kind') === 'call'
  if (!isCall) return { kind: 'none' }
  const isSigned = signed !== undefined
  if (!isObject(keys)) return { kind: 'unknown', by, why: 'its passkeys are not here', isSigned }
  if (!isSigned) return Object.keys(keys).length > 0 ? { kind: 'unsigned', by } : { kind: 'none' }
  if (decision === null) return { kind: 'unknown', by, why: 'what it signed was erased', isSigned }
  const wrong = (why: string): PasskeyResult => ({ kind: 'wrong', by, why })
  const call = at(decision, 'call')
  const [id, signedAt] = [at(signed, 'key'), at(signed, 'at')]
  const key = typeof id === 'string' ? at(keys, id) : undefined
  if (key === undefined) return wrong('it had no such passkey')
  if (!isObject(call) || typeof signedAt !== 'number') return wrong('it signed no call')
  const why = signatureFault(signed, key, challengeOf(reality, act, { call, at: signedAt }))
  return why === null ? { kind: 'signed', by, at: signedAt } : wrong(why)
}

const [PRESENT, VERIFIED, FLAGS_AT, AUTHENTICATOR_BYTES_MIN] = [1, 4, 32, 37]

/**
 * Checks the assertion of a passkey: WebAuthn, 7.2, as far as it needs no server.
 * @returns null where it holds
 */
function signatureFault(signed: Json, key: Json, challenge: string): string | null {
  const [data, client, signature] = ['authenticatorData', 'clientDataJSON', 'signature'].map((field) =>
    base64url(at(signed, field)),
  )
  if (!data || !client || !signature || data.length < AUTHENTICATOR_BYTES_MIN)
    return 'its signature has another form'
  const said = parsedClientData(client)
  if (at(said, 'type') !== 'webauthn.get' || at(said, 'challenge') !== challenge)
    return 'its passkey signed something else'
  const site = at(key, 'site')
  const isOfSite = typeof site === 'string' && data.subarray(0, FLAGS_AT).equals(sha256(site))
  const flags = data[FLAGS_AT] ?? 0
  if (!isOfSite || (flags & PRESENT) === 0 || (flags & VERIFIED) === 0)
    return 'its passkey signed at another site, or without a check of its person'
  return isSigned(at(key, 'publicKey') ?? null, Buffer.concat([data, sha256(client)]), signature)
    ? null
    : 'its signature is not by its passkey'
}

function parsedClientData(bytes: Buffer): Json {
  try {
    return JSON.parse(bytes.toString('utf8')) as Json
  } catch {
    return null
  }
}

/** By kind of key and curve: what is hashed before it is signed. */
const HASHES: Readonly<Record<string, string | null>> = { 'EC P-256': 'sha256', 'OKP Ed25519': null }

/** @param jwk of a key on P-256 or of ed25519 */
function isSigned(jwk: Json, data: Buffer, signature: Buffer): boolean {
  const hash = HASHES[`${at(jwk, 'kty')} ${at(jwk, 'crv')}`]
  const parts = hash === null ? ['x'] : ['x', 'y']
  if (hash === undefined || !parts.every((part) => base64url(at(jwk, part))?.length === 32)) return false
  try {
    return verify(
      hash,
      data,
      createPublicKey({ key: jwk as unknown as JsonWebKey, format: 'jwk' }),
      signature,
    )
  } catch {
    return false
  }
}
