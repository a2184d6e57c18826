import { type Kysely, sql } from 'kysely'

/**
 * Leases. While somebody drives a being, a row here says who, and until when by Postgres' clock; its epoch is that of the
 * fact on the being's reel which took it, and no later lease has the same. Renewals are no facts. Under: the driver's own
 * epoch, when the driver was itself driven as it took the lease; then this one holds no longer than that one.
 * A batch may say {lease: epoch}: it is the act of a driver, and is written only while that lease holds. Its rows may say
 * {lease: {epoch, driver, under}}; without a driver the lease is over.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLE).execute(db)
  await sql.raw(HOLDING).execute(db)
  await sql.raw(KEEP).execute(db)
  await sql.raw(APPEND).execute(db)
  await sql.raw(RIGHTS).execute(db)
}

const TABLE = `
create table treeos.lease (
  being text primary key,
  driver text not null,
  epoch integer not null,
  under integer,
  expires timestamptz not null
);
`

const HOLDING = `
create function treeos.lease_holds(whose text, its_epoch integer) returns boolean
language sql stable set search_path = treeos, pg_temp as $$
  with recursive line(being, epoch, hops) as (
    select whose, its_epoch, 0
    union all
    select l.driver, l.under, hops + 1 from line join lease l on l.being = line.being
    where l.under is not null and hops < 64)
  select bool_and(l.being is not null)
  from line left join lease l on l.being = line.being and l.epoch = line.epoch and l.expires > clock_timestamp()
$$;

create function treeos.renew_lease(whose text, its_epoch integer, seconds integer) returns boolean
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  if not lease_holds(whose, its_epoch) then
    return false;
  end if;
  update lease set expires = clock_timestamp() + make_interval(secs => seconds)
    where being = whose and epoch = its_epoch and expires > clock_timestamp();
  return found;
end $$;
`

const KEEP = `
create function treeos.keep_leases(rows jsonb, seconds integer) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  delete from lease where being in (
    select substr(r.key, 7) from jsonb_to_recordset(rows) as r(key text, lease jsonb)
    where jsonb_typeof(r.lease) = 'object');
  insert into lease (being, driver, epoch, under, expires)
    select substr(r.key, 7), l.driver, l.epoch, l.under, clock_timestamp() + make_interval(secs => seconds)
    from jsonb_to_recordset(rows) as r(key text, lease jsonb),
      jsonb_to_record(case jsonb_typeof(r.lease) when 'object' then r.lease else '{}' end)
        as l(driver text, epoch integer, under integer)
    where l.driver is not null
    order by r.key collate "C";
end $$;
`

// No lock on the lease is needed: whoever takes or releases one writes a fact on the being's reel, which every act of the
// being has read. Only the clock is asked here.
const APPEND = `
alter function treeos.append(jsonb) rename to append_undriven;
create function treeos.append(batch jsonb) returns jsonb
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  answer jsonb;
begin
  if batch->'lease' is not null and jsonb_typeof(batch->'lease') = 'number'
    and not exists (select from moment_outcome where moment = batch->>'moment')
    and not lease_holds(batch->>'being', (batch->>'lease')::integer)
  then
    return jsonb_build_object('status', 'unleased');
  end if;
  answer := append_undriven(batch);
  if answer->>'status' = 'appended' and batch->'rows' @? 'strict $[*] ? (@.lease.type() == "object")' then
    perform keep_leases(batch->'rows', (batch->>'leaseSeconds')::integer);
  end if;
  return answer;
end $$;
`

const RIGHTS = `
revoke execute on function treeos.lease_holds(text, integer), treeos.renew_lease(text, integer, integer),
  treeos.keep_leases(jsonb, integer), treeos.append(jsonb) from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'treeos_app') then
    revoke execute on function treeos.append_undriven(jsonb) from treeos_app;
    grant select on treeos.lease to treeos_app;
    grant execute on function treeos.append(jsonb), treeos.lease_holds(text, integer),
      treeos.renew_lease(text, integer, integer) to treeos_app;
  end if;
end $$;
`
