/** The wake that a model decides about, where its own wake lets it decide again after a refusal. */
import { isJsonObject, type Json, type JsonObject, REFUSED_PREFIX, type Wake } from '@treeos/core'

/** A call that was refused, as the model that made it is told. */
export interface RefusedCall {
  /** in words; null where what the model wrote could not be read as a call */
  readonly call: string | null
  readonly code: string
  readonly message: string
}

type WakeId = Pick<Wake, 'id' | 'kind'>
type FirstWake = WakeId & { readonly content: Json; readonly toSelf?: boolean }

/** What the content of a wake after a refusal says beside the refusals; null for any other wake, and where it was erased. */
function contentAfterRefusal({ id, kind }: WakeId, content: Json): JsonObject | null {
  return kind === 'event' && id.startsWith(REFUSED_PREFIX) && isJsonObject(content) ? content : null
}

/**
 * A wake with its content; of a wake after a refusal, the wake with which the refused moments began.
 * @returns toSelf whether its being summoned itself by it; left out for a wake that is no other
 */
export function firstWake<W extends WakeId>(
  wake: W,
  content: Json,
): { readonly wake: W; readonly content: Json; readonly toSelf?: boolean } {
  const first = contentAfterRefusal(wake, content)?.first ?? null
  if (!isJsonObject(first)) return { wake, content }
  const { id, kind, content: told = null, toSelf } = first as unknown as FirstWake
  return { wake: { ...wake, id, kind }, content: told, toSelf: toSelf === true }
}

/** The calls that were refused since the first wake, oldest first; none for a wake that follows no refusal. */
export function refusedCalls(wake: WakeId, content: Json): readonly RefusedCall[] {
  const refused = contentAfterRefusal(wake, content)?.refused
  return Array.isArray(refused) ? (refused as unknown as RefusedCall[]) : []
}
