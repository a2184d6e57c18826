import { sha256 } from '@treeos/store'

/** Bytes of every hash of the tree. */
export const HASH_BYTES = 32

// Leaves and nodes have prefixes of their own, so a node can never pass as a leaf (RFC 6962, 2.1).
const LEAF = Buffer.of(0x00)
const node = Buffer.alloc(1 + 2 * HASH_BYTES, 0x01)

export const leafHash = (data: Uint8Array): Buffer => sha256(Buffer.concat([LEAF, data]))

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  if (left.length !== HASH_BYTES || right.length !== HASH_BYTES)
    throw new RangeError(`a node has two hashes of ${HASH_BYTES} bytes`)
  node.set(left, 1)
  node.set(right, 1 + HASH_BYTES)
  return sha256(node)
}

/** The root of a tree without leaves. */
export const EMPTY_ROOT: Buffer = sha256(Buffer.alloc(0))
