-- Writes what rows bring of accounts: {account: {revision, momentsPerMinute, tokens, micros, per, parked}}.
create or replace function treeos.write_accounts(rows jsonb) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  insert into account (being, revision, moments_max, tokens_max, micros_max, per)
    select substr(r.key, 7), (r.account->>'revision')::integer, (r.account->>'momentsPerMinute')::integer,
      (r.account->>'tokens')::bigint, (r.account->>'micros')::bigint, r.account->>'per'
    from jsonb_to_recordset(rows) as r(key text, account jsonb)
    where jsonb_typeof(r.account) = 'object' and (r.account->>'revision')::integer > 0
    order by r.key collate "C"
    on conflict (being) do update set revision = excluded.revision, moments_max = excluded.moments_max,
      tokens_max = excluded.tokens_max, micros_max = excluded.micros_max, per = excluded.per;
  delete from parking where being in (
    select substr(r.key, 7) from jsonb_to_recordset(rows) as r(key text, account jsonb)
    where jsonb_typeof(r.account) = 'object');
  insert into parking (being, of, revision, until)
    select substr(r.key, 7), p.of, p.revision, to_timestamp(p.until / 1000.0)
    from jsonb_to_recordset(rows) as r(key text, account jsonb),
      jsonb_to_record(case jsonb_typeof(r.account->'parked') when 'object' then r.account->'parked' else '{}' end)
        as p(of text, revision integer, until bigint)
    where p.of is not null;
end $$;
