/** The part of Postgres' wire protocol that tells which statement was sent and whether it was committed. */

const SSL_REQUEST = 80_877_103
const GSS_REQUEST = 80_877_104
const CANCEL_REQUEST = 80_877_102

interface Frame {
  /** one letter; empty before the first typed message */
  readonly type: string
  readonly body: Buffer
}

/** Cuts a stream of any chunks into messages. */
class Frames {
  #rest: Buffer = Buffer.alloc(0)
  #untyped: boolean

  /** @param untyped the stream begins with messages that have a length and no letter, as a client's does */
  constructor(untyped: boolean) {
    this.#untyped = untyped
  }

  push(chunk: Buffer): Frame[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const frames: Frame[] = []
    for (;;) {
      const head = this.#untyped ? 0 : 1
      if (this.#rest.length < head + 4) return frames
      const length = this.#rest.readUInt32BE(head)
      if (this.#rest.length < head + length) return frames
      const body = this.#rest.subarray(head + 4, head + length)
      frames.push({ type: this.#untyped ? '' : String.fromCharCode(this.#rest[0] ?? 0), body })
      if (this.#untyped)
        this.#untyped = [SSL_REQUEST, GSS_REQUEST, CANCEL_REQUEST].includes(body.readUInt32BE(0))
      this.#rest = this.#rest.subarray(head + length)
    }
  }
}

/**
 * Watches one connection for statements whose acknowledgement is to be withheld. A single statement commits
 * by itself; one in a transaction commits with it.
 */
export class CommitWatch {
  readonly #client = new Frames(true)
  readonly #wanted: (statement: string) => boolean
  /** text by name; the unnamed one is empty */
  readonly #prepared = new Map<string, string>()
  #inTransaction = false
  #isDue = false

  /** @param wanted called for a statement; after it returned true it is not called again until that commit */
  constructor(wanted: (statement: string) => boolean) {
    this.#wanted = wanted
  }

  /** @returns true when the answer to what the client just sent is the acknowledgement of a wanted commit */
  sent(chunk: Buffer): boolean {
    let ends = false
    for (const { type, body } of this.#client.push(chunk)) {
      const statement = this.#asked(type, body)
      if (statement === null) continue
      if (/^\s*(begin|start transaction)\b/i.test(statement)) this.#inTransaction = true
      else if (/^\s*(commit|rollback)\b/i.test(statement)) {
        ends ||= this.#isDue && /^\s*commit\b/i.test(statement)
        this.#inTransaction = false
        this.#isDue = false
      } else if (!this.#isDue && this.#wanted(statement)) {
        if (this.#inTransaction) this.#isDue = true
        else ends = true
      }
    }
    return ends
  }

  /** The text of a simple query or of the prepared statement that is bound. */
  #asked(type: string, body: Buffer): string | null {
    if (type === 'Q') return text(body, 0)
    const second = text(body, body.indexOf(0) + 1)
    if (type === 'P') this.#prepared.set(text(body, 0), second)
    return type === 'B' ? (this.#prepared.get(second) ?? '') : null
  }
}

const text = (body: Buffer, from: number): string => body.toString('utf8', from, body.indexOf(0, from))

/** An answer that is buffered until it is complete. */
export class HeldAnswer {
  readonly #server = new Frames(false)
  readonly #chunks: Buffer[] = []
  #failed = false

  /** @returns null while the server is still answering; else whether the statement was committed */
  push(chunk: Buffer): 'committed' | 'failed' | null {
    this.#chunks.push(chunk)
    for (const { type, body } of this.#server.push(chunk)) {
      if (type === 'E') this.#failed = true
      // ReadyForQuery comes after the commit; its status is idle when no transaction is open.
      if (type === 'Z') return this.#failed || body.toString('latin1') !== 'I' ? 'failed' : 'committed'
    }
    return null
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}
