-- Locks heads in the order of their names: for update where they are written, else for share.
create or replace function treeos.lock_alike(reels text[], are_written boolean) returns void language plpgsql as $$
begin
  if are_written then
    perform from head where reel = any(reels) order by reel collate "C" for update;
  else
    perform from head where reel = any(reels) order by reel collate "C" for share;
  end if;
end $$;
