-- Draws on the allowance of a person, for a call of one of its beings: the standard budget says how many
-- tokens the beings of each person may use together in a day. The person is the nearest one up the birth
-- chain. The account that is highest in the line below it draws, since its count has all below it. Returns
-- the breach when too little is left, else null. A person with a budget of its own has that budget instead.
-- What the first operator gave a budget of its own draws nothing.
create or replace function treeos.draw(line text[], limited text[], need_tokens bigint, today date, usual jsonb)
returns jsonb language plpgsql set search_path = treeos, pg_temp as $$
declare
  most bigint := usual->>'tokensPerPerson';
  whose text;
  is_first boolean;
  a account;
  has bigint;
  missing bigint;
  taken bigint;
begin
  if most is null then
    return null;
  end if;
  select substr(p.key, 7), p.parent is null into whose, is_first
    from unnest(line) with ordinality as l(being, hops) join projection p on p.key = 'being:' || l.being
    where p.cognition = 'human' order by l.hops limit 1;
  if whose is null or exists (select from account where being = whose and revision > 0) then
    return null;
  end if;
  select * into a from account
    where being = any(limited) and array_position(line, being) < array_position(line, whose)
    order by array_position(line, being) desc limit 1;
  if not found then
    return null;
  end if;
  if is_first and a.revision > 0 then
    update account set drawn_day = today, drawn_tokens = 9000000000000000 where being = a.being;
    return null;
  end if;
  has := case when a.drawn_day = today then a.drawn_tokens else 0 end;
  missing := need_tokens + case when a.day = today then a.day_tokens else 0 end - has;
  if missing <= 0 then
    return null;
  end if;
  insert into allowance as w (person, day, drawn_tokens) values (whose, today, 0)
    on conflict (person) do update set day = today, drawn_tokens = case when w.day = today then w.drawn_tokens else 0 end
    returning drawn_tokens into taken;
  if taken + missing > most then
    return jsonb_build_object('of', whose, 'revision', -(usual->>'revision')::integer, 'per', 'day', 'limit', 'tokens',
      'max', most, 'used', taken, 'reserved', 0, 'needs', missing);
  end if;
  missing := least(most - taken, greatest(missing, has));
  update allowance set drawn_tokens = taken + missing where person = whose;
  update account set drawn_day = today, drawn_tokens = has + missing where being = a.being;
  return null;
end $$;
