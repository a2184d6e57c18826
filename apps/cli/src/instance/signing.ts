import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CheckpointedLog, ReceiptSigner } from '@treeos/audit'
import type { Reality } from '@treeos/chain'
import { writePrivate } from '@treeos/local'
import type { InstanceOptions } from '../cli.ts'
import { dataDirOf } from './instance.ts'

/** What RFC 8410 puts before the 32 bytes of a private ed25519 key. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const PREFIX = 'PRIVATE+KEY+'

/** The key that signs receipts, and what others check them with. */
export interface SigningKey extends ReceiptSigner {
  readonly verifier: string
}

/**
 * The key of an instance, in its folder. It is made at its first use, in the form that signed notes write keys in.
 * @throws {Error} for a file that holds something else
 */
export function signingKey(options: InstanceOptions, { id }: Pick<Reality, 'id'>): SigningKey {
  const file = join(dataDirOf(options), 'signer', 'key')
  const name = `treeos/${id}`
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const seed = generateKeyPairSync('ed25519')
      .privateKey.export({ format: 'der', type: 'pkcs8' })
      .subarray(-32)
    writePrivate(
      file,
      `${PREFIX}${name}+${keyOf(name, seed).id.toString('hex')}+${typed(seed).toString('base64')}\n`,
    )
  }
  const [line = ''] = readFileSync(file, 'utf8').split('\n')
  const [named, keyId, ...encoded] = line.startsWith(PREFIX) ? line.slice(PREFIX.length).split('+') : []
  const bytes = Buffer.from(encoded.join('+'), 'base64')
  const key = bytes.length === 33 && bytes[0] === 1 ? keyOf(name, bytes.subarray(1)) : null
  if (key === null || named !== name || keyId !== key.id.toString('hex'))
    throw new Error(`${file} holds no signing key of ${name}`)
  return key
}

const typed = (key: Uint8Array): Buffer => Buffer.concat([Buffer.of(1), key])

function keyOf(name: string, seed: Uint8Array): SigningKey & { readonly id: Buffer } {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
  const own = typed(createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32))
  const id = createHash('sha256').update(`${name}\n`).update(own).digest().subarray(0, 4)
  return { name, id, privateKey, verifier: `${name}+${id.toString('hex')}+${own.toString('base64')}` }
}

/** The newest checkpoint of the instance with its log; null while there is none. */
export async function checkpointedLog(): Promise<CheckpointedLog | null> {
  return null
}
