-- Trigger before a moment is opened. A worker that paused past the end of its life would otherwise leave an open moment that
-- nothing could ever close.
create or replace function treeos.check_opening() returns trigger
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  w inbox;
  its_generation integer := split_part(new.moment, '/', 2)::integer;
  last_n bigint;
begin
  select seq into last_n from head where reel = 'moments:' || new.being for share;
  if exists (select from moment_open where moment = new.moment) then
    return new; -- a rerun: the first write stands
  end if;
  if current_generation(new.being) is distinct from its_generation then
    raise exception 'generation % of % has ended; generation % lives', its_generation, new.being, current_generation(new.being)
      using errcode = 'TR003';
  end if;
  if new.n <> last_n + 1 then
    raise exception 'moment % does not follow moment number % of %', new.moment, last_n, new.being using errcode = 'TR002';
  end if;
  if not is_owned() then
    select * into w from inbox where id = new.wake;
    if is_claimable(w, new.being, new.moment) is not true then
      raise exception 'refused: moment % is opened for a wake that it has not claimed', new.moment using errcode = '42501';
    end if;
  end if;
  return new;
end $$;
