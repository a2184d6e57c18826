-- Whether a wake is the one of a moment, or may become it: Postgres may have lost the claim in a crash.
create or replace function treeos.is_claimable(w treeos.inbox, whose text, its_moment text) returns boolean language sql stable as $$
  select w.being = whose and w.closed_by is null
    and (w.claimed_by = its_moment or w.claimed_by is null and (wakes(whose, w.kind) or treeos.brings_yes(w.kind, w.id)))
$$;
