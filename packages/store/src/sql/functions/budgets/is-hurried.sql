-- Whether a being without a budget of its own has opened as many moments within 60 s as the standard budget allows. Nothing is
-- counted for it: the moment that many before the next one was opened less than 60 s ago. In
-- PL/pgSQL, since an SQL function with a search path of its own is planned anew at each call.
create or replace function treeos.is_hurried(whose text) returns boolean
language plpgsql stable set search_path = treeos, pg_temp as $$
declare
  most integer;
  last_n bigint;
begin
  select standard(p.cognition)->>'momentsPerMinute', h.seq into most, last_n
    from projection p join head h on h.reel = 'moments:' || whose where p.key = 'being:' || whose;
  return coalesce(most <= last_n, false) and exists (
    select from moment_outcome m join moment_open o on o.moment = m.moment
    where m.being = whose and m.n = last_n + 1 - most
      and o.opened_at > extract(epoch from clock_timestamp()) * 1000 - 60000
      and not exists (select from account a where a.being = whose and a.revision > 0));
end $$;
