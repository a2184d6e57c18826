import {
  beingReel,
  type FactDraft,
  type Json,
  type JsonObject,
  matterReel,
  type ReelId,
  spaceReel,
  worldReel,
} from '@treeos/core'
import {
  type BeingRow,
  type MatterRow,
  OPERATOR,
  parseKeyPath,
  type SpaceRow,
  type WorldRow,
} from '@treeos/world'

type Target = BeingRow | SpaceRow | MatterRow

/** The reel that a row is folded from, which is its key too. */
export function reelOf(target: Target | WorldRow): ReelId {
  if ('namespace' in target) return worldReel(target.namespace)
  if ('id' in target) return matterReel(target.id)
  return 'path' in target ? spaceReel(target.path) : beingReel(target.name)
}

/**
 * Sets a quality of a being, a space or a thing, in the extension's own namespace; null unsets.
 * @param field namespace and key, as in `court.in-session`
 * @throws {TreeosError} INVALID_INPUT for a field that is none
 */
export function setQuality(target: Target, field: string, value: Json): FactDraft {
  const path = parseKeyPath(field, 'quality')
  return { reel: reelOf(target), kind: 'quality:set', payload: { path, value, merge: false } }
}

/**
 * Publishes a signal that every flow may read, in the extension's own namespace; null unsets. The namespace is the operator's,
 * whoever does the operation first.
 * @param field namespace and key, as in `harmony.tick.alive`
 * @throws {TypeError} without a key; {TreeosError} INVALID_INPUT for a field that is none
 */
export function publishSignal(field: string, value: Json): FactDraft {
  const [namespace, ...key] = parseKeyPath(field, 'signal')
  if (key.length === 0) throw new TypeError(`signal ${field} has no key: write one as in ${field}.alive`)
  return {
    reel: worldReel(namespace),
    kind: 'signal:published',
    payload: { namespace, key, value, owner: OPERATOR },
  }
}

/** Records that something happened to a being or in a space. It changes nothing: it is there to be found again. */
export function recordFact(target: Target, kind: `${string}:${string}`, payload: JsonObject = {}): FactDraft {
  return { reel: reelOf(target), kind, payload }
}
