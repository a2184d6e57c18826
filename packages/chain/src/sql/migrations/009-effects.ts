import { type Kysely, sql } from 'kysely'

/**
 * What an act asks of the outside world before it is stamped: one request a moment, which both gates have passed, and what
 * came of it. The first result counts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLE).execute(db)
  await sql.raw(RIGHTS).execute(db)
}

const TABLE = `
create table treeos.moment_effect (
  moment text primary key,
  operation text not null,
  request bytea not null, -- canonical JSON
  result bytea -- canonical JSON: {value} or {error}; null until there is one
);
create function treeos.refuse_second_result() returns trigger language plpgsql as $$
begin
  if old.result is not null then
    raise exception 'what came of the effect of % is kept already', old.moment using errcode = 'TR001';
  end if;
  return new;
end $$;
create trigger moment_effect_result before update on treeos.moment_effect
  for each row execute function treeos.refuse_second_result();
create trigger moment_effect_stays before delete or truncate on treeos.moment_effect
  for each statement execute function treeos.refuse_change();
`

const RIGHTS = `
do $$
begin
  if exists (select from pg_roles where rolname = 'treeos_app') then
    grant select, insert on treeos.moment_effect to treeos_app;
    grant update (result) on treeos.moment_effect to treeos_app;
  end if;
end $$;
`
