import type { Json, JsonObject } from './json.ts'
import { approvalOf, isContinuation, type Wake } from './wake.ts'

/**
 * What an act outside rests on. It gives the key of the act: the same whenever the act is tried again, also in
 * another life of the being, and of no other act, also after a restore of Postgres, when numbers of moments
 * come again.
 * - `yes`: hash of the last yes to the call
 * - `moment`: hash of the moment that the being goes on from, with the id of the wake: several may name it
 * - `fact`: hash of the fact that woke it
 * - `wake`: id of the wake, where neither stands behind it
 */
export type EffectCause =
  | { readonly yes: string }
  | { readonly moment: string; readonly wake: string }
  | { readonly fact: string }
  | { readonly wake: string }

/** Where the cause of an effect stands: in the wake of its moment, or in a record that the wake names. */
export type CauseSource =
  | { readonly of: 'wake'; readonly cause: EffectCause }
  /** the last yes to the call of this moment */
  | { readonly of: 'yes'; readonly asked: string }
  /** the moment of this number; without one the wake is the cause */
  | { readonly of: 'moment'; readonly being: string; readonly n: number }

/** `being/generation/n` behind a word, and what may follow it. */
const OF_MOMENT = /^[^/]+\/([^/]+)\/\d+\/(\d+)(?:\/|$)/

/** Where the cause of the effect of a moment stands, by the wake of the moment. */
export function causeSourceOf(wake: Pick<Wake, 'id' | 'kind' | 'cause'>): CauseSource {
  const { id, kind, cause } = wake
  const asked = approvalOf(wake)
  if (asked !== null) return { of: 'yes', asked }
  // All moments that go on with one question have its cause, so that is of none of them.
  if (cause !== null && !isContinuation(wake)) return { of: 'wake', cause: { fact: cause } }
  const [, being, number] = (kind === 'event' && OF_MOMENT.exec(id)) || []
  if (being === undefined) return { of: 'wake', cause: { wake: id } }
  // an idle wake has the number of the moment to come
  return { of: 'moment', being, n: Number(number) - (id.startsWith('idle/') ? 1 : 0) }
}

/** What the key of an effect is the digest of. */
export const keyedBy = (
  reality: string,
  call: { readonly operation: string; readonly actor: string; readonly target: string; readonly args: Json },
  cause: EffectCause,
): JsonObject => {
  const { operation, actor, target, args } = call
  return { reality, operation, actor, target, args, cause: cause as unknown as Json }
}
