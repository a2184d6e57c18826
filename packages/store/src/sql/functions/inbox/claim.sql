-- Gives a moment its wake: the one it claimed before, else the first by priority, then by age. A person's
-- summons wait until the person acts; any other being is woken by any wake. A parked or paused being, or one
-- that has used up its moments of this minute, claims only acts that a person chose; a person and a parked
-- being also what a person said yes to. A being that was ended claims all that is left, so that each wake
-- gets its outcome. A wake by a schedule that the being has no more opens no moment: it was put here before
-- the schedule was removed.
create or replace function treeos.claim(whose text, for_moment text, its_generation integer) returns setof treeos.inbox
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  claimed inbox;
  last_claimed text; -- one moment of a being is under way at a time, so only the last claim may be of this one
  mind text; -- its cognition
  by_anything boolean;
  by_yes boolean; -- by a call that was approved
  parks boolean; -- the being met a limit, which may be over
  found_so record; -- of the moment and its being
  durable text; -- whether the commit waits for the disk
begin
  -- Locked, so that two runs of one moment do not claim a wake each. Whoever lives has this head.
  select h.claimed, p.cognition, exists (select from parking k where k.being = whose) into last_claimed, mind, parks
    from head h left join projection p on p.key = 'being:' || whose where h.reel = 'moments:' || whose for update of h;
  by_anything := coalesce(mind not in ('human', 'paused'), false) and (mind = 'ended' or not parks or not is_parked(whose));
  by_yes := coalesce(mind <> 'paused', false);
  select (select max(generation) from life where being = whose) alive,
      exists (select from moment_open where moment = for_moment) is_open,
      exists (select from inbox where id = last_claimed and claimed_by = for_moment) has_claimed
    into found_so;
  if found_so.alive is distinct from its_generation then
    raise exception 'generation % of % has ended; generation % lives', its_generation, whose, found_so.alive using errcode = 'TR003';
  end if;
  -- The moment may be open although its claim was lost, and may have claimed another wake since.
  if found_so.is_open then
    select i.* into claimed from moment_open m join inbox i on i.id = m.wake where m.moment = for_moment;
    if claimed.claimed_by is distinct from for_moment then
      update inbox set claimed_by = null where id = last_claimed and claimed_by = for_moment and closed_by is null;
      update inbox set claimed_by = for_moment where id = claimed.id and claimed_by is null;
      update head set claimed = claimed.id where reel = 'moments:' || whose;
      claimed.claimed_by := for_moment;
    end if;
    return next claimed;
    return;
  end if;
  if found_so.has_claimed then
    select * into claimed from inbox where id = last_claimed;
  else
    loop
      select * into claimed from inbox
        where being = whose and closed_by is null and claimed_by is null and (by_anything or kind = 'act' or by_yes and brings_yes(kind, id))
        order by priority, age limit 1 for update skip locked;
      exit when not found or mind = 'ended' or not starts_with(claimed.id, 'schedule/' || whose || '/')
        or has_schedule(whose, split_part(claimed.id, '/', 3));
      update inbox set closed_by = 'withdrawn', closed_at = clock_timestamp() where id = claimed.id;
    end loop;
    if found and (claimed.kind = 'act' or brings_yes(claimed.kind, claimed.id) or take_pace(whose) or mind = 'ended') then
      -- The claim of an act waits for the disk, because its person is told whether it can still be withdrawn.
      -- Any other claim does not: when Postgres dies before it is written, the wake is claimed again.
      if claimed.kind <> 'act' then
        durable := set_config('synchronous_commit', 'off', true);
      end if;
      update inbox set claimed_by = for_moment where id = claimed.id returning * into claimed;
      update head set claimed = claimed.id where reel = 'moments:' || whose;
    else
      return;
    end if;
  end if;
  return next claimed;
end $$;
