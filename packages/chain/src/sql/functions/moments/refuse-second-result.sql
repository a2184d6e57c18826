create or replace function treeos.refuse_second_result() returns trigger language plpgsql as $$
begin
  if old.result is not null then
    raise exception 'what came of the effect of % is kept already', old.moment using errcode = 'TR001';
  end if;
  return new;
end $$;
