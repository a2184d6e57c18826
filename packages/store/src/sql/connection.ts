import { ProvingClient } from '@treeos/postgres'

/** Postgres keeps a plan for each name, so only so many texts of a connection get one. */
const NAMED_MAX = 200

/**
 * A connection that names its statements, so that Postgres parses and plans each only once. It also closes itself when an
 * answer does not come in time. Otherwise `pg` would hand it out again, and every later query would wait behind the one
 * without an answer.
 */
export class CarefulClient extends ProvingClient {
  readonly #names = new Map<string, string>()

  protected get hasNames(): boolean {
    return true
  }

  // biome-ignore lint/suspicious/noExplicitAny: `query` has many forms
  override query(...args: any[]): any {
    const [text, values, ...rest] = args
    // A text without values may hold several commands, and those cannot have a name.
    const name = this.hasNames && typeof text === 'string' && values?.length > 0 ? this.#nameOf(text) : null
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const ask = super.query as any
    const answer = name === null ? ask.apply(this, args) : ask.call(this, { name, text, values }, ...rest)
    if (answer instanceof Promise) answer.catch((error: unknown) => this.#closeAfter(error))
    return answer
  }

  #nameOf(text: string): string | null {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= NAMED_MAX) return known ?? null
    const name = `treeos_${this.#names.size}`
    this.#names.set(text, name)
    return name
  }

  #closeAfter(error: unknown): void {
    if (!(error instanceof Error) || !(isSilent(error) || isOutdated(error) || isFatal(error))) return
    this.connection.stream.destroy(error)
  }
}

/** A connection to a pooler, where the next statement may reach a connection of Postgres that knows no name, or another one's. */
export class NamelessClient extends CarefulClient {
  protected override get hasNames(): boolean {
    return false
  }
}

const isSilent = ({ message }: Error) => message === 'Query read timeout'
/** Postgres has ended this connection. If the pool handed it out before it closes, the next query would fail. */
const isFatal = (error: Error & { severity?: unknown }) => error.severity === 'FATAL'
/** A migration changed what a statement returns, so this connection would refuse the statement for ever. */
const isOutdated = (error: Error & { code?: unknown }) =>
  error.code === '0A000' && error.message.includes('cached plan')
