import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { actChallenge, type SignAct } from '@treeos/client'
import type { ActSignature, JsonObject } from '@treeos/core'

const SITE = 'localhost'
const [PRESENT, VERIFIED] = [1, 4]

/** What somebody has a passkey say. What is left out is as it should be. */
export interface Bent {
  readonly site?: string
  readonly challenge?: string
  readonly type?: string
  readonly flags?: number
  readonly key?: string
  readonly signer?: ActSigner
}

/** A passkey in software that signs acts of a person, as the portal has them signed. */
export class ActSigner {
  readonly id = randomBytes(16).toString('hex')
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }
  readonly #hash: 'sha256' | null

  constructor(kind: 'P-256' | 'Ed25519' = 'P-256') {
    this.#hash = kind === 'P-256' ? 'sha256' : null
    this.#keys =
      kind === 'P-256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519')
  }

  /** What its person sets as a quality. */
  get quality(): JsonObject {
    return { site: SITE, publicKey: this.#keys.publicKey.export({ format: 'jwk' }) as JsonObject }
  }

  /** The act by which its person enrols it. */
  enrolling(stance: string): JsonObject {
    const args = { field: `passkeys.${this.id}`, value: this.quality }
    return { verb: 'do', operation: 'set-being', target: stance, args }
  }

  assert(challenge: string, at: number, bent: Bent = {}): ActSignature {
    const { site = SITE, type = 'webauthn.get', flags = PRESENT | VERIFIED } = bent
    const data = Buffer.alloc(37)
    createHash('sha256').update(site).digest().copy(data)
    data[32] = flags
    const said = {
      type,
      challenge: bent.challenge ?? challenge,
      origin: `http://${site}`,
      crossOrigin: false,
    }
    const client = Buffer.from(JSON.stringify(said))
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
    const by = bent.signer ?? this
    return {
      key: bent.key ?? this.id,
      at,
      authenticatorData: data.toString('base64url'),
      clientDataJSON: client.toString('base64url'),
      signature: sign(by.#hash, signed, by.#keys.privateKey).toString('base64url'),
    }
  }

  /** Signs each act of a reality. */
  signing(reality: string, bent: Bent = {}): SignAct {
    return async (asked) => {
      const once = { salt: randomBytes(32).toString('hex'), at: Date.now() }
      const signed = this.assert(actChallenge(reality, asked, once), once.at, bent)
      return { salt: once.salt, signed }
    }
  }
}
