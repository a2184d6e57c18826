-- Whether an act of another moment, which is not over and of the life that its being has now, waits for the
-- outside and has the next place among the acts on a reel that counts them.
create or replace function treeos.is_held(its_reel text, its_moment text) returns boolean language sql stable as $$
  select exists (select from held_count h
    where h.reel = its_reel and h.moment is distinct from its_moment
      and split_part(h.moment, '/', 2)::integer = current_generation(split_part(h.moment, '/', 1))
      and not exists (select from moment_outcome o where o.moment = h.moment))
$$;
