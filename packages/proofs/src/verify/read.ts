import { momentsReel, type ReelId } from '@treeos/core'
import type { CopiedRow, CopyOut, FactTable, MomentOutcomeTable } from '@treeos/store'
import type { Selectable } from 'kysely'
import type { LogEntry } from '../tree/leaf.ts'

/** A fact with its payload. The same object shows the next fact afterwards: copy what is to be kept. */
export type FactRow = Readonly<Selectable<FactTable>>
export type RecordRow = Omit<
  Selectable<MomentOutcomeTable>,
  'detail' | 'result' | 'judged' | 'sent' | 'refusal'
> & {
  readonly reel: ReelId
  readonly seq: number
}

/** All facts, reel by reel and in order. */
export async function readFacts(copy: CopyOut, take: (fact: FactRow) => void): Promise<void> {
  const fact = new CopiedFact()
  await copy(
    `select reel, seq, kind, moment, hash, prev, payload_hash, header, salt, bytes from treeos.fact order by reel, seq`,
    (row) => {
      fact.show(row)
      take(fact)
      return undefined
    },
  )
}

/** Makes nothing of a field until it is asked for: there are millions of rows. */
class CopiedFact implements FactRow {
  reel: ReelId = ''
  seq = 0
  kind = ''
  #row!: CopiedRow
  readonly #reels = textReader()
  readonly #kinds = textReader()

  show(row: CopiedRow): void {
    this.#row = row
    this.reel = this.#reels(row, 0)
    this.seq = row.bigint(1)
    this.kind = this.#kinds(row, 2)
  }

  get moment(): string | null {
    return this.#row.textOrNull(3)
  }

  get hash(): Buffer {
    return this.#row.bytes(4)
  }

  get prev(): Buffer {
    return this.#row.bytes(5)
  }

  get payload_hash(): Buffer {
    return this.#row.bytes(6)
  }

  get header(): Buffer {
    return this.#row.bytes(7)
  }

  get salt(): Buffer | null {
    return this.#row.isNull(8) ? null : this.#row.bytes(8)
  }

  get bytes(): Buffer | null {
    return this.#row.isNull(9) ? null : this.#row.bytes(9)
  }
}

/** Records of one batch: what hangs on them is read in a few statements a batch. */
const RECORDS = 500

/** All records of moments, being by being and in order, about 500 at a time, one batch after another. */
export async function readRecords(
  copy: CopyOut,
  take: (batch: readonly RecordRow[]) => Promise<void>,
): Promise<void> {
  const beings = textReader()
  let batch: RecordRow[] = []
  let taken = Promise.resolve()
  const takeBatch = () => {
    if (batch.length === 0) return taken
    const full = batch
    batch = []
    taken = taken.then(() => take(full))
    return taken
  }
  await copy(
    `select being, n, moment, kind, reason, wake, sealed_at, primary_role, prev, hash, record
    from treeos.moment_outcome order by being, n`,
    (row) => {
      batch.push(recordOf(row, beings(row, 0)))
      return batch.length < RECORDS ? undefined : takeBatch()
    },
  )
  await takeBatch()
}

const recordOf = (row: CopiedRow, being: string): RecordRow => ({
  reel: momentsReel(being),
  seq: row.integer(1),
  being,
  n: row.integer(1),
  moment: row.text(2),
  kind: row.text(3) as RecordRow['kind'],
  reason: row.textOrNull(4),
  wake: row.textOrNull(5),
  sealed_at: row.bigint(6),
  primary_role: row.textOrNull(7),
  prev: Buffer.from(row.bytes(8)),
  hash: Buffer.from(row.bytes(9)),
  record: Buffer.from(row.bytes(10)),
})

/** All entries of the log in order. */
export async function readLog(
  copy: CopyOut,
  take: (entry: LogEntry & { readonly index: number }) => void,
): Promise<void> {
  const reels = textReader()
  await copy('select index, reel, seq, hash from treeos.log_entry order by index', (row) => {
    take({ index: row.bigint(0), reel: reels(row, 1), seq: row.bigint(2), hash: row.bytes(3) })
    return undefined
  })
}

/** Reads texts of which one often follows itself. */
function textReader(): (row: CopiedRow, field: number) => string {
  let [last, text] = [Buffer.alloc(0), '']
  return (row, field) => {
    if (!row.equals(field, last)) [last, text] = [Buffer.from(row.bytes(field)), row.text(field)]
    return text
  }
}
