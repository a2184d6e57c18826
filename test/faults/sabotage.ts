/** Takes a defence away in one experiment's database, so that a control can show what it defends against. */
import type { StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'

export type Sabotage =
  | 'unkeyed-append'
  | 'unheld-append'
  | 'blind-sweep'
  | 'counted-order'
  | 'kept-claims'
  | 'lost-results'
  | 'late-commits'
  | 'lost-decisions'

export async function sabotage(owner: Kysely<StoreDb>, what: Sabotage): Promise<void> {
  switch (what) {
    case 'unkeyed-append':
      return unkey(owner)
    case 'unheld-append':
      return unhold(owner)
    case 'blind-sweep':
      return blind(owner)
    case 'counted-order':
      return orderByClock(owner)
    case 'kept-claims':
      return keepClaims(owner)
    case 'lost-results':
      return loseEveryOther(owner, 'results', 'before update on treeos.moment_effect')
    case 'lost-decisions':
      return loseEveryOther(owner, 'decisions', 'before insert on treeos.moment_decision')
    case 'late-commits':
      return commitLate(owner)
  }
}

/**
 * Append without the moment's key: a repeated call writes again. The guard of wakes would refuse it too, as
 * the first call has closed the wake of the moment, and so would what keeps one open record and one decision
 * of a moment, where another worker has stored its own.
 */
async function unkey(owner: Kysely<StoreDb>): Promise<void> {
  const unclosed = "not exists (select from moment_outcome where moment = batch->>'moment')"
  await rewrite(owner, 'lock_and_check', [['if found_so.is_done then', 'if false then']])
  await rewrite(owner, 'write_moment', [
    [
      'elsif not exists (select from moment_open where moment = this_moment and record = o.record)',
      'elsif false',
    ],
    [
      'elsif not exists (select from moment_decision where moment = this_moment and digest = d.digest)',
      'elsif false',
    ],
  ])
  await rewrite(owner, 'require_own_wake', [['or is_claimable(w, this_being, this_moment) is not true', '']])
  await rewrite(owner, 'append', [
    [
      'if ends then\n    nothing := close_moment',
      `if ends and ${unclosed} then\n    nothing := close_moment`,
    ],
  ])
}

/** Append although a head that the decision read has moved. */
const unhold = (owner: Kysely<StoreDb>) =>
  rewrite(owner, 'lock_and_check', [['elsif moved is not null or found_so.is_cut then', 'elsif false then']])

/** Wakes are claimed in the order of the clock, not of their numbers. */
const orderByClock = (owner: Kysely<StoreDb>) =>
  rewrite(owner, 'claim', [['order by priority, age limit 1', 'order by priority, at limit 1']])

/**
 * A life that ends midway keeps the wake it had claimed. Its outcome names no wake, so what frees a claim on
 * another wake than that of the outcome would free this one too.
 */
const keepClaims = (owner: Kysely<StoreDb>) =>
  rewrite(owner, 'close_moment', [
    [
      'if last_claimed is distinct from o.wake then',
      "if last_claimed is distinct from o.wake and o.reason is distinct from 'superseded' then",
    ],
    [
      'where id = (select wake from moment_open where moment = this_moment) and claimed_by = this_moment and closed_by is null;',
      'where false;',
    ],
  ])

/** The sweep finds nobody who waits. A wake whose doorbell was lost stays unread. */
async function blind(owner: Kysely<StoreDb>): Promise<void> {
  await sql`alter function treeos.wakes(text, text) rename to really_wakes`.execute(owner)
  await sql`
    create function treeos.wakes(whose text, row_kind text) returns boolean
    language plpgsql stable set search_path = treeos, pg_temp as $$
    begin
      return current_query() not like ${sql.lit(SWEEP)} and really_wakes(whose, row_kind);
    end $$`.execute(owner)
}
/** Part of the query of the sweep and of no other. */
const SWEEP = '%min(at))::float8 as waited from%'

/** Fails to store every other one, though nothing dies. */
async function loseEveryOther(owner: Kysely<StoreDb>, what: string, when: string): Promise<void> {
  const [met, lose] = [sql.table(`treeos.${what}_met`), sql.table(`treeos.lose_${what}`)]
  await sql`create sequence ${met}`.execute(owner) // counts what is rolled back, too
  await sql`
    create function ${lose}() returns trigger language plpgsql security definer as $$
    begin
      if nextval(${sql.lit(`treeos.${what}_met`)}) % 2 = 1 then
        raise exception 'lost';
      end if;
      return new;
    end $$`.execute(owner)
  await sql`
    create trigger lose_${sql.raw(what)} ${sql.raw(when)} for each row execute function ${lose}()`.execute(
    owner,
  )
}

/**
 * Postgres acknowledges a commit seconds before it is on disk. Only new connections do, so the others are
 * ended.
 */
async function commitLate(owner: Kysely<StoreDb>): Promise<void> {
  await sql`alter system set wal_writer_delay = '10s'`.execute(owner) // of the whole server, and no harm to those that wait for the disk
  await sql`select pg_reload_conf()`.execute(owner)
  await sql`do $$ begin
    execute format('alter database %I set synchronous_commit = off', current_database());
  end $$`.execute(owner)
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(owner)
}

/**
 * Replaces text in a function.
 * @throws {Error} when the text is not there once, since the control would then show nothing
 */
async function rewrite(
  owner: Kysely<StoreDb>,
  name: string,
  changes: readonly (readonly [from: string, to: string])[],
): Promise<void> {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_functiondef(p.oid) as definition
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'treeos' and p.proname = ${name}`.execute(owner)
  let definition = rows[0]?.definition ?? ''
  for (const [from, to] of changes) {
    if (definition.split(from).length !== 2) throw new Error(`treeos.${name} does not say once: ${from}`)
    definition = definition.replace(from, () => to)
  }
  await sql.raw(definition).execute(owner)
}
