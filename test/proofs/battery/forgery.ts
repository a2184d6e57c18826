/**
 * What an attacker changes in Postgres, and the hashes that one computes again. It shares no code with what
 * writes chains.
 */
import { createHash } from 'node:crypto'
import { canonicalJson, type Json, type JsonObject } from '@treeos/core'
import { type Change, changesOf, type Dump, keyOf, type Row, tableOf } from './dump.ts'

const sha256 = (...parts: readonly (string | Buffer)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

export const hex = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`
export const bytesOf = (text: string | null | undefined): Buffer => Buffer.from((text ?? '').slice(2), 'hex')
export const jsonOf = (text: string | null | undefined): JsonObject =>
  JSON.parse(bytesOf(text).toString('utf8')) as JsonObject
export const stored = (value: Json): string => hex(Buffer.from(canonicalJson(value), 'utf8'))

export const payloadHash = (salt: string, bytes: string): Buffer =>
  sha256('treeos.payload.v1\0', bytesOf(salt), bytesOf(bytes))
export const valueDigest = (bytes: string): string =>
  sha256('treeos.value.v1\0', bytesOf(bytes)).toString('hex')
/** Whether the payload of a fact was not erased. */
export const hasPayload = ({ bytes }: Row): boolean => (bytes ?? null) !== null
const genesis = (reality: string, reel: string) => sha256('treeos.genesis.v1\0', reality, '\0', reel)

/** A copy of all rows that is changed, and then compared with what it was. */
export class Forgery {
  readonly from: Dump
  readonly #rows = new Map<string, Row[]>()

  constructor(from: Dump) {
    this.from = from
  }

  /** The rows of a table, which may be changed, added and deleted. */
  rows(table: string): Row[] {
    const known = this.#rows.get(table)
    if (known !== undefined) return known
    const rows = tableOf(this.from, table).rows.map((row) => ({ ...row }))
    this.#rows.set(table, rows)
    return rows
  }

  keep(table: string, rows: readonly Readonly<Row>[]): void {
    this.#rows.set(
      table,
      rows.map((row) => ({ ...row })),
    )
  }

  drop(table: string, is: (row: Row) => boolean): void {
    this.keep(
      table,
      this.rows(table).filter((row) => !is(row)),
    )
  }

  /** Empty too when two rows of a table have one key: Postgres takes no such rows. */
  changes(): Change[] {
    const isPossible = [...this.#rows].every(([name, rows]) => {
      const table = tableOf(this.from, name)
      return new Set(rows.map((row) => keyOf(table, row))).size === rows.length
    })
    if (!isPossible) return []
    return [...this.#rows].flatMap(([name, rows]) => changesOf(tableOf(this.from, name), rows))
  }

  get reality(): string {
    return tableOf(this.from, 'reality').rows[0]?.id ?? ''
  }

  /** The facts of a reel in order. */
  facts(reel: string): Row[] {
    return this.rows('fact')
      .filter((row) => row.reel === reel)
      .sort((a, b) => Number(a.seq) - Number(b.seq))
  }

  records(being: string): Row[] {
    return this.rows('moment_outcome')
      .filter((row) => row.being === being)
      .sort((a, b) => Number(a.n) - Number(b.n))
  }

  /** Writes the header of a fact anew from its columns and payload, with what is said otherwise. */
  rewrite(fact: Row, said: JsonObject = {}): void {
    if (hasPayload(fact)) fact.payload_hash = hex(payloadHash(fact.salt ?? '', fact.bytes ?? ''))
    const { reel = null, kind = null, moment = null } = fact
    const payloadHashHex = bytesOf(fact.payload_hash).toString('hex')
    const own = { reel, seq: Number(fact.seq), kind, moment, payloadHash: payloadHashHex }
    fact.header = stored({ ...jsonOf(fact.header), ...own, ...said })
  }

  /** Computes the links of a reel again, from one fact on, and its head. */
  relinkFacts(reel: string, from = 1): void {
    let prev = genesis(this.reality, reel)
    for (const fact of this.facts(reel)) {
      if (Number(fact.seq) >= from) {
        fact.prev = hex(prev)
        fact.hash = hex(sha256('treeos.fact.v1\0', prev, bytesOf(fact.header)))
      }
      prev = bytesOf(fact.hash)
    }
    const facts = this.facts(reel)
    const state = facts.findLast(({ kind }) => kind !== 'being:summoned')?.seq ?? '0'
    this.#stand(reel, facts.at(-1)?.seq ?? '0', prev, state)
  }

  relinkRecords(being: string, from = 1): void {
    let prev = genesis(this.reality, `moments:${being}`)
    for (const row of this.records(being)) {
      if (Number(row.n) >= from) {
        row.prev = hex(prev)
        row.hash = hex(sha256('treeos.moment.v1\0', prev, bytesOf(row.record)))
      }
      prev = bytesOf(row.hash)
    }
    this.#stand(`moments:${being}`, this.records(being).at(-1)?.n ?? '0', prev, '0')
  }

  #stand(reel: string, seq: string, hash: Buffer, state: string): void {
    const head = this.rows('head').find((row) => row.reel === reel)
    if (head === undefined) this.rows('head').push({ reel, seq, hash: hex(hash), state_seq: state })
    else Object.assign(head, { seq, hash: hex(hash), state_seq: state })
  }
}
