import type { PinnedStack } from '@treeos/core'
import { type ComposedMoment, composeLoaded, type LoadedMoment } from '@treeos/reality'
import type { Db } from '@treeos/store'
import type { Registry } from '@treeos/world'

interface Made {
  readonly stack: PinnedStack
  readonly composed: Promise<ComposedMoment>
}

const made = new WeakMap<LoadedMoment, Made>()

/**
 * Composes the stack of a moment as `composeLoaded` does. On the short way the mind and the stamp get one stack, and it is composed
 * once for both.
 */
export function composeOnce(
  { db, registry }: { readonly db: Db; readonly registry: Registry },
  loaded: LoadedMoment,
  stack: PinnedStack,
): Promise<ComposedMoment> {
  const known = made.get(loaded)
  if (known?.stack === stack) return known.composed
  const composed = composeLoaded(db, registry, loaded, stack)
  made.set(loaded, { stack, composed })
  composed.catch(() => made.delete(loaded)) // Postgres may be away
  return composed
}
