import { digestOf } from '@treeos/store'
import type { Registry } from '@treeos/world'

const known = new WeakMap<Registry['extensions'], string>()
const DIGITS = 16

/**
 * The code that shows the world to beings and judges their calls: the first digits of the digest of all loaded extensions with their
 * versions and settings. It does not depend on their order.
 */
export function codeOf({ extensions }: Pick<Registry, 'extensions'>): string {
  const found = known.get(extensions)
  if (found !== undefined) return found
  const versions = Object.fromEntries(
    extensions.map(({ name, version, settings }) => [
      name,
      settings === undefined ? version : [version, settings],
    ]),
  )
  const code = digestOf(versions).slice(0, DIGITS)
  known.set(extensions, code)
  return code
}
