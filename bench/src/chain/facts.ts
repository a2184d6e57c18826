import { type FactDraft, spaceReel } from '@treeos/core'
import { type BuiltFact, buildFacts, type Reality, readHeads, type StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'

/** Facts of one insert. */
const BATCH_LENGTH = 2000

/**
 * Writes whole chains of facts past the append, which would take longer than the benchmark. They verify:
 * hashes, links, heads and journal are as the append makes them. A fact has a header of about 330 bytes and a
 * payload of about 120.
 */
export async function writeFacts(
  owner: Kysely<StoreDb>,
  reality: Reality,
  { reels, factsPerReel }: { readonly reels: number; readonly factsPerReel: number },
): Promise<void> {
  const names = Array.from({ length: reels }, (_, i) => spaceReel(`/hall/room-${i}`))
  const heads = await readHeads(owner, reality.id, names)
  let waiting: BuiltFact[] = []
  const write = async () => {
    if (waiting.length > 0) await insert(owner, waiting)
    waiting = []
  }
  for (const head of heads) {
    const drafts = Array.from({ length: factsPerReel }, (_, i) => draftOf(head.reel, i))
    const by = { driver: null, moment: null, cause: null, at: 1_700_000_000_000, stack: 'a'.repeat(64) }
    waiting.push(...buildFacts(new Map([[head.reel, head]]), drafts, { ...by, actor: 'ada' }))
    if (waiting.length >= BATCH_LENGTH) await write()
  }
  await write()
  await sql`
    insert into treeos.head (reel, seq, hash, state_seq)
    select distinct on (reel) reel, seq, hash, seq from treeos.fact where starts_with(reel, 'space:/hall/')
    order by reel, seq desc`.execute(owner)
  await sql`vacuum analyze`.execute(owner)
}

const draftOf = (reel: string, i: number): FactDraft => ({
  reel,
  kind: 'quality:set',
  payload: {
    path: ['weather', 'sky'],
    value: `on day ${i} it rained in the morning, and the sun came out after noon`,
  },
})

async function insert(owner: Kysely<StoreDb>, facts: readonly BuiltFact[]): Promise<void> {
  const reels = facts.map(({ ref }) => ref.reel)
  const seqs = facts.map(({ ref }) => ref.seq)
  const column = (of: (fact: BuiltFact) => Buffer) => facts.map(of)
  await sql`
    insert into treeos.fact (reel, seq, kind, moment, hash, prev, payload_hash, header, salt, bytes)
    select reel, seq, 'quality:set', null, hash, prev, payload_hash, header, salt, bytes
    from unnest(${reels}::text[], ${seqs}::bigint[], ${column(({ ref }) => Buffer.from(ref.hash, 'hex'))}::bytea[],
      ${column(({ prev }) => prev)}::bytea[], ${column((fact) => fact.payloadHash)}::bytea[],
      ${column(({ header }) => header)}::bytea[], ${column(({ salt }) => salt)}::bytea[], ${column(({ bytes }) => bytes)}::bytea[])
      as f (reel, seq, hash, prev, payload_hash, header, salt, bytes)`.execute(owner)
  await sql`insert into treeos.journal (moment, reels, seqs) values (null, ${reels}::text[], ${seqs}::bigint[])`.execute(
    owner,
  )
}
