-- Gives a moment its wake: the one it claimed before, else the first by priority, then by age. A person's summons wait until
-- the person acts; any other being is woken by any wake. A parked being, or one that has used up its moments of this minute,
-- claims only acts that a person chose. A being that was ended claims all that is left, so that each wake gets its outcome.
create or replace function treeos.claim(whose text, for_moment text, its_generation integer) returns setof treeos.inbox
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  claimed inbox;
  by_anything boolean := wakes(whose, 'summon') and (not is_parked(whose) or has_ended(whose));
begin
  -- Locked, so that two runs of one moment do not claim a wake each.
  perform 1 from head where reel = 'moments:' || whose for update;
  if living(whose) is distinct from its_generation then
    raise exception 'generation % of % has ended; generation % lives', its_generation, whose, living(whose) using errcode = 'TR003';
  end if;
  select * into claimed from inbox where claimed_by = for_moment;
  if not found then
    select * into claimed from inbox
      where being = whose and closed_by is null and claimed_by is null and (by_anything or kind = 'act')
      order by priority, age limit 1 for update skip locked;
    if found and (claimed.kind = 'act' or take_pace(whose) or has_ended(whose)) then
      update inbox set claimed_by = for_moment where id = claimed.id returning * into claimed;
    else
      return;
    end if;
  end if;
  return next claimed;
end $$;
