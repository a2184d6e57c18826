import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { Tree } from './hash.ts'

/** A public key as C2SP signed notes write it: `<name>+<key id in hex>+<base64 of 0x01 and the ed25519 key>`. */
export interface VerifierKey {
  readonly name: string
  readonly id: Buffer
  readonly key: KeyObject
}

/** What RFC 8410 puts before the 32 bytes of an ed25519 key. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/** @throws {Error} for a text that is no such key */
export function parseKey(text: string): VerifierKey {
  const [name = '', id = '', encoded = '', ...more] = text.trim().split('+')
  const rest = more.length > 0 ? `${encoded}+${more.join('+')}` : encoded // base64 has + too
  const bytes = Buffer.from(rest, 'base64')
  const isWhole = bytes.length === 33 && bytes[0] === 1 && bytes.toString('base64') === rest
  const named = createHash('sha256').update(`${name}\n`).update(bytes).digest().subarray(0, 4)
  if (name === '' || !isWhole || id !== named.toString('hex'))
    throw new Error(
      'no key of a signed note: it is written NAME+KEYID+BASE64, as `treeos checkpoint --json` prints it in `keys`',
    )
  const key = createPublicKey({ key: Buffer.concat([SPKI, bytes.subarray(1)]), format: 'der', type: 'spki' })
  return { name, id: named, key }
}

export interface SignedCheckpoint extends Tree {
  readonly origin: string
  /** the tree over the ends of all chains; null for a checkpoint that does not tell them */
  readonly heads: Tree | null
  /** whether the key signed it */
  readonly signed: boolean
}

/**
 * Reads a C2SP checkpoint in a signed note.
 * @param key null: the signature is not checked, and `signed` is false
 * @throws {Error} for a note that is malformed, or that the key did not sign
 */
export function readCheckpoint(note: string, key: VerifierKey | null): SignedCheckpoint {
  const cut = note.indexOf('\n\n')
  const text = note.slice(0, cut + 1)
  const [origin = '', size = '', root = '', ends = '', ...more] = text.split('\n')
  const [, count, endsRoot] = /^heads (\S+) (\S+)$/.exec(ends) ?? []
  const tree = readTree(size, root)
  const heads = count === undefined || endsRoot === undefined ? null : readTree(count, endsRoot)
  if (cut < 0 || origin === '' || tree === null || (ends === '' ? more.length > 0 : heads === null))
    throw new Error(
      'no checkpoint: its lines are an origin, a size, a root and the ends of chains, an empty line, and signatures',
    )
  const lines = note.slice(cut + 2).split('\n')
  if (lines.pop() !== '' || lines.length === 0) throw new Error('the checkpoint has no signature')
  const signatures = lines.map((line) => {
    const [dash, name, encoded = '', ...more] = line.split(' ')
    const bytes = Buffer.from(encoded, 'base64')
    if (dash !== '—' || more.length > 0 || bytes.length < 5 || bytes.toString('base64') !== encoded)
      throw new Error('a line of the checkpoint is not a signature')
    return { name, id: bytes.subarray(0, 4), signature: bytes.subarray(4) }
  })
  const own = signatures.filter(({ name, id }) => name === key?.name && key?.id.equals(id))
  const isSigned = own.some(({ signature }) => verify(null, Buffer.from(text), key!.key, signature))
  if (key !== null && !isSigned) throw new Error(`the key ${key.name} did not sign the checkpoint`)
  return { origin, ...tree, heads, signed: key !== null }
}

function readTree(size: string, root: string): Tree | null {
  const hash = Buffer.from(root, 'base64')
  const isTree = /^(0|[1-9]\d{0,14})$/.test(size) && hash.length === 32 && hash.toString('base64') === root
  return isTree ? { size: Number(size), root: hash.toString('hex') } : null
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
