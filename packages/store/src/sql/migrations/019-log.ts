import { type Kysely, sql } from 'kysely'

/**
 * The log of all facts and records of moments, over which checkpoints are signed. Only the sequencer writes it, under a role of its
 * own that reads no content. Appends do not know of it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table treeos.log_entry (
      index bigint primary key check (index >= 0),
      reel text not null, -- moments:<being> for the record of a moment
      seq bigint not null,
      hash bytea not null check (length(hash) = 32),
      unique (reel, seq)
    )`.execute(db)
  // C2SP tlog-tiles: up to 256 hashes of one level, one after the other. Random bytes are not worth compressing.
  await sql`
    create table treeos.log_tile (
      level smallint not null,
      index bigint not null,
      hashes bytea not null check (length(hashes) between 32 and 8192 and length(hashes) % 32 = 0),
      primary key (level, index)
    )`.execute(db)
  await sql`alter table treeos.log_tile alter column hashes set storage external`.execute(db)
  await sql`
    create table treeos.log_state (
      singleton boolean primary key default true check (singleton),
      size bigint not null default 0,
      -- the last entry of the journal that is in the log; null until the facts that are older than the journal are in it
      journal bigint
    )`.execute(db)
  await sql`insert into treeos.log_state default values`.execute(db)
  await sql`
    create function treeos.only_grow_log() returns trigger language plpgsql as $$
    begin
      if tg_table_name = 'log_tile' then
        if new.level = old.level and new.index = old.index
          and substring(new.hashes from 1 for length(old.hashes)) = old.hashes then return new; end if;
      elsif new.size >= old.size and new.journal >= coalesce(old.journal, 0) then
        return new;
      end if;
      raise exception 'update of % is refused: the log only grows', tg_table_name using errcode = 'TR001';
    end $$`.execute(db)
  for (const table of ['log_entry', 'log_tile', 'log_state']) {
    const fixed = table === 'log_entry' ? 'update or delete or truncate' : 'delete or truncate'
    await sql`
      create trigger ${sql.raw(`${table}_fixed`)} before ${sql.raw(fixed)} on ${sql.raw(`treeos.${table}`)}
        for each statement execute function treeos.refuse_change()`.execute(db)
    if (table !== 'log_entry')
      await sql`
        create trigger ${sql.raw(`${table}_grows`)} before update on ${sql.raw(`treeos.${table}`)}
          for each row execute function treeos.only_grow_log()`.execute(db)
  }
  await sql`revoke execute on function treeos.only_grow_log() from public`.execute(db)
  await sql`
    do $$ begin
      if not exists (select from pg_roles where rolname = 'treeos_sequencer') then
        begin
          create role treeos_sequencer nologin;
        exception
          when duplicate_object or unique_violation then null;
          when insufficient_privilege then
            raise notice 'role treeos_sequencer cannot be made by %', current_user;
        end;
      end if;
      if exists (select from pg_roles where rolname = 'treeos_sequencer') then
        grant usage on schema treeos to treeos_sequencer;
        grant select on treeos.reality, treeos.journal, treeos.journal_entry_seq,
          treeos.log_entry, treeos.log_tile, treeos.log_state to treeos_sequencer;
        grant select (reel, seq, hash) on treeos.fact to treeos_sequencer;
        grant select (moment, being, n, hash) on treeos.moment_outcome to treeos_sequencer;
        grant insert on treeos.log_entry, treeos.log_tile to treeos_sequencer;
        grant update (hashes) on treeos.log_tile to treeos_sequencer;
        grant update (size, journal) on treeos.log_state to treeos_sequencer;
        grant execute on function treeos.refuse_change(), treeos.only_grow_log() to treeos_sequencer;
      end if;
      if exists (select from pg_roles where rolname = 'treeos_app') then
        grant select on treeos.log_entry, treeos.log_tile, treeos.log_state to treeos_app;
      end if;
    end $$`.execute(db)
}
