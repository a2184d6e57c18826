import pg from 'pg'

export interface StatementCount {
  /** shortened text of the statement; statements with inlined values count separately */
  readonly statement: string
  readonly count: number
  /** ms spent waiting for it */
  readonly ms: number
}

/**
 * Counts the statements that this process sends to Postgres. Each call of `query` is one round trip, also
 * BEGIN and COMMIT.
 * @returns a function that returns the counts since its last call
 */
export function countStatements(): () => StatementCount[] {
  const counts = new Map<string, { count: number; ms: number }>()
  const { query } = pg.Client.prototype
  // `query` has many overloads, so the arguments are passed on unchanged.
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [config] = args as [string | { text?: string }]
    const text = typeof config === 'string' ? config : (config?.text ?? '(cursor)')
    const entry = counts.get(text) ?? { count: 0, ms: 0 }
    counts.set(text, entry)
    entry.count += 1
    const began = performance.now()
    const result = Reflect.apply(query, this, args)
    if (result instanceof Promise) {
      const ended = () => {
        entry.ms += performance.now() - began
      }
      result.then(ended, ended)
    }
    return result
  } as typeof query
  return () => {
    const list = [...counts].map(([text, { count, ms }]) => ({ statement: shorten(text), count, ms }))
    counts.clear()
    return list
  }
}

const shorten = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 100)
