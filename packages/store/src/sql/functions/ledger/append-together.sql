-- Appends several batches of one worker in one transaction, see append: those that are plain together, which
-- takes half the time, then the others one by one. It waits at most 50 ms for a lock, since another
-- transaction may wait for one that it holds already: then it fails, nothing is written, and the worker
-- appends each batch by itself. Returns the answers in the order of the batches. Its plans find rows by
-- index, also while a table is small: Postgres would else read it as a whole, and do so when it has grown.
-- Older Postgres takes a plan that must read a table all the same for dear, and would compile it (jit).
create or replace function treeos.append_together(batches jsonb[]) returns setof jsonb
language plpgsql security definer set search_path = treeos, pg_temp set lock_timeout = 50 set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  places integer[] := '{}'; -- of plain ones
  plain jsonb[] := '{}';
  of_plain jsonb[];
  answers jsonb[] := '{}';
begin
  for place in 1 .. cardinality(batches) loop
    if is_plain(batches[place]) then
      places := places || place;
      plain := plain || batches[place];
    end if;
  end loop;
  if cardinality(plain) > 1 then
    of_plain := append_plain(plain);
    for i in 1 .. cardinality(plain) loop
      answers[places[i]] := of_plain[i];
    end loop;
  end if;
  for place in 1 .. cardinality(batches) loop
    return next coalesce(answers[place], append(batches[place]));
  end loop;
end $$;
