-- Writes the leases that rows bring: {lease: {epoch, driver, under}}. Without a driver the lease is over.
create or replace function treeos.write_leases(rows jsonb, seconds integer) returns void
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
