import { type Kysely, sql } from 'kysely'

/**
 * Lives take turns. begin_life starts a generation and frees what older ones left claimed; claim gives a moment its wake:
 * what it claimed before, else by priority, then age. A person's summons rest until the person acts; whoever else is woken
 * by anything. All three hold the head of the being's records, so that an older life claims and opens nothing once a
 * younger one has begun.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(LIVES).execute(db)
  await sql.raw(CLAIM).execute(db)
  await sql.raw(OPENING).execute(db)
}

const LIVES = `
create function treeos.genesis(of_reel text) returns bytea
language sql stable set search_path = treeos, pg_temp as $$
  select sha256('treeos.genesis.v1\\000'::bytea || convert_to(id::text, 'UTF8') || '\\000'::bytea || convert_to(of_reel, 'UTF8'))
  from reality
$$;

create function treeos.living(whose text) returns integer
language sql stable set search_path = treeos, pg_temp as $$
  select max(generation) from life where being = whose
$$;

create function treeos.begin_life(whose text, its_chain text, genesis text) returns integer
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  records text := 'moments:' || whose;
  mine integer;
begin
  if decode(genesis, 'hex') is distinct from genesis(records) then
    raise exception 'the records of % do not begin so in this reality', whose using errcode = 'TR002';
  end if;
  insert into head (reel, seq, hash, state_seq) values (records, 0, genesis(records), 0) on conflict do nothing;
  perform 1 from head where reel = records for update;
  select generation into mine from life where being = whose and chain = its_chain;
  if not found then
    mine := coalesce(living(whose), 0) + 1;
    insert into life (being, generation, chain) values (whose, mine, its_chain);
    -- A wake that was claimed but never opened goes back; one that was opened is closed by its superseded outcome.
    update inbox set claimed_by = null
      where being = whose and closed_by is null and claimed_by is not null
        and not exists (select from moment_open where moment = claimed_by);
  end if;
  return mine;
end $$;
`

const CLAIM = `
create function treeos.wakes(whose text, row_kind text) returns boolean
language sql stable set search_path = treeos, pg_temp as $$
  select row_kind = 'act' or coalesce((select cognition from projection where key = 'being:' || whose) <> 'human', false)
$$;

create function treeos.claim(whose text, for_moment text, its_generation integer) returns setof treeos.inbox
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  claimed inbox;
  by_anything boolean := wakes(whose, 'summon');
begin
  -- One claim at a time: two runs of one moment would else take a wake each.
  perform 1 from head where reel = 'moments:' || whose for update;
  if living(whose) is distinct from its_generation then
    raise exception 'generation % of % is over, % lives', its_generation, whose, living(whose) using errcode = 'TR003';
  end if;
  select * into claimed from inbox where claimed_by = for_moment;
  if not found then
    update inbox set claimed_by = for_moment where id = (
      select id from inbox
      where being = whose and closed_by is null and claimed_by is null and (by_anything or kind = 'act')
      order by priority, age limit 1 for update skip locked
    ) returning * into claimed;
  end if;
  if claimed.id is not null then return next claimed; end if;
end $$;
`

const OPENING = `
-- A worker that slept through the end of its life would leave an open moment that nothing could ever close.
create function treeos.check_opening() returns trigger
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  its_generation integer := split_part(new.moment, '/', 2)::integer;
  last_n bigint;
begin
  select seq into last_n from head where reel = 'moments:' || new.being for share;
  if exists (select from moment_open where moment = new.moment) then
    return new; -- a rerun: the write that came first stands
  end if;
  if living(new.being) is distinct from its_generation then
    raise exception 'generation % of % is over, % lives', its_generation, new.being, living(new.being)
      using errcode = 'TR003';
  end if;
  if new.n <> last_n + 1 then
    raise exception 'moment % does not follow number % of %', new.moment, last_n, new.being using errcode = 'TR002';
  end if;
  return new;
end $$;
create trigger moment_open_follows before insert on treeos.moment_open
  for each row execute function treeos.check_opening();
`
