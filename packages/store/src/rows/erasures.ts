import {
  FACT_ERASED,
  type FactHeader,
  type JsonObject,
  MOMENT_ERASED,
  type MomentId,
  type ReelId,
} from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'

/** What was erased, as its tombstone says: a fact that stays on the same reel. */
export interface Erasure {
  readonly reel: ReelId
  /** seq of the erased fact; null when a moment was erased */
  readonly seq: number | null
  /** the moment whose decision and effect were erased; null when a fact was */
  readonly moment: MomentId | null
  /** who erased it */
  readonly by: string
  readonly why: string
  /** ms since 1970 UTC */
  readonly at: number
  /** seq of the tombstone */
  readonly tombstone: number
}

/** Everything that was erased, in the order of the reels. @param reel only what was erased on this one */
export async function listErasures(db: Db, reel: ReelId | null = null): Promise<Erasure[]> {
  const { rows } = await sql<{ reel: ReelId; seq: number; header: Buffer; bytes: Buffer }>`
    select f.reel, f.seq, f.header, f.bytes
    from treeos.fact f
    where f.kind in ('fact:erased', 'moment:erased') and f.bytes is not null and (${reel}::text is null or f.reel = ${reel}::text)
    order by f.reel collate "C", f.seq`.execute(db)
  return rows.flatMap((row): Erasure[] => {
    const { actor, at, kind } = decodeJson<FactHeader>(row.header)
    const said = decodeJson<JsonObject>(row.bytes)
    const { reel, seq: tombstone } = row
    const told = { by: String(said.onBehalfOf ?? actor), why: String(said.why), at, tombstone }
    if (kind === FACT_ERASED) return [{ reel, seq: Number(said.seq), moment: null, ...told }]
    return kind === MOMENT_ERASED ? [{ reel, seq: null, moment: String(said.moment), ...told }] : []
  })
}

/** What was erased, for questions. */
export class Erasures {
  readonly #facts = new Map<ReelId, Map<number, Erasure>>()
  readonly #moments = new Map<MomentId, Erasure>()

  constructor(all: readonly Erasure[]) {
    for (const erasure of all) {
      const { reel, seq, moment } = erasure
      if (moment !== null) this.#moments.set(moment, erasure)
      if (seq === null) continue
      const facts = this.#facts.get(reel) ?? new Map<number, Erasure>()
      this.#facts.set(reel, facts.set(seq, erasure))
    }
  }

  get isEmpty(): boolean {
    return this.#facts.size === 0 && this.#moments.size === 0
  }

  ofFact(reel: ReelId, seq: number): Erasure | undefined {
    return this.#facts.get(reel)?.get(seq)
  }

  ofMoment(moment: MomentId): Erasure | undefined {
    return this.#moments.get(moment)
  }
}

export const readErasures = async (db: Db, reel: ReelId | null = null): Promise<Erasures> =>
  new Erasures(await listErasures(db, reel))
