import vm, { type Context } from 'node:vm'

/** The SDK keeps the workflow that runs under this name. */
const ACTIVATOR = '__TEMPORAL_ACTIVATOR__'

type OwnGlobals = [PropertyKey, PropertyDescriptor][]

/** What one workflow has put on `globalThis`. */
export class GlobalsOfRun {
  activator: unknown
  /** its own globals; null for nearly all workflows */
  own: OwnGlobals | null = null
}

/** Functions of the context. */
interface Inside {
  symbols(): symbol[]
  describe(names: readonly PropertyKey[]): OwnGlobals
  remove(names: readonly PropertyKey[]): void
  define(own: OwnGlobals): void
}

const INSIDE = `((it, { getOwnPropertySymbols, getOwnPropertyDescriptor, defineProperty }) => ({
  symbols: () => getOwnPropertySymbols(it),
  describe: (names) => names.map((name) => [name, getOwnPropertyDescriptor(it, name)]),
  remove: (names) => { for (const name of names) delete it[name] },
  define: (own) => { for (const [name, descriptor] of own) defineProperty(it, name, descriptor) },
}))(globalThis, Object)`

/**
 * The globals of a context that workflows share. Those that exist before the first workflow are the same for all, and no workflow
 * can replace or delete them. Each workflow has its activator and the globals that it made itself.
 *
 * A context has two objects: the one that Node keeps outside, and V8's own within. V8 asks the one outside first. So a
 * global is fixed by a property of the one outside, or of its prototype. Globals with a string as name are in both, those with a
 * symbol only within.
 */
export class SandboxGlobals {
  readonly #context: Context
  readonly #shared: ReadonlySet<PropertyKey>
  readonly #inside: Inside
  #present: GlobalsOfRun | null = null

  /** Call it when everything that workflows share is there. */
  constructor(context: Context) {
    this.#context = context
    this.#inside = vm.runInContext(INSIDE, context) as Inside
    Object.defineProperty(context, ACTIVATOR, { writable: true, enumerable: true, configurable: false })
    fixGlobals(context)
    this.#shared = new Set(this.#names())
  }

  /** Takes the globals of the workflow that was in before, and puts back those of this one. */
  give(run: GlobalsOfRun): void {
    if (this.#present === run) return
    if (this.#present !== null) this.#take(this.#present)
    this.#context[ACTIVATOR] = run.activator
    if (run.own !== null) this.#inside.define(run.own)
    this.#present = run
  }

  #take(run: GlobalsOfRun): void {
    run.activator = this.#context[ACTIVATOR]
    run.own = null
    const names = this.#names()
    if (names.length === this.#shared.size) return // nobody can delete a shared one, so nothing was added
    const added = names.filter((name) => !this.#shared.has(name))
    run.own = this.#inside.describe(added)
    this.#inside.remove(added)
  }

  #names(): PropertyKey[] {
    const names = Reflect.ownKeys(this.#context)
    names.push(...this.#inside.symbols())
    return names
  }
}

/** The SDK has frozen the values already. */
function fixGlobals(context: Context): void {
  const globals = vm.runInContext('Object.getOwnPropertyDescriptors(globalThis)', context) as object
  const ofV8 = Object.create(Object.getPrototypeOf(context) as object) as object
  for (const name of Reflect.ownKeys(globals)) {
    const { value, enumerable, configurable } = Reflect.get(globals, name) as PropertyDescriptor
    if (name === ACTIVATOR || configurable !== true) continue
    const holder = Object.hasOwn(context, name) ? context : ofV8
    Object.defineProperty(holder, name, {
      value,
      enumerable: enumerable === true,
      writable: false,
      configurable: false,
    })
  }
  Object.setPrototypeOf(context, Object.freeze(ofV8))
}
