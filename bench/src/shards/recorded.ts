import type pg from 'pg'

/** The reels of one append, as a reality has recorded it. */
export interface RecordedAppend {
  /** whose moment it ended; null for facts without one */
  readonly being: string | null
  /** reels to which it wrote, the one of the records of its being among them */
  readonly written: readonly string[]
  /** reels whose heads it checked without writing to them */
  readonly checked: readonly string[]
}

interface Row {
  readonly being: string | null
  readonly reels: readonly string[]
  readonly basis: Readonly<Record<string, number>> | null
  readonly judged: Readonly<Record<string, number>> | null
}

/** Every append of the reality in the database of this client, in the order of its journal. */
export async function readAppends(client: pg.Client): Promise<RecordedAppend[]> {
  const { rows } = await client.query<Row>(`
    select o.being, j.reels, convert_from(m.basis, 'UTF8')::jsonb->'heads' as basis, convert_from(o.judged, 'UTF8')::jsonb as judged
    from treeos.journal j
    left join treeos.moment_outcome o on o.moment = j.moment
    left join treeos.moment_open m on m.moment = j.moment
    order by j.entry`)
  return rows.map(appendOf)
}

function appendOf({ being, reels, basis, judged }: Row): RecordedAppend {
  const written = new Set(reels)
  if (being !== null) written.add(`moments:${being}`)
  const checked = new Set([...Object.keys(basis ?? {}), ...Object.keys(judged ?? {})])
  return { being, written: [...written], checked: [...checked].filter((reel) => !written.has(reel)) }
}
