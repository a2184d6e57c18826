/** Another clock for one trial: that of its Postgres, which is the only one that TreeOS takes times from. */
import type { ChainDb } from '@treeos/chain'
import { type Kysely, sql } from 'kysely'

const OWN = 'clock_timestamp()'
const OURS = 'treeos.the_hour()'
const CALLS = /(pg_catalog\.)?clock_timestamp\(\)/g

/** Statements that a worker sends ask the other clock. Nothing changes its length, so a link can do that. */
export const asksOtherClock = (chunk: Buffer): Buffer =>
  chunk.includes(OWN)
    ? Buffer.from(
        chunk.toString('latin1').replaceAll(CALLS, (own) => OURS.padStart(own.length)),
        'latin1',
      )
    : chunk

/** A clock that can be set. */
export class OtherClock {
  readonly #owner: Kysely<ChainDb>

  private constructor(owner: Kysely<ChainDb>) {
    this.#owner = owner
  }

  /** Puts it in place of Postgres' own in all functions and defaults of a database. */
  static async install(owner: Kysely<ChainDb>): Promise<OtherClock> {
    await sql`create table treeos.other_clock (ahead interval not null)`.execute(owner)
    await sql`insert into treeos.other_clock values ('0')`.execute(owner)
    await sql`
      create function treeos.the_hour() returns timestamptz language sql volatile security definer
      set search_path = treeos, pg_temp as
      $$ select pg_catalog.clock_timestamp() + ahead from other_clock $$`.execute(owner)
    const { rows: functions } = await sql<{ definition: string }>`
      select pg_get_functiondef(p.oid) as definition
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'treeos' and p.prosrc like ${`%${OWN}%`} and p.proname <> 'the_hour'`.execute(owner)
    for (const { definition } of functions) await sql.raw(definition.replaceAll(CALLS, OURS)).execute(owner)
    const { rows: columns } = await sql<{ place: string; name: string }>`
      select d.adrelid::regclass::text as place, a.attname as name
      from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      join pg_class c on c.oid = d.adrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'treeos' and pg_get_expr(d.adbin, d.adrelid) = ${OWN}`.execute(owner)
    for (const { place, name } of columns)
      await sql
        .raw(
          `alter table ${place.includes('.') ? place : `treeos.${place}`} alter "${name}" set default ${OURS}`,
        )
        .execute(owner)
    if (functions.length === 0 || columns.length === 0) throw new Error(`nothing asks ${OWN}`)
    return new OtherClock(owner)
  }

  /** @param ahead of the real one, in ms; negative: behind it */
  async set(ahead: number): Promise<void> {
    await sql`update treeos.other_clock set ahead = make_interval(secs => ${ahead / 1000})`.execute(
      this.#owner,
    )
  }
}
