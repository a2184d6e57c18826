-- Gives back the wake that a moment claimed, because its worker has not the code of the moment. The next claim
-- takes whatever is first then. What is open keeps its wake. Returns for how many seconds the wake has waited;
-- null when this moment holds none.
create or replace function treeos.release_claim(whose text, for_moment text, its_generation integer) returns double precision
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  since timestamptz;
begin
  perform 1 from head where reel = 'moments:' || whose for update;
  if (select max(generation) from life where being = whose) is distinct from its_generation
    or exists (select from moment_open where moment = for_moment)
  then
    return null;
  end if;
  update inbox set claimed_by = null
    where being = whose and claimed_by = for_moment and closed_by is null returning at into since;
  return extract(epoch from clock_timestamp() - since);
end $$;
