import { verify } from 'node:crypto'
import { cosignedBy, type WitnessCosignature } from './cosignature.ts'
import type { Tree } from './hash.ts'
import type { WitnessPolicy } from './policy.ts'
import { readSignatures } from './signature.ts'

export interface SignedCheckpoint extends Tree {
  readonly origin: string
  /** the tree over the ends of all chains; null for a checkpoint that does not tell them */
  readonly heads: Tree | null
  /** whether a key of the log signed it */
  readonly signed: boolean
  /** by which witnesses of the policy, and when */
  readonly cosigned: readonly WitnessCosignature[]
}

/**
 * Reads a C2SP checkpoint in a signed note. Whether enough witnesses cosigned it is for the caller to judge.
 * @param policy null: no signature is checked, and `signed` is false
 * @throws {Error} for a note that is malformed, or that no key of the log signed
 */
export function readCheckpoint(note: string, policy: WitnessPolicy | null): SignedCheckpoint {
  const cut = note.indexOf('\n\n')
  const text = note.slice(0, cut + 1)
  const [origin = '', size = '', root = '', ends = '', ...more] = text.split('\n')
  const [, count, endsRoot] = /^heads (\S+) (\S+)$/.exec(ends) ?? []
  const tree = readTree(size, root)
  const heads = count === undefined || endsRoot === undefined ? null : readTree(count, endsRoot)
  if (
    cut < 0 ||
    origin === '' ||
    tree === null ||
    (ends === '' ? more.length > 0 : heads === null || more.length !== 1)
  )
    throw new Error(
      'no checkpoint: its lines are an origin, a size, a root and the ends of chains, an empty line, and signatures',
    )
  const signatures = readSignatures(note.slice(cut + 2))
  const written = signatures.map(
    ({ name, id, bytes }) => `${name} ${id.toString('hex')} ${bytes.toString('hex')}`,
  )
  if (new Set(written).size < written.length)
    throw new Error('a signature of the checkpoint stands there twice')
  const bytes = Buffer.from(text)
  const isSigned = policy?.logs.some((log) =>
    signatures.some(
      (one) => one.name === log.name && log.id.equals(one.id) && verify(null, bytes, log.key, one.bytes),
    ),
  )
  if (isSigned === false)
    throw new Error(`the key ${policy?.logs.map(({ name }) => name).join(', ')} did not sign the checkpoint`)
  const cosigned = cosignedBy(text, signatures, policy?.witnesses ?? [])
  return { origin, ...tree, heads, signed: isSigned === true, cosigned }
}

function readTree(size: string, root: string): Tree | null {
  const hash = Buffer.from(root, 'base64')
  const isTree = /^(0|[1-9]\d{0,14})$/.test(size) && hash.length === 32 && hash.toString('base64') === root
  return isTree ? { size: Number(size), root: hash.toString('hex') } : null
}
