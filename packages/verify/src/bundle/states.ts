import { at, isArray, isObject, type Json, type JsonObject } from '../canonical.ts'
import { setPath } from '../set-path.ts'

/** The reel on which roles are set. */
export const REGISTRY = 'registry'

/** What a flow may read of a reel, of a being, a space, a namespace of signals or the registry of roles, and where a thing is and what waits. */
export type State = JsonObject

/** How a fact changes that. Other kinds change nothing of it. */
const CHANGES: Readonly<Record<string, (state: State, payload: JsonObject) => State>> = {
  'being:born': (
    _,
    { parent = null, home = null, defaultRole = null, cognition = null, qualities = {} },
  ) => ({
    ...{ parent, home, defaultRole, cognition, qualities },
    space: home,
    driver: null,
    budget: null,
  }),
  'being:budgeted': (state, { budget = null }) => ({ ...state, budget }),
  'being:moved': (state, { to = null }) => ({ ...state, space: to }),
  'being:inhabited': (state, { by = null }) => ({ ...state, driver: by }),
  'being:released': (state) => ({ ...state, driver: null }),
  'space:created': (_, { qualities = {} }) => ({ qualities }),
  'quality:set': (state, { path, value = null, merge }) => ({
    ...state,
    qualities: setPath(state.qualities ?? {}, keysOf(path), value, merge !== false),
  }),
  'signal:published': (state, { key, value = null }) => ({
    ...state,
    values: setPath(state.values ?? {}, keysOf(key), value, false),
  }),
  'matter:created': (_, { place = null }) => ({ space: place }),
  'matter:moved': (state, { to = null }) => ({ ...state, space: to }),
  'approval:asked': (_, { call = null }) => ({ call }),
  'approval:given': (state, { call = null }) => ({ ...state, call }),
  'role:set': (state, { name, digest = null, spec }) => ({ ...state, [String(name)]: roleOf(digest, spec) }),
  'role:deleted': (state, { name }) => {
    const { [String(name)]: _gone, ...others } = state
    return others
  },
}
/** Whether what a flow reads depends on facts of a kind. */
export const isOfState = (kind: string): boolean => Object.hasOwn(CHANGES, kind)

/** The namespace of the public keys by which a person signs what it does. */
const PASSKEYS = 'passkeys'

/** A being has the passkeys that it set itself. Anybody who may may take one away. */
function withPasskey(
  state: State,
  reel: string,
  actor: Json,
  { path, value = null, merge }: JsonObject,
): State {
  const [namespace, ...rest] = keysOf(path)
  const isOwn = reel === `being:${actor}`
  if (namespace !== PASSKEYS || (value !== null && !isOwn)) return state
  return { ...state, passkeys: setPath(state.passkeys ?? {}, rest, value, merge !== false) }
}

const keysOf = (path: Json | undefined): string[] => (isArray(path) ? path.map(String) : [])

/** What a program holds of a role. */
function roleOf(digest: Json, spec: Json | undefined): JsonObject {
  const triggerOn = at(spec, 'triggerOn')
  const requiredCognition = at(spec, 'requiredCognition') ?? null
  return { digest, requiredCognition, ...(isArray(triggerOn) ? { triggerOn } : {}) }
}

/** The states of all reels at each of their facts. States share what did not change. */
export class States {
  readonly #steps = new Map<string, { readonly seq: number; readonly state: State | null }[]>()

  /** @param payload null: it was erased, so what follows on it is not known */
  take(reel: string, seq: number, header: Json, payload: Json): void {
    const kind = String(at(header, 'kind'))
    const change = CHANGES[kind]
    if (change === undefined || !Object.hasOwn(CHANGES, kind)) return
    const steps = this.#steps.get(reel) ?? []
    this.#steps.set(reel, steps)
    const before = steps.at(-1)
    const state = before === undefined ? {} : before.state
    const after = state === null || !isObject(payload) ? null : change(state, payload)
    const isSet = kind === 'quality:set' && after !== null && isObject(payload)
    steps.push({
      seq,
      state: isSet ? withPasskey(after, reel, at(header, 'actor') ?? null, payload) : after,
    })
  }

  /** The state after a fact; `{}` before the first that counts. @returns null where it depends on what was erased */
  at(reel: string, seq: number): State | null {
    const steps = this.#steps.get(reel) ?? []
    let [low, high] = [0, steps.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((steps[middle]?.seq ?? 0) <= seq) low = middle + 1
      else high = middle
    }
    return low === 0 ? {} : (steps[low - 1]?.state ?? null)
  }
}
