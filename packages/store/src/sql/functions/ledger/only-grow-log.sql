create or replace function treeos.only_grow_log() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'log_tile' then
    if new.level = old.level and new.index = old.index
      and substring(new.hashes from 1 for length(old.hashes)) = old.hashes then return new; end if;
  elsif new.size >= old.size and new.journal >= old.journal then
    return new;
  end if;
  raise exception 'update of % is refused: the log only grows', tg_table_name using errcode = 'TR001';
end $$;
