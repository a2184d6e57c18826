-- Whether a being without a budget of its own has opened as many moments within 60 s as the standard budget allows. Nothing is
-- counted for it: the moment that many before the next one was opened less than 60 s ago.
create or replace function treeos.is_hurried(whose text) returns boolean
language sql stable set search_path = treeos, pg_temp as $$
  select exists (
    select from projection p
      join head h on h.reel = 'moments:' || whose
      join moment_open o on o.being = whose and o.n = h.seq + 1 - (standard(p.cognition)->>'momentsPerMinute')::integer
    where p.key = 'being:' || whose
      and o.opened_at > extract(epoch from clock_timestamp()) * 1000 - 60000
      and not exists (select from account a where a.being = whose and a.revision > 0))
$$;
