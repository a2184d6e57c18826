-- Trigger before something is erased: only what a tombstone on the same reel names. It holds for the owner of
-- the tables too. In a row that stays only what can be erased changes, to null.
create or replace function treeos.require_tombstone() returns trigger language plpgsql
security definer set search_path = treeos, pg_temp as $$
declare
  is_told boolean;
  erasable text[];
begin
  if tg_table_name = 'fact' then
    select exists (select from fact f
      where f.reel = old.reel and f.kind = 'fact:erased' and (json_of(f.bytes)->>'seq')::bigint = old.seq) into is_told;
  else
    select exists (select from fact f
      where f.reel = 'being:' || split_part(old.moment, '/', 1) and f.kind = 'moment:erased'
        and json_of(f.bytes)->>'moment' = old.moment) into is_told;
  end if;
  if is_told and tg_op = 'UPDATE' then
    erasable := case tg_table_name when 'fact' then array['salt', 'bytes'] else array['detail', 'result', 'refusal'] end;
    is_told := to_jsonb(new) = to_jsonb(old) || jsonb_object(erasable, array_fill(null::text, array[cardinality(erasable)]));
  end if;
  if not is_told then
    raise exception '% on % is refused: the past is fixed', tg_op, tg_table_name using errcode = 'TR001';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
