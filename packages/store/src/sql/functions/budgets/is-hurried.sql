-- Whether a being without a budget of its own has opened as many moments within 60 s as the standard budget allows. Nothing is
-- counted for it: the moment that many before the next one was opened less than 60 s ago. In
-- PL/pgSQL, since an SQL function with a search path of its own is planned anew at each call.
create or replace function treeos.is_hurried(whose text) returns boolean
language plpgsql stable set search_path = treeos, pg_temp as $$
declare
  most integer := standard((select cognition from projection where key = 'being:' || whose))->>'momentsPerMinute';
begin
  return most is not null and exists (
    select from head h join moment_open o on o.being = whose and o.n = h.seq + 1 - most
    where h.reel = 'moments:' || whose
      and o.opened_at > extract(epoch from clock_timestamp()) * 1000 - 60000
      and not exists (select from account a where a.being = whose and a.revision > 0));
end $$;
