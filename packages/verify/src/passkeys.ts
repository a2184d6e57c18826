import { setAtPath } from '@treeos/world'
import { at, isArray, isObject, type Json, type JsonObject } from './canonical.ts'

/** The namespace of the public keys by which a person signs what it does. */
const NAMESPACE = 'passkeys'

/**
 * The passkeys of beings at each of their facts. A being has those that it set itself. Anybody who may may
 * take one away.
 */
export class Passkeys {
  readonly #steps = new Map<string, { readonly seq: number; readonly keys: JsonObject | null }[]>()

  /** @param payload null: it was erased, so what follows on it is not known */
  take(reel: string, seq: number, header: Json, payload: Json): void {
    if (at(header, 'kind') !== 'quality:set' || !reel.startsWith('being:')) return
    const { path = null, value = null, merge } = isObject(payload) ? payload : {}
    const [namespace, ...rest] = isArray(path) ? path.map(String) : []
    const isOwn = reel === `being:${at(header, 'actor')}`
    if (isObject(payload) && (namespace !== NAMESPACE || (value !== null && !isOwn))) return
    const steps = this.#steps.get(reel) ?? []
    this.#steps.set(reel, steps)
    const before = steps.length === 0 ? {} : (steps.at(-1)?.keys ?? null)
    const isLost = before === null || !isObject(payload)
    const keys = isLost
      ? null
      : setAtPath({ [NAMESPACE]: before }, [NAMESPACE, ...rest], value, merge !== false)
    steps.push({ seq, keys: keys === null ? null : ((keys[NAMESPACE] ?? {}) as JsonObject) })
  }

  /** The keys after a fact. @returns null where they depend on what was erased */
  at(reel: string, seq: number): JsonObject | null {
    const step = this.#steps.get(reel)?.findLast((one) => one.seq <= seq)
    return step === undefined ? {} : step.keys
  }
}
