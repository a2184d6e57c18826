-- Whether a being without a budget of its own has opened as many moments within 60 s as the standard budget
-- allows. Nothing is counted for it: the moment that many before the next one was opened less than 60 s ago.
create or replace function treeos.is_hurried(whose text) returns boolean
language plpgsql stable as $$
declare
  most integer;
  last_n bigint;
begin
  select treeos.standard(p.cognition)->>'momentsPerMinute', h.seq into most, last_n
    from treeos.projection p join treeos.head h on h.reel = 'moments:' || whose where p.key = 'being:' || whose;
  return coalesce(most <= last_n, false) and exists (
    select from treeos.moment_outcome m join treeos.moment_open o on o.moment = m.moment
    where m.being = whose and m.n = last_n + 1 - most
      and o.opened_at > extract(epoch from clock_timestamp()) * 1000 - 60000
      and not exists (select from treeos.account a where a.being = whose and a.revision > 0));
end $$;
