import { escapeLiteral, ProvingClient, type Submittable, type WireConnection } from '@treeos/postgres'

/**
 * Copies the rows of a query out of Postgres, and gives each to `take` as it comes.
 * @param select one statement without parameters
 * @param take when it returns a promise, no more rows are fetched until that is settled; those that are here
 *   already still come
 */
export type CopyOut = (select: string, take: (row: CopiedRow) => Promise<void> | undefined) => Promise<void>

/**
 * Copies out of the snapshot that another transaction has exported, over a connection of its own.
 * @param begin statements for the new connection, such as its role
 */
export function copyFrom(url: string, begin: string, snapshot: string): CopyOut {
  return async (select, take) => {
    const client = new ProvingClient({
      connectionString: url,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      application_name: 'treeos copy',
    })
    const { promise: lost, reject } = Promise.withResolvers<never>()
    lost.catch(() => undefined) // it may be lost before anything waits for it
    client.on('error', reject)
    await client.connect()
    try {
      await client.query(begin)
      await client.query(
        `begin isolation level repeatable read read only; set transaction snapshot ${escapeLiteral(snapshot)}; ${SETTINGS}`,
      )
      const copying = new CopyQuery(`copy (${select}) to stdout (format binary)`, take)
      client.query(copying)
      await Promise.race([copying.done, lost])
    } finally {
      client.end().catch(() => undefined) // also in the middle of a copy, when a row could not be taken
    }
  }
}

// Whole tables are read, in the order of their keys. To look up each row of another table, which Postgres
// takes for cheap, is three times as much work as to merge the two.
const SETTINGS =
  'set local statement_timeout = 0; set local enable_nestloop = off; set local enable_hashjoin = off; set local jit = off'

/**
 * A query whose rows `pg` hands over as bytes. Its own queries make objects of them, which takes longer than
 * to check them.
 */
class CopyQuery implements Submittable {
  readonly #text: string
  readonly #take: (row: CopiedRow) => Promise<void> | undefined
  readonly #rows = new CopiedRows()
  readonly #end = Promise.withResolvers<void>()
  #isOver = false
  /** promises of `take` that are not settled */
  #waiting = 0

  constructor(text: string, take: (row: CopiedRow) => Promise<void> | undefined) {
    this.#text = text
    this.#take = take
  }

  /** @throws {Error} of Postgres, of the connection, or of `take` */
  get done(): Promise<void> {
    return this.#end.promise
  }

  submit(connection: WireConnection): void {
    ;(connection as unknown as { query(text: string): void }).query(this.#text)
  }

  handleCopyData({ chunk }: { chunk: Buffer }, { stream }: WireConnection): void {
    if (this.#isOver) return
    try {
      this.#rows.read(chunk, (row) => {
        const taken = this.#take(row)
        if (taken === undefined) return
        this.#waiting += 1
        stream.pause()
        taken.then(
          () => --this.#waiting === 0 && stream.resume(),
          (error: unknown) => this.handleError(error),
        )
      })
    } catch (error) {
      this.handleError(error) // thrown here, it would end the process
    }
  }

  handleError(error: unknown): void {
    this.#isOver = true
    this.#end.reject(error)
  }

  handleCommandComplete(): void {
    try {
      this.#rows.end()
    } catch (error) {
      this.handleError(error)
    }
  }

  handleReadyForQuery(): void {
    this.#end.resolve()
  }
}

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
const HEADER_BYTES = SIGNATURE.length + 8
const END = -1

/** Reads the binary form of COPY, of which each message holds whole rows. */
export class CopiedRows {
  readonly #row = new CopiedRow()
  #isBegun = false
  #isOver = false

  /** @throws {Error} when it is not a binary copy, or holds only part of a row */
  read(message: Buffer, take: (row: CopiedRow) => void): void {
    let at = 0
    if (!this.#isBegun) {
      if (!message.subarray(0, SIGNATURE.length).equals(SIGNATURE))
        throw new Error('Postgres sent no binary copy')
      at = HEADER_BYTES + message.readInt32BE(HEADER_BYTES - 4)
      this.#isBegun = true
    }
    while (at < message.length && !this.#isOver) {
      const fields = message.readInt16BE(at)
      this.#isOver = fields === END
      if (this.#isOver) return
      at = this.#row.read(message, at + 2, fields)
      take(this.#row)
    }
  }

  /** @throws {Error} when rows are missing */
  end(): void {
    if (!this.#isOver) throw new Error('the copy of a table ended too early')
  }
}

/**
 * One row. The same object shows the next row afterwards, over memory that is used again: copy what is to be
 * kept.
 */
export class CopiedRow {
  #data: Buffer = Buffer.alloc(0)
  readonly #starts: number[] = []
  /** before the start for a null */
  readonly #ends: number[] = []
  /** fields */
  length = 0

  /** @returns where the next row begins. @throws {Error} when there is only a part of this one */
  read(data: Buffer, from: number, fields: number): number {
    this.#data = data
    this.length = fields
    let at = from
    for (let i = 0; i < fields; i++) {
      const length =
        ((data[at] as number) << 24) |
        ((data[at + 1] as number) << 16) |
        ((data[at + 2] as number) << 8) |
        (data[at + 3] as number)
      at += 4
      this.#starts[i] = at
      this.#ends[i] = at + length
      if (length > 0) at += length
    }
    if (at > data.length) throw new Error('Postgres sent only a part of a row')
    return at
  }

  isNull(field: number): boolean {
    return (this.#ends[field] as number) < (this.#starts[field] as number)
  }

  /** A view of a field that is not null. */
  bytes(field: number): Buffer {
    if (this.isNull(field)) throw new Error('Postgres gave no value for a column that is never null')
    return this.#data.subarray(this.#starts[field], this.#ends[field])
  }

  equals(field: number, other: Uint8Array): boolean {
    const [data, start, length] = [this.#data, this.#starts[field] as number, other.length]
    if (this.#ends[field] !== start + length) return false
    for (let i = 0; i < length; i++) if (data[start + i] !== other[i]) return false
    return true
  }

  text(field: number): string {
    if (this.isNull(field)) throw new Error('Postgres gave no value for a column that is never null')
    return this.#data.toString('utf8', this.#starts[field], this.#ends[field])
  }

  textOrNull(field: number): string | null {
    return this.isNull(field) ? null : this.text(field)
  }

  integer(field: number): number {
    return this.#data.readInt32BE(this.#starts[field])
  }

  /** A bigint below 2^53. */
  bigint(field: number): number {
    const at = this.#starts[field] as number
    return this.#data.readInt32BE(at) * 2 ** 32 + this.#data.readUInt32BE(at + 4)
  }
}
