import pg from 'pg'

/** The durable record of the baselines: one row per turn. */
export interface Answers {
  /** Idempotent. Resolves once the row is committed. */
  keep(being: string, n: number, answer: string): Promise<void>
  close(): Promise<void>
}

export async function openAnswers(databaseUrl: string, poolMax: number): Promise<Answers> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: poolMax })
  await pool.query(`
    create table if not exists answer (
      being text, n integer, answer text not null, at timestamptz not null default clock_timestamp(),
      primary key (being, n))`)
  return {
    async keep(being, n, answer) {
      await pool.query({
        name: 'keep',
        text: 'insert into answer (being, n, answer) values ($1, $2, $3) on conflict do nothing',
        values: [being, n, answer],
      })
    },
    close: () => pool.end(),
  }
}
