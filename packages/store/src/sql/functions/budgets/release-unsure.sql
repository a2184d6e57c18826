-- Gives back what calls count on the account of a being whose cost never came back. On the accounts of its
-- makers they go on counting. The account is locked.
create or replace function treeos.release_unsure(whose text) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  its_day date := (select day from account where being = whose);
begin
  with given as (
    update reservation set accounts = array_remove(accounts, whose) where unsure and accounts @> array[whose]
    returning settled_tokens tokens, settled_micros micros, day is not distinct from its_day is_of_day
  ), summed as (
    select coalesce(sum(tokens), 0) tokens, coalesce(sum(micros), 0) micros, coalesce(sum(tokens) filter (where is_of_day), 0) day_tokens,
      coalesce(sum(micros) filter (where is_of_day), 0) day_micros from given
  )
  update account a set total_tokens = a.total_tokens - s.tokens, total_micros = a.total_micros - s.micros,
      day_tokens = a.day_tokens - s.day_tokens, day_micros = a.day_micros - s.day_micros
    from summed s where a.being = whose;
end $$;
