import { momentsReel, type ReelId } from '@treeos/core'
import type { Selectable } from 'kysely'
import { bigintIn, type CopyOut, type Tuple } from '../sql/copy.ts'
import type { Db } from '../sql/database.ts'
import type { FactTable, MomentOutcomeTable } from '../sql/schema.ts'
import type { LogEntry } from '../tree/leaf.ts'

export type FactRow = Selectable<FactTable> & { readonly salt: Buffer | null; readonly bytes: Buffer | null }
export type RecordRow = Omit<Selectable<MomentOutcomeTable>, 'detail' | 'result' | 'judged'> & {
  readonly reel: ReelId
  readonly seq: number
}

/** All facts, reel by reel and in order, several at a time. */
export async function* readFacts(copy: CopyOut): AsyncGenerator<FactRow[]> {
  const [reels, kinds] = [textReader(), textReader()]
  for await (const tuples of copy(`
    select f.reel, f.seq, f.kind, f.moment, f.hash, f.prev, f.payload_hash, f.header, p.salt, p.bytes
    from treeos.fact f left join treeos.payload p on p.reel = f.reel and p.seq = f.seq order by f.reel, f.seq`))
    yield tuples.map(
      ([reel, seq, kind, moment, hash, prev, payloadHash, header, salt, bytes]): FactRow => ({
        reel: reels(there(reel)),
        seq: bigintIn(there(seq)),
        kind: kinds(there(kind)),
        moment: textOf(moment),
        hash: there(hash),
        prev: there(prev),
        payload_hash: there(payloadHash),
        header: there(header),
        salt: salt ?? null,
        bytes: bytes ?? null,
      }),
    )
}

/** Records of one batch: what hangs on them is read in a few statements a batch. */
const RECORDS = 500

/** All records of moments, being by being and in order, about 500 at a time. */
export async function* readRecords(copy: CopyOut): AsyncGenerator<RecordRow[]> {
  const beings = textReader()
  let batch: RecordRow[] = []
  for await (const tuples of copy(`
    select being, n, moment, kind, reason, wake, sealed_at, primary_role, prev, hash, record
    from treeos.moment_outcome order by being, n`)) {
    for (const tuple of tuples) batch.push(recordOf(tuple, beings))
    if (batch.length < RECORDS) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

function recordOf(tuple: Tuple, beings: (field: Buffer) => string): RecordRow {
  const [whose, n, moment, kind, reason, wake, sealedAt, role, prev, hash, record] = tuple
  const being = beings(there(whose))
  const number = there(n).readInt32BE()
  return {
    reel: momentsReel(being),
    seq: number,
    being,
    n: number,
    moment: textOf(moment) ?? '',
    kind: textOf(kind) as RecordRow['kind'],
    reason: textOf(reason),
    wake: textOf(wake),
    sealed_at: bigintIn(there(sealedAt)),
    primary_role: textOf(role),
    prev: there(prev),
    hash: there(hash),
    record: there(record),
  }
}

/** All entries of the log in order, several at a time. */
export async function* readLog(copy: CopyOut): AsyncGenerator<(LogEntry & { readonly index: number })[]> {
  const reels = textReader()
  for await (const tuples of copy('select index, reel, seq, hash from treeos.log_entry order by index'))
    yield tuples.map(([index, reel, seq, hash]) => ({
      index: bigintIn(there(index)),
      reel: reels(there(reel)),
      seq: bigintIn(there(seq)),
      hash: there(hash),
    }))
}

const textOf = (field: Buffer | null | undefined): string | null => field?.toString('utf8') ?? null

function there(field: Buffer | null | undefined): Buffer {
  if (field == null) throw new Error('Postgres gave no value for a column that is never null')
  return field
}

/** Reads texts of which one often follows itself. */
function textReader(): (field: Buffer) => string {
  let [last, text] = [Buffer.alloc(0), '']
  return (field) => {
    if (!field.equals(last)) [last, text] = [Buffer.from(field), field.toString('utf8')]
    return text
  }
}

export function strayPayloads(tx: Db): Promise<{ reel: ReelId; seq: number }[]> {
  return tx
    .selectFrom('payload')
    .select(['reel', 'seq'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('fact')
            .select('fact.seq')
            .whereRef('fact.reel', '=', 'payload.reel')
            .whereRef('fact.seq', '=', 'payload.seq'),
        ),
      ),
    )
    .execute()
}
