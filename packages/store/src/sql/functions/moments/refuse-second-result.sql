-- Trigger of moment_effect: the first result counts.
create or replace function treeos.refuse_second_result() returns trigger language plpgsql as $$
begin
  if old.result is not null then
    raise exception 'the effect of % already has a result', old.moment using errcode = 'TR001';
  end if;
  return new;
end $$;
