import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** The flags of an authenticator's answer. */
const FLAGS = { present: 0x01, verified: 0x04, withKey: 0x40 }

/** What an attacker has a key or a browser say. What is left out is as it should be. */
export interface Bend {
  readonly origin?: string
  readonly site?: string
  readonly challenge?: string
  readonly type?: string
  readonly counter?: number
  readonly isPresent?: boolean
  readonly isVerified?: boolean
  readonly userHandle?: string | undefined
  readonly id?: string
  /** signs in place of its own key */
  readonly signer?: Authenticator
  readonly crossOrigin?: boolean
}

/** A security key in software: one P-256 key, which says whatever a test wants. */
export class Authenticator {
  readonly #origin: string
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }
  readonly id = randomBytes(32).toString('base64url')
  userHandle = ''
  counter = 0
  /** false: its counter stays 0, as with passkeys that are synchronized */
  readonly counts: boolean

  constructor(origin: string, { counts = true }: { readonly counts?: boolean } = {}) {
    this.#origin = origin
    this.counts = counts
    this.#keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  }

  make(options: PublicKeyCredentialCreationOptionsJSON, bend: Bend = {}): RegistrationResponseJSON {
    this.userHandle = options.user.id
    const id = Buffer.from(bend.id ?? this.id, 'base64url')
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const authData = Buffer.concat([
      this.#head({ site: options.rp.id ?? '', ...bend }, FLAGS.withKey),
      Buffer.alloc(16), // of no known maker
      length,
      id,
      Buffer.from(isoCBOR.encode(this.#coseKey())),
    ])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ])
    return {
      id: bend.id ?? this.id,
      rawId: bend.id ?? this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: this.#client('webauthn.create', options.challenge, bend).toString('base64url'),
        attestationObject: Buffer.from(
          isoCBOR.encode(attestation as Parameters<typeof isoCBOR.encode>[0]),
        ).toString('base64url'),
        transports: ['usb'],
      },
    }
  }

  use(options: PublicKeyCredentialRequestOptionsJSON, bend: Bend = {}): AuthenticationResponseJSON {
    if (this.counts && bend.counter === undefined) this.counter++
    const client = this.#client('webauthn.get', options.challenge, bend)
    const authData = this.#head({ site: options.rpId ?? '', ...bend }, 0)
    const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()])
    const { privateKey } = (bend.signer ?? this).#keys
    const userHandle = 'userHandle' in bend ? bend.userHandle : this.userHandle
    return {
      id: bend.id ?? this.id,
      rawId: bend.id ?? this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
        ...(userHandle === undefined ? {} : { userHandle }),
      },
    }
  }

  #head(
    { site, isPresent = true, isVerified = true, counter = this.counter }: Bend & { site: string },
    more: number,
  ): Buffer {
    const head = Buffer.alloc(37)
    createHash('sha256').update(site).digest().copy(head)
    head[32] = (isPresent ? FLAGS.present : 0) | (isVerified ? FLAGS.verified : 0) | more
    head.writeUInt32BE(counter, 33)
    return head
  }

  #client(type: string, challenge: string, bend: Bend): Buffer {
    const { crossOrigin = false } = bend
    const said = {
      type: bend.type ?? type,
      challenge: bend.challenge ?? challenge,
      origin: bend.origin ?? this.#origin,
      crossOrigin,
    }
    return Buffer.from(JSON.stringify(said))
  }

  #coseKey() {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    return new Map<number, number | Uint8Array>([
      [1, 2], // two coordinates
      [3, -7], // ES256
      [-1, 1], // P-256
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ])
  }
}
