/**
 * Takes a defence away within a worker's process, so that a control can show what it defends against. The
 * worker loads this file before its own, with `TREEOS_TEST_WITHOUT` set; in any other process the file does
 * nothing.
 */
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

/**
 * - `read-timeouts`: an answer of Postgres is waited for as long as it takes
 * - `error-listeners`: nobody listens to a connection in use that loses its server
 * - `forgetting`: each statement leaves 2 MiB behind
 * - `releasing-rows`: the rows of each answer of Postgres stay in the heap
 * - `stacked-roles`: its activities evaluate flows without their stacked roles; its workflows come from a
 *   bundle, and do not
 * - `law`: it writes facts and rows that the law does not give, as `test/support/forgeries.ts` says
 */
export type WorkerSabotage =
  | 'read-timeouts'
  | 'error-listeners'
  | 'forgetting'
  | 'releasing-rows'
  | 'stacked-roles'
  | 'law'

/** Variables of a worker's process. */
export const withoutDefences = (what: readonly WorkerSabotage[]): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${fileURLToPath(import.meta.url)}`,
  TREEOS_TEST_WITHOUT: what.join(),
})

const LEFT_BYTES = 2 * 2 ** 20
const left: Buffer[] = []
const keptRows: unknown[] = []

for (const what of (process.env.TREEOS_TEST_WITHOUT ?? '').split(',') as (WorkerSabotage | '')[]) {
  const { on } = pg.Pool.prototype
  if (what === 'error-listeners')
    pg.Pool.prototype.on = function (this: pg.Pool, ...args: Parameters<typeof on>) {
      return (args[0] as string) === 'connect' ? this : on.apply(this, args)
    } as typeof on
  if (what === 'read-timeouts')
    onEachQuery((client) => {
      ;(
        client as unknown as { connectionParameters: { query_timeout: unknown } }
      ).connectionParameters.query_timeout = false
    })
  if (what === 'stacked-roles')
    await loadChanged(
      'packages/roles/src/evaluate/evaluate.ts',
      'stacked: stacked.map(pinned)',
      'stacked: []',
    )
  if (what === 'law') {
    Object.assign(globalThis, { forgeries: await import('../support/forgeries.ts') })
    await loadChanged(
      'packages/world/src/law/conclude.ts',
      'facts: [...(park === null ? (act?.facts ?? []) : [park.fact]), ...notes],',
      'facts: globalThis.forgeries.forgedFacts(moment, [...(park === null ? (act?.facts ?? []) : [park.fact]), ...notes]),',
    )
    await loadChanged(
      'packages/world/src/read/fold-rows.ts',
      '  return folded\n}\n',
      '  return globalThis.forgeries.forgedRows(reader, drafts, folded)\n}\n',
    )
  }
  if (what === 'forgetting') onEachQuery(() => void left.push(Buffer.alloc(LEFT_BYTES, 1)))
  if (what === 'releasing-rows') {
    const { query } = pg.Client.prototype
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      const answer = (query as (...all: unknown[]) => unknown).apply(this, args)
      if (answer instanceof Promise)
        answer.then(
          ({ rows }: pg.QueryResult) => keptRows.push(rows),
          () => undefined, // who asked hears of it
        )
      return answer
    } as typeof query
  }
}

function onEachQuery(does: (client: pg.Client) => void): void {
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    does(this)
    return (query as (...all: unknown[]) => unknown).apply(this, args)
  } as typeof query
}

/** Loads a module before the worker does, with another source. @throws {Error} unless it says `from` once */
async function loadChanged(file: string, from: string, to: string): Promise<void> {
  const module = new URL(`../../${file}`, import.meta.url).href
  const hooks = registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (url !== module) return loaded
      const source = Buffer.from(loaded.source as Uint8Array).toString()
      if (source.split(from).length !== 2) throw new Error(`${file} does not say once: ${from}`)
      return { ...loaded, source: source.replace(from, to) }
    },
  })
  await import(module)
  hooks.deregister() // with hooks, Node fails to load some packages
}
