import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from './canonical.ts'
import { challengeOf, signingOf } from './passkey.ts'

const SALT = 'ab'.repeat(32)

const SITE = 'tree.example'
const CALL: JsonObject = { verb: 'summon', target: '@ben', content: 'hello', inReplyTo: null }
const opened = (more: JsonObject = {}): JsonObject => ({
  wake: { kind: 'act', id: 'act/3f0c' },
  driver: null,
  answers: null,
  ...more,
})

interface Said {
  readonly type?: string
  readonly challenge?: string
  readonly site?: string
  readonly flags?: number
}

/** The assertion of a key over an act, as an authenticator and a browser make it. */
function assertion(privateKey: KeyObject, challenge: string, said: Said = {}): JsonObject {
  const data = Buffer.alloc(37)
  createHash('sha256')
    .update(said.site ?? SITE)
    .digest()
    .copy(data)
  data[32] = said.flags ?? 5
  const client = Buffer.from(
    JSON.stringify({ type: said.type ?? 'webauthn.get', challenge: said.challenge ?? challenge }),
  )
  const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
  const hash = privateKey.asymmetricKeyType === 'ec' ? 'sha256' : null
  return {
    key: 'laptop',
    at: 17,
    authenticatorData: data.toString('base64url'),
    clientDataJSON: client.toString('base64url'),
    signature: sign(hash, signed, privateKey).toString('base64url'),
  }
}

const KINDS = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
}

describe.each(Object.entries(KINDS))('an act that a passkey of %s signed', (_, made) => {
  const own = made()
  const keys = { laptop: { site: SITE, publicKey: own.publicKey.export({ format: 'jwk' }) as Json } }
  const act = {
    record: { being: 'ann', decision: 'its digest' },
    open: opened(),
    decision: { kind: 'call', call: CALL },
    salt: SALT,
  }
  const challenge = challengeOf('r', act, { call: CALL, at: 17 })
  const signedBy = (signed: Json, more: JsonObject = {}, call: JsonObject = CALL) =>
    signingOf('r', { ...act, open: opened({ signed, ...more }), decision: { kind: 'call', call } }, keys)

  it('is known to be of its person', () => {
    expect(signedBy(assertion(own.privateKey, challenge))).toEqual({ kind: 'signed', by: 'ann', at: 17 })
    const withOverlay = { ...CALL, overlay: 'a handle that was made afterwards' }
    expect(signedBy(assertion(own.privateKey, challenge), {}, withOverlay)).toMatchObject({ kind: 'signed' })
  })

  it.each<[string, Json, JsonObject?, JsonObject?]>([
    ['another call', assertion(own.privateKey, challenge), {}, { ...CALL, content: 'I owe you 10' }],
    ['another wake', assertion(own.privateKey, challenge), { wake: { kind: 'act', id: 'act/4' } }],
    ['another answer', assertion(own.privateKey, challenge), { answers: 'a question' }],
    ['a driver', assertion(own.privateKey, challenge), { driver: 'ben' }],
    ['another key', assertion(made().privateKey, challenge)],
    ['a key that it has not', { ...assertion(own.privateKey, challenge), key: 'phone' }],
    ['another time', { ...assertion(own.privateKey, challenge), at: 18 }],
    ['another site', assertion(own.privateKey, challenge, { site: 'evil.example' })],
    ['nobody there', assertion(own.privateKey, challenge, { flags: 4 })],
    ['nobody known', assertion(own.privateKey, challenge, { flags: 1 })],
    ['a new key in place of a signature', assertion(own.privateKey, challenge, { type: 'webauthn.create' })],
    ['another challenge', assertion(own.privateKey, challenge, { challenge: 'AAAA' })],
    ['no signature', { ...assertion(own.privateKey, challenge), signature: '' }],
    [
      'a wake that is no act',
      assertion(own.privateKey, challenge),
      { wake: { kind: 'event', id: 'act/3f0c' } },
    ],
    ['nothing', null],
  ])('is refused with %s', (_what, signed, more = {}, call = CALL) => {
    expect(signedBy(signed, more, call)).toMatchObject({ kind: 'wrong' })
  })

  it('is named where it should be signed and is not, and nobody without a passkey is', () => {
    expect(signingOf('r', act, keys)).toEqual({ kind: 'unsigned', by: 'ann' })
    expect(signingOf('r', act, {})).toEqual({ kind: 'none' })
    const bySummon = { ...act, open: opened({ wake: { kind: 'summon', id: 'x' } }) }
    expect(signingOf('r', bySummon, keys)).toEqual({ kind: 'none' })
    expect(signingOf('r', act, null)).toMatchObject({ kind: 'unknown', isSigned: false })
  })

  it('is not known to be of its person when what shows it is gone', () => {
    const signed = { ...act, open: opened({ signed: assertion(own.privateKey, challenge) }) }
    expect(signingOf('r', { ...signed, decision: null, salt: null }, keys)).toMatchObject({
      kind: 'unknown',
      isSigned: true,
    })
    expect(signingOf('r', signed, null)).toMatchObject({ kind: 'unknown', isSigned: true })
    expect(signingOf('r', { ...signed, salt: 'cd'.repeat(32) }, keys)).toMatchObject({ kind: 'wrong' })
  })

  it('needs no signature when it called nothing', () => {
    const open = opened({ signed: assertion(own.privateKey, challenge) })
    const failed = { ...act, open, decision: { kind: 'failure', code: 'INVALID_INPUT' } }
    expect(signingOf('r', failed, keys)).toEqual({ kind: 'none' })
    const skipped = { ...act, open, decision: null, record: { being: 'ann', decision: null } }
    expect(signingOf('r', skipped, keys)).toEqual({ kind: 'none' })
  })
})
