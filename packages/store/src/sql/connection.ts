import { ProvingClient } from '@treeos/postgres'
import { UNSUPPORTED_STARTUP } from './sqlstates.ts'

/** Postgres keeps a plan for each name, so only so many texts of a connection get one. */
const NAMED_MAX = 200

/**
 * A connection that names its statements, so that Postgres parses and plans each only once. It also closes
 * itself when an answer does not come in time. Otherwise `pg` would hand it out again, and every later query
 * would wait behind the one without an answer.
 */
export class CarefulClient extends ProvingClient {
  readonly #names = new Map<string, string>()

  constructor(config?: ConstructorParameters<typeof ProvingClient>[0]) {
    super(config)
    this.connection.prependListener('errorMessage', adviseOnPooler)
  }

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
    if (!(error instanceof Error)) return
    if (!(isSilent(error) || isOutdated(error) || isFatal(error) || isReadOnly(error))) return
    this.connection.stream.destroy(error)
  }
}

/**
 * A connection to a pooler, where the next statement may reach a connection of Postgres that knows no name,
 * or another one's.
 */
export class NamelessClient extends CarefulClient {
  protected override get hasNames(): boolean {
    return false
  }
}

/** A pooler names the setting that it refuses, and not what to do. */
function adviseOnPooler(error: { message: string }): void {
  if (UNSUPPORTED_STARTUP.test(error.message)) error.message += POOLER_ADVICE
}

const POOLER_ADVICE =
  '. A pooler of connections stands before Postgres: add ?pooler=transaction to the database URL, as docs/running.md says'

const isSilent = ({ message }: Error) => message === 'Query read timeout'
/**
 * Postgres has ended this connection. If the pool handed it out before it closes, the next query would fail.
 */
const isFatal = (error: Error & { severity?: unknown }) => error.severity === 'FATAL'
/** At a failover the server became a standby. The address may lead to another one now. */
const isReadOnly = (error: Error & { code?: unknown }) => error.code === '25006'
/** A migration changed what a statement returns, so this connection would refuse the statement for ever. */
const isOutdated = (error: Error & { code?: unknown }) =>
  error.code === '0A000' && error.message.includes('cached plan')
