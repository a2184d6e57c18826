import {
  beingReel,
  type FactDraft,
  type Json,
  type JsonObject,
  matterReel,
  type ReelId,
  spaceReel,
  stanceOf,
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

/**
 * The reel of a row. It is also the key of the row.
 * @example
 * reelOf(target) // 'being:ada', 'space:/court', 'matter:gavel' or 'world:court'
 */
export function reelOf(target: Target | WorldRow): ReelId {
  if ('namespace' in target) return worldReel(target.namespace)
  if ('id' in target) return matterReel(target.id)
  return 'path' in target ? spaceReel(target.path) : beingReel(target.name)
}

/**
 * A fact that sets a quality of a being, a space or a thing, in the extension's own namespace. Null removes
 * the quality.
 * @param field namespace and key, such as `court.in-session`
 * @throws {TreeosError} INVALID_INPUT for a malformed field
 * @example
 * decide: ({ target }) => ({ facts: [setQuality(target, 'court.in-session', true)], result: null })
 */
export function setQuality(target: Target, field: string, value: Json): FactDraft {
  const path = parseKeyPath(field, 'quality')
  return { reel: reelOf(target), kind: 'quality:set', payload: { path, value, merge: false } }
}

/**
 * A fact that publishes a world signal, which every flow may read, in the extension's own namespace. Null
 * removes the signal. The operator owns the namespace, even when another being publishes first.
 * @param field namespace and key, such as `harmony.tick.alive`
 * @throws {TypeError} without a key; {TreeosError} INVALID_INPUT for a malformed field
 * @example
 * decide: () => ({ facts: [publishSignal('court.sitting', 3)], result: null })
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

/**
 * A fact that records an event on the reel of a being, a space or a thing. It changes no state.
 * @example
 * decide: ({ actor }) => ({ facts: [recordFact(actor, 'court:ruled', { verdict: 'granted' })], result: null })
 */
export function recordFact(target: Target, kind: `${string}:${string}`, payload: JsonObject = {}): FactDraft {
  return { reel: reelOf(target), kind, payload }
}

/**
 * Facts that make a thing which the actor owns and holds. Its type is one of the extension's own.
 * @param id kebab-case, unique in the reality for ever
 * @example
 * decide: ({ actor, args }) => ({ facts: makeMatter(actor, { id: args.id, type: 'court:writ', content: args.text }), result: null })
 */
export function makeMatter(
  actor: BeingRow,
  { id, type, content }: Pick<MatterRow, 'id' | 'type' | 'content'>,
): FactDraft[] {
  const payload = { id, type, owner: actor.name, place: stanceOf(actor.name), content, qualities: {} }
  return [
    { reel: matterReel(id), kind: 'matter:created', payload },
    { reel: beingReel(actor.name), kind: 'place:received', payload: { matter: id } },
  ]
}

/**
 * A fact that replaces the content of a thing of the extension's own type, which the actor owns and holds.
 * @example
 * decide: ({ target }) => ({ facts: [writeMatter(target, 'heard')], result: null })
 */
export const writeMatter = ({ id }: Pick<MatterRow, 'id'>, content: Json): FactDraft => ({
  reel: matterReel(id),
  kind: 'matter:written',
  payload: { content },
})
