import { causeSourceOf, type EffectCause, keyedBy, type Wake } from '@treeos/core'
import { at, isObject, type Json, type JsonObject, same } from './canonical.ts'
import { isHash, valueHash } from './hash.ts'
import type { Moment } from './moment.ts'

/** What a bundle holds of what effects rest on; undefined for what it does not hold. */
export interface KnownCauses {
  /** hash of the moment of a being with this number */
  readonly moment: (being: string, n: number) => string | undefined
  /** hash of the last yes on a reel */
  readonly yes: (reel: string) => string | undefined
}

/** A receipt holds neither. */
const NONE_KNOWN: KnownCauses = { moment: () => undefined, yes: () => undefined }

/**
 * What is wrong with the key of the effect of a moment: it follows from the call and from what woke the moment.
 * @returns null where nothing is, and for an effect from before effects held theirs
 */
export function faultOfEffectKey(
  { open, effect }: Moment,
  reality: string,
  known: KnownCauses = NONE_KNOWN,
): string | null {
  const [request, wake] = [at(effect, 'request'), at(open, 'wake')]
  if (!isObject(request) || !isObject(wake)) return null
  const { cause = null, key = null } = request
  if (cause === null && key === null) return null
  if (!isDue(cause, wake as unknown as Wake, known))
    return 'its effect rests on something else than its wake says'
  const due = keyedBy(reality, request as never, cause as unknown as EffectCause)
  return key === valueHash(due as Json) ? null : 'the key of its effect is not that of its call and its cause'
}

function isDue(cause: Json, wake: Wake, known: KnownCauses): boolean {
  const source = causeSourceOf(wake)
  if (source.of === 'wake') return same(cause, source.cause as unknown as Json)
  if (source.of === 'yes') return isOf('yes', cause, known.yes(`approval:${source.asked}`))
  // where the moment is not there, as before the first one, the wake stands for it
  const hash = known.moment(source.being, source.n)
  const own = { wake: wake.id }
  return isOf('moment', cause, hash, own) || (hash === undefined && same(cause, own))
}

/** Whether a cause is the hash of this kind; of one that is not known, whether it is a hash. */
const isOf = (
  kind: 'yes' | 'moment',
  cause: Json,
  due: string | undefined,
  beside: JsonObject = {},
): boolean => {
  const said = isObject(cause) ? cause[kind] : undefined
  const isDueHash = due === undefined ? isHash(said ?? null) : said === due
  return isDueHash && same(cause, { [kind]: said ?? null, ...beside })
}
