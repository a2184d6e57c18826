import pg from 'pg'

/**
 * Names its statements, so that Postgres parses and plans each once a connection. And gives up a connection on which an
 * answer did not come in time: `pg` would hand it out again, and every later query would wait behind the one that is never
 * answered.
 */
export class CarefulClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: all the forms that `query` has
  override query(...question: any[]): any {
    const [text, values, ...rest] = question
    // Without values it may be several commands at once, which no name can stand for.
    const name = typeof text === 'string' && values?.length > 0 ? nameOf(text) : null
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const ask = super.query as any
    const answer = name === null ? ask.apply(this, question) : ask.call(this, { name, text, values }, ...rest)
    if (answer instanceof Promise) answer.catch((error: unknown) => this.#heed(error))
    return answer
  }

  #heed(error: unknown): void {
    if (!(error instanceof Error) || !(isSilent(error) || isOutdated(error) || isFatal(error))) return
    this.connection.stream.destroy(error)
  }
}

const isSilent = ({ message }: Error) => message === 'Query read timeout'
/** Postgres has ended this connection, and its closing is on the way: handed out before that, it would fail the next query. */
const isFatal = (error: Error & { severity?: unknown }) => error.severity === 'FATAL'
/** A migration has changed what a statement returns: this connection would refuse it for ever. */
const isOutdated = (error: Error & { code?: unknown }) =>
  error.code === '0A000' && error.message.includes('cached plan')

/** Plans rest in every connection, so statements whose text varies without end stay unnamed. */
const NAMED_MAX = 200
const names = new Map<string, string>()

function nameOf(text: string): string | null {
  const known = names.get(text)
  if (known !== undefined || names.size >= NAMED_MAX) return known ?? null
  const name = `treeos_${names.size}`
  names.set(text, name)
  return name
}
