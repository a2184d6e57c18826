-- Locks heads in the one order that append uses.
create or replace function treeos.lock_heads(reels text[]) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  wanted text;
begin
  for wanted in select distinct reel collate "C" as reel from unnest(reels) as reel order by 1 loop
    perform 1 from head where reel = wanted for update;
  end loop;
end $$;
