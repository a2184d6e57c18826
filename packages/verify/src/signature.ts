import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'

/**
 * A public key as C2SP signed notes write it: `<name>+<key id in hex>+<base64 of 0x01 and the ed25519 key>`.
 */
export interface VerifierKey {
  readonly name: string
  readonly id: Buffer
  readonly key: KeyObject
}

/** What RFC 8410 puts before the 32 bytes of an ed25519 key. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * The first byte of a key says what its signatures are over: a note, or a note and a time (C2SP
 * tlog-cosignature).
 */
const NOTE = 0x01
export const COSIGNATURE = 0x04

/** @throws {Error} for a text that is not such a key */
export const parseKey = (text: string): VerifierKey => parseKeyOf(text, NOTE)

/** @throws {Error} for a text that is not a key of this type */
export function parseKeyOf(text: string, type: number): VerifierKey {
  const [name = '', id = '', encoded = '', ...more] = text.trim().split('+')
  const rest = more.length > 0 ? `${encoded}+${more.join('+')}` : encoded // base64 has + too
  const bytes = Buffer.from(rest, 'base64')
  const isWhole = bytes.length === 33 && bytes[0] === type && bytes.toString('base64') === rest
  const named = createHash('sha256').update(`${name}\n`).update(bytes).digest().subarray(0, 4)
  if (name === '' || !isWhole || id !== named.toString('hex'))
    throw new Error(
      type === NOTE
        ? 'no key of a signed note: it is written NAME+KEYID+BASE64'
        : 'no ed25519 key of a witness: it is written NAME+KEYID+BASE64, with the type 4',
    )
  const key = createPublicKey({ key: Buffer.concat([SPKI, bytes.subarray(1)]), format: 'der', type: 'spki' })
  return { name, id: named, key }
}

/** A line below a note. */
export interface NoteSignature {
  readonly name: string
  readonly id: Buffer
  readonly bytes: Buffer
}

/** @throws {Error} for anything but one line or more, each a signature */
export function readSignatures(text: string): NoteSignature[] {
  const lines = text.split('\n')
  if (lines.pop() !== '' || lines.length === 0) throw new Error('the checkpoint has no signature')
  return lines.map((line) => {
    const [dash, name = '', encoded = '', ...more] = line.split(' ')
    const bytes = Buffer.from(encoded, 'base64')
    if (dash !== '—' || more.length > 0 || bytes.length < 5 || bytes.toString('base64') !== encoded)
      throw new Error('a line of the checkpoint is not a signature')
    return { name, id: bytes.subarray(0, 4), bytes: bytes.subarray(4) }
  })
}

/** The bytes that a DSSE envelope signs. */
export const preAuthentication = (type: string, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.length} `), body])

export const isSignedBy = (
  { key }: VerifierKey,
  type: string,
  body: Uint8Array,
  signature: Uint8Array,
): boolean => verify(null, preAuthentication(type, body), key, signature)
