import {
  createModel,
  faultOfEndpoint,
  type Model,
  type ModelEndpoint,
  type ModelOptions,
  shownAddress,
} from '@treeos/host'

/** A model for people: without its key. */
export interface Mind {
  readonly model: string
  readonly baseUrl: string
}
/** A model, and what is wrong with it; null when it answers. */
export type CheckedMind = Mind & { readonly fault: string | null }

/** What a worker reports of its models. */
export interface CheckedMinds {
  readonly mind: CheckedMind | null
  readonly connections: Readonly<Record<string, CheckedMind>>
}

const HOLDS_MS = 5000

/** The models of a worker: the reality's default one, and those with a name. */
export class Minds {
  readonly #main: ModelEndpoint | null
  readonly #named: readonly (readonly [string, ModelEndpoint])[]
  #asked: Promise<CheckedMinds> | null = null

  constructor(main: ModelEndpoint | null, named: readonly ModelEndpoint[]) {
    this.#main = main
    this.#named = named.map((endpoint) => [endpoint.connection ?? '', endpoint] as const)
  }

  models(options: ModelOptions): { model: Model | null; connections: ReadonlyMap<string, Model> } {
    return {
      model: this.#main === null ? null : createModel(this.#main, options),
      connections: new Map(this.#named.map(([name, endpoint]) => [name, createModel(endpoint, options)])),
    }
  }

  shown(): { mind: Mind | null; connections: Record<string, Mind> } {
    return {
      mind: this.#main === null ? null : shownMind(this.#main),
      connections: Object.fromEntries(this.#named.map(([name, endpoint]) => [name, shownMind(endpoint)])),
    }
  }

  /**
   * Asks each model server for its list of models. The answer holds for 5 s, since everybody on this machine
   * may ask.
   */
  check(): Promise<CheckedMinds> {
    this.#asked ??= this.#check().finally(() => {
      setTimeout(() => {
        this.#asked = null
      }, HOLDS_MS).unref()
    })
    return this.#asked
  }

  async #check(): Promise<CheckedMinds> {
    const [mind, ...named] = await Promise.all([
      this.#main === null ? null : checked(this.#main),
      ...this.#named.map(async ([name, endpoint]) => [name, await checked(endpoint)] as const),
    ])
    return { mind, connections: Object.fromEntries(named) }
  }
}

const shownMind = (endpoint: ModelEndpoint): Mind => ({
  model: endpoint.model,
  baseUrl: shownAddress(endpoint),
})

const checked = async (endpoint: ModelEndpoint): Promise<CheckedMind> => ({
  ...shownMind(endpoint),
  fault: await faultOfEndpoint(endpoint),
})
