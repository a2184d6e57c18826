import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'

/** The fields of one row, in the order of the query and in Postgres' binary form. */
export type Tuple = readonly (Buffer | null)[]

/**
 * Reads the rows of a query as they come, several at a time, without parsing them as `pg` does for a query.
 * @param select one statement without parameters
 */
export type CopyOut = (select: string) => AsyncGenerator<Tuple[]>

/**
 * Copies out of the snapshot that another transaction has exported, over a connection of its own.
 * @param begin statements for the new connection, such as its role
 */
export function copyFrom(url: string, begin: string, snapshot: string): CopyOut {
  return async function* copy(select) {
    const client = new pg.Client({
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
        `begin isolation level repeatable read read only; set transaction snapshot ${pg.escapeLiteral(snapshot)}; set local statement_timeout = 0`,
      )
      const stream = client.query(copyTo(`copy (${select}) to stdout (format binary)`))
      const parser = new TupleParser()
      const chunks = stream[Symbol.asyncIterator]()
      for (;;) {
        const { value, done } = await Promise.race([chunks.next(), lost])
        if (done === true) break
        const tuples = parser.take(value as Buffer)
        if (tuples.length > 0) yield tuples
      }
      parser.end()
    } finally {
      client.end().catch(() => undefined) // also in the middle of a copy, when the reader has seen enough
    }
  }
}

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
const HEADER_BYTES = SIGNATURE.length + 8
const END = -1

/** Cuts the binary form of COPY into rows. */
export class TupleParser {
  #rest: Buffer = Buffer.alloc(0)
  #isBegun = false
  #isOver = false

  take(chunk: Buffer): Tuple[] {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const tuples: Tuple[] = []
    let at = this.#begin(data)
    while (at >= 0 && !this.#isOver) {
      const next = this.#tuple(data, at, tuples)
      if (next < 0) break
      at = next
    }
    this.#rest = data.subarray(Math.max(at, 0))
    return tuples
  }

  /** @throws {Error} when rows are missing */
  end(): void {
    if (!this.#isOver) throw new Error('the copy of a table ended too early')
  }

  /** @returns where the first row begins; −1 while that is not here */
  #begin(data: Buffer): number {
    if (this.#isBegun) return 0
    if (data.length < HEADER_BYTES) return -1
    if (!data.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new Error('Postgres sent no binary copy')
    const at = HEADER_BYTES + data.readInt32BE(HEADER_BYTES - 4)
    if (data.length < at) return -1
    this.#isBegun = true
    return at
  }

  /** @returns where the next row begins; −1 when this one is not here as a whole */
  #tuple(data: Buffer, from: number, tuples: Tuple[]): number {
    if (data.length < from + 2) return -1
    const count = data.readInt16BE(from)
    let at = from + 2
    if (count === END) {
      this.#isOver = true
      return at
    }
    const fields = new Array<Buffer | null>(count)
    for (let i = 0; i < count; i++) {
      if (data.length < at + 4) return -1
      const length = data.readInt32BE(at)
      at += 4
      if (length === -1) {
        fields[i] = null
        continue
      }
      if (data.length < at + length) return -1
      fields[i] = data.subarray(at, at + length)
      at += length
    }
    tuples.push(fields)
    return at
  }
}

/** A bigint below 2^53. */
export const bigintIn = (field: Buffer): number => field.readInt32BE(0) * 2 ** 32 + field.readUInt32BE(4)
