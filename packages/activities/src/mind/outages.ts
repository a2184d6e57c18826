import { DEFAULT_CONNECTION } from '../model/connections.ts'
import { ModelTransientError } from '../model/model.ts'

/** Losses in a row after which a model counts as down. One lost call is not an outage. */
const LOSSES = 2
/** For so long a model that is down is asked last, where another one stands in for it. */
const AWAY_MS = 30_000

interface OutageState {
  losses: number
  isDown: boolean
  /** ms of `performance.now()` */
  awayUntil: number
}

/** Which models of this process answer. Whoever answers is up; what it has not asked yet it does not know. */
export class Outages {
  readonly #states = new Map<string, OutageState>()
  readonly #now: () => number

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** The same models, with those that are down at the end: they are asked when no other one answers. */
  inOrder<M extends { readonly connection?: string }>(models: readonly M[]): readonly M[] {
    const isAway = (model: M) => (this.#states.get(connectionOf(model))?.awayUntil ?? 0) > this.#now()
    const away = models.filter(isAway)
    return away.length === 0 ? models : [...models.filter((model) => !isAway(model)), ...away]
  }

  /**
   * @param isHard the provider refuses every call, as without credit
   * @returns whether it is down since now
   */
  lost(connection: string, isHard: boolean): boolean {
    const state = this.#states.get(connection) ?? { losses: 0, isDown: false, awayUntil: 0 }
    this.#states.set(connection, state)
    state.losses += 1
    if (!isHard && state.losses < LOSSES) return false
    state.awayUntil = this.#now() + AWAY_MS
    const isNew = !state.isDown
    state.isDown = true
    return isNew
  }

  /**
   * @returns whether it is up since now; also at its first answer, since an earlier process may have found it
   *   down
   */
  answered(connection: string): boolean {
    const state = this.#states.get(connection)
    this.#states.set(connection, { losses: 0, isDown: false, awayUntil: 0 })
    return state?.isDown ?? true
  }
}

export const connectionOf = ({ connection }: { readonly connection?: string }): string =>
  connection ?? DEFAULT_CONNECTION

/** Whether an error is one of an outage: a limit of its rate is not. */
export const isOutage = (error: unknown): boolean =>
  error instanceof ModelTransientError && error.status !== 429
