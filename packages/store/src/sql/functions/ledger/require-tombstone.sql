-- Trigger before a row is erased: only what a tombstone on the same reel names. It holds for the owner of the tables too.
create or replace function treeos.require_tombstone() returns trigger language plpgsql
security definer set search_path = treeos, pg_temp as $$
declare
  is_told boolean;
begin
  if tg_table_name = 'payload' then
    select exists (select from fact f join payload p on p.reel = f.reel and p.seq = f.seq
      where f.reel = old.reel and f.kind = 'fact:erased' and (json_of(p.bytes)->>'seq')::bigint = old.seq) into is_told;
  else
    select exists (select from fact f join payload p on p.reel = f.reel and p.seq = f.seq
      where f.reel = 'being:' || split_part(old.moment, '/', 1) and f.kind = 'moment:erased'
        and json_of(p.bytes)->>'moment' = old.moment) into is_told;
  end if;
  if is_told and tg_op = 'UPDATE' then
    is_told := new.detail is null and new.result is null
      and to_jsonb(new) - 'detail' - 'result' = to_jsonb(old) - 'detail' - 'result';
  end if;
  if not is_told then
    raise exception '% on % is refused: the past is fixed', tg_op, tg_table_name using errcode = 'TR001';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
