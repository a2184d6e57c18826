import type { Json } from '@treeos/core'
import { type Db, decodeJson, readBases } from '@treeos/store'
import { faultOfWake, Passkeys, signerOf, signingOf } from '@treeos/verify'
import { sql } from 'kysely'
import type { FactRow, RecordRow } from './read.ts'
import type { MomentFault } from './stored-moments.ts'

const OF_BEINGS = 'being:'
/** What the payload of a birth of a person has in it. */
const IS_PERSON = '"human"'
/** The beginning of a payload that sets a passkey, as it is stored. */
const SETS_PASSKEY = '"path":["passkeys"'

interface ActRow {
  readonly moment: string
  readonly open: Buffer
  readonly salt: Buffer | null
  readonly bytes: Buffer | null
}

/**
 * What passkeys show of the acts of persons, as the check of a bundle says it: a wrong signature is a fault,
 * and an act without the signature that its person could have made is named. Only acts cost anything, and of
 * facts those that set passkeys.
 */
export class StoredSignings {
  readonly #reality: string
  readonly #passkeys = new Passkeys()
  /** beings that were born as persons */
  readonly #persons = new Set<string>()
  readonly #unsigned = new Map<string, number>()

  /** @param reality its id, which each signature names */
  constructor(reality: string) {
    this.#reality = reality
  }

  /** Call it with each fact, reel by reel and in order. */
  take({ reel, seq, kind, header, bytes }: FactRow): void {
    if (kind === 'being:born' && bytes?.includes(IS_PERSON) === true)
      this.#takeBorn(reel, readableJson(bytes))
    if (kind !== 'quality:set' || !reel.startsWith(OF_BEINGS)) return
    if (bytes === null) this.#passkeys.take(reel, seq, readableJson(header), null)
    else if (bytes.includes(SETS_PASSKEY))
      this.#passkeys.take(reel, seq, readableJson(header), readableJson(bytes))
  }

  #takeBorn(reel: string, payload: Json): void {
    const cognition = (payload as { readonly cognition?: { readonly kind?: Json } | null } | null)?.cognition
    if (cognition?.kind === 'human') this.#persons.add(reel.slice(OF_BEINGS.length))
  }

  /** Call it after the last fact. @returns the acts with a wrong signature, and moments of persons that no act opened */
  async faultsOf(tx: Db, records: readonly RecordRow[]): Promise<MomentFault[]> {
    const recordOf = new Map(records.map((row) => [row.moment, row]))
    const { rows } = await sql<ActRow>`
      select o.moment, o.record as open, d.salt, d.bytes
      from treeos.moment_open o left join treeos.moment_decision d on d.moment = o.moment
      where o.moment = any(${[...recordOf.keys()]}::text[]) and (position('"kind":"act"'::bytea in o.record) > 0 or position('"signed":'::bytea in o.record) > 0
        or o.being = any(${[...this.#persons]}::text[]))
      order by o.moment`.execute(tx)
    const bases = await readBases(
      tx,
      rows.map(({ moment }) => moment),
    )
    return rows.flatMap((act): MomentFault[] => {
      const row = recordOf.get(act.moment) as RecordRow
      if (this.#isByNoPerson(row, readableJson(act.open)))
        return [{ reel: row.reel, seq: row.seq, reason: 'open-mismatch', on: [row.reel] }]
      const on = this.#faultOf(act, readableJson(row.record), bases.get(act.moment)?.heads ?? [])
      return on === null
        ? []
        : [{ reel: row.reel, seq: row.seq, reason: 'signature-mismatch', on: [row.reel, on] }]
    })
  }

  /** Whether a moment of a person says that nobody acted: its being was born as one, whatever the moment says of that. */
  #isByNoPerson({ being, record }: RecordRow, open: Json): boolean {
    if (!this.#persons.has(being) || open === null) return false
    const { outcome = null } = (readableJson(record) ?? {}) as { readonly outcome?: Json }
    return faultOfWake({ ...(open as object), cognition: { kind: 'human' } }, being, outcome) !== null
  }

  /** @returns the reel of the person whose signature is wrong; null where none is */
  #faultOf(
    { open: bytes, salt, bytes: said }: ActRow,
    record: Json,
    basis: readonly (readonly [string, number, string])[],
  ): string | null {
    const open = readableJson(bytes)
    // the walk reports it
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return null
    const own = record as { readonly [field: string]: Json }
    const signer = signerOf(open, String(own.being))
    const reel = `${OF_BEINGS}${signer}`
    const [, seq] = basis.find(([read]) => read === reel) ?? []
    const keys = seq === undefined ? null : this.#passkeys.at(reel, seq)
    const act = {
      record: own,
      open,
      decision: said === null ? null : readableJson(said),
      salt: salt?.toString('hex') ?? null,
    }
    const signing = signingOf(this.#reality, act, keys)
    if (signing.kind === 'wrong') return reel
    if (signing.kind === 'signed' || signing.kind === 'none') return null
    if (signing.kind === 'unknown' && !signing.isSigned) return null // nobody knows whether it had a passkey
    const why = signing.kind === 'unknown' ? signing.why : 'it had one and did not use it'
    const text = `that @${signing.by} made them is not shown by a passkey: ${why}`
    this.#unsigned.set(text, (this.#unsigned.get(text) ?? 0) + 1)
    return null
  }

  /** In words, which acts no passkey shows. */
  get unsigned(): string[] {
    return [...this.#unsigned].map(([text, count]) => `of ${count} acts ${text}`)
  }
}

function readableJson(bytes: Buffer): Json {
  try {
    return decodeJson<Json>(bytes)
  } catch {
    return null
  }
}
