import type { Digest } from '@treeos/core'
import { type Db, digestOf, putBlob } from '@treeos/store'
import {
  type CodeManifest,
  type ExtensionCode,
  extensionCodes,
  manifestOf,
  type Registry,
} from '@treeos/world'

interface KnownCode {
  readonly manifest: CodeManifest
  readonly digest: Digest
  readonly extensions: ReadonlyMap<string, ExtensionCode>
}

const known = new WeakMap<Registry['extensions'], KnownCode>()

function knownCode(registry: Registry): KnownCode {
  const found = known.get(registry.extensions)
  if (found !== undefined) return found
  const manifest = manifestOf(registry, digestOf)
  const extensions = extensionCodes(registry, manifest, digestOf)
  const made = { manifest, digest: digestOf(manifest), extensions }
  known.set(registry.extensions, made)
  return made
}

/**
 * The code that shows the world to beings and judges their calls: the digest of what the loaded extensions
 * define, with their versions and settings. It does not depend on their order.
 */
export const codeOf = (registry: Registry): Digest => knownCode(registry).digest

/** What each loaded extension brings, by its name. */
export const codesOf = (registry: Registry): ReadonlyMap<string, ExtensionCode> =>
  knownCode(registry).extensions

/** Stores what the loaded extensions define under the digest that records name. */
export async function keepCode(db: Db, registry: Registry): Promise<void> {
  await putBlob(db, knownCode(registry).manifest)
}
