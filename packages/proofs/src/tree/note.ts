import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'

// C2SP signed notes: a text, an empty line, and one line for each signature.

/** Says who signs, and checks what they signed. */
export interface Verifier {
  readonly name: string
  /** first four bytes of the hash over name, algorithm and public key */
  readonly id: Buffer
  readonly publicKey: KeyObject
}

export interface NoteSigner extends Verifier {
  readonly privateKey: KeyObject
}

export interface Note {
  /** ends with a line break */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

interface NoteSignature {
  readonly name: string
  readonly id: Buffer
  readonly bytes: Buffer
}

const ED25519 = 0x01
const SEED_BYTES = 32
// What stands before the 32 bytes of an ed25519 key in DER.
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex')
const PRIVATE_PREFIX = 'PRIVATE+KEY+'
const SIGNATURE_LINE = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/

/** The text of a note was not signed as it should be, or is not a note. */
export class NoteError extends Error {
  override readonly name = 'NoteError'
}

/**
 * @param name without blanks and `+`.
 * @returns `PRIVATE+KEY+<name>+<id>+<key>`, as Go's `sumdb/note` writes it: a secret
 */
export function newSignerKey(name: string): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-SEED_BYTES)
  const id = idOf(name, rawOf(createPublicKey(privateKey)))
  return `${PRIVATE_PREFIX}${name}+${id.toString('hex')}+${Buffer.concat([Buffer.of(ED25519), seed]).toString('base64')}`
}

/** @throws {NoteError} that does not quote the text, which is a secret */
export function readSigner(text: string): NoteSigner {
  const fault = new NoteError('a key of a signer reads PRIVATE+KEY+<name>+<id>+<base64>')
  if (!text.startsWith(PRIVATE_PREFIX)) throw fault
  const { name, id, key } = keyParts(text.slice(PRIVATE_PREFIX.length)) ?? {}
  if (name === undefined || id === undefined || key?.[0] !== ED25519 || key.length !== 1 + SEED_BYTES)
    throw fault
  const privateKey = createPrivateKey({
    key: Buffer.concat([PRIVATE_DER, key.subarray(1)]),
    format: 'der',
    type: 'pkcs8',
  })
  const publicKey = createPublicKey(privateKey)
  if (!idOf(name, rawOf(publicKey)).equals(id)) throw fault
  return { name, id, publicKey, privateKey }
}

/** `<name>+<id>+<key>`: all that others need to check its notes. */
export const verifierKeyOf = ({ name, id, publicKey }: Verifier): string =>
  `${name}+${id.toString('hex')}+${Buffer.concat([Buffer.of(ED25519), rawOf(publicKey)]).toString('base64')}`

/** @throws {NoteError} */
export function readVerifier(text: string): Verifier {
  const { name, id, key } = keyParts(text) ?? {}
  const fault = new NoteError(
    `${JSON.stringify(text)} is not a verifier key: <name>+<id>+<base64> of ed25519`,
  )
  if (name === undefined || id === undefined || key?.[0] !== ED25519 || key.length !== 1 + SEED_BYTES)
    throw fault
  if (!idOf(name, key.subarray(1)).equals(id)) throw fault
  const publicKey = createPublicKey({
    key: Buffer.concat([PUBLIC_DER, key.subarray(1)]),
    format: 'der',
    type: 'spki',
  })
  return { name, id, publicKey }
}

/**
 * @param text ends with a line break and has no empty line.
 * @param signers one or more, each with a signature of its own
 */
export function signNote(text: string, signers: readonly NoteSigner[]): string {
  const lines = signers.map(({ name, id, privateKey }) => {
    const signature = sign(null, Buffer.from(text, 'utf8'), privateKey)
    return `— ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`
  })
  return `${text}\n${lines.join('')}`
}

/** @throws {NoteError} for text that is not a note; signatures are not checked */
export function readNote(note: string): Note {
  const end = note.lastIndexOf('\n\n')
  const lines = note.slice(end + 2).split('\n')
  if (end < 0 || lines.pop() !== '' || lines.length === 0) throw new NoteError('this is not a signed note')
  const signatures = lines.map((line) => {
    const [, name, encoded] = SIGNATURE_LINE.exec(line) ?? []
    const bytes = Buffer.from(encoded ?? '', 'base64')
    if (name === undefined || bytes.length < 5 || bytes.toString('base64') !== encoded)
      throw new NoteError('a line of the note is not a signature')
    return { name, id: bytes.subarray(0, 4), bytes: bytes.subarray(4) }
  })
  return { text: note.slice(0, end + 1), signatures }
}

/**
 * The verifiers that signed a note. A signature of somebody else is passed over.
 * @throws {NoteError} when a signature that claims to be of one of them is not
 */
export function signersOf(note: Note, verifiers: readonly Verifier[]): Verifier[] {
  const text = Buffer.from(note.text, 'utf8')
  return verifiers.filter((verifier) => {
    const own = note.signatures.filter(({ name, id }) => name === verifier.name && id.equals(verifier.id))
    if (!own.every(({ bytes }) => verify(null, text, verifier.publicKey, bytes)))
      throw new NoteError(`the signature of ${verifierKeyOf(verifier)} is wrong`)
    return own.length > 0
  })
}

const rawOf = (publicKey: KeyObject): Buffer =>
  publicKey.export({ format: 'der', type: 'spki' }).subarray(PUBLIC_DER.length)

const idOf = (name: string, raw: Uint8Array): Buffer =>
  createHash('sha256').update(name).update(Buffer.of(0x0a, ED25519)).update(raw).digest().subarray(0, 4)

function keyParts(text: string): { name: string; id: Buffer; key: Buffer } | null {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  if (name === undefined || id === undefined || encoded === undefined) return null
  return { name, id: Buffer.from(id, 'hex'), key: Buffer.from(encoded, 'base64') }
}
