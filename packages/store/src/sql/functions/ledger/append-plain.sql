-- Appends several plain batches with one statement for each table. Nothing is checked less than by append,
-- but only the plain case is known here: where anything is otherwise, the answer is null, or the whole
-- statement fails, and append does the batch by itself. Returns the answers in the order of the batches.
-- Null: nothing was written of this one.
create or replace function treeos.append_plain(batches jsonb[]) returns jsonb[] language plpgsql as $$
declare
  answers jsonb[] := array_fill(null::jsonb, array[cardinality(batches)]);
  guarded boolean := not is_owned();
  c record;
  reels text[] := '{}'; -- heads that those to be written have read
  writes text[] := '{}'; -- and write
  -- Of those to be written:
  places integer[] := '{}';
  taken jsonb[] := '{}';
  wakes inbox[] := '{}';
  listened boolean[] := '{}';
  woken jsonb[] := '{}';
  reserve boolean := false; -- a model call of one of them is to be settled
  nothing text; -- as in append
begin
  nothing := lock_batches(batches);
  for c in select * from are_as_expected(batches) loop
    -- One that touches what another one writes follows it, by itself.
    if c.as_expected and not (c.reels && writes or c.writes && reels) then
      places := places || c.place::integer;
      taken := taken || batches[c.place];
      wakes := wakes || c.wake;
      reels := reels || c.reels;
      writes := writes || c.writes;
      listened := listened || c.listened;
      reserve := reserve or c.reserves;
    end if;
  end loop;
  if cardinality(taken) < 2 then
    return answers;
  end if;
  nothing := write_plain(taken, wakes, guarded);
  -- Most changes have no watcher.
  if exists (select from watch where reel = any(array(select jsonb_array_elements_text(
      jsonb_path_query_array(b->'changes', 'strict $[*].reel') || jsonb_path_query_array(b->'changes', 'lax $[*].scopes[*]'))
      from unnest(taken) b)))
  then
    for i in 1 .. cardinality(taken) loop
      woken[i] := wake_watchers(taken[i], guarded, wakes[i]);
    end loop;
  end if;
  if reserve then
    nothing := settle_together(taken);
  end if;
  nothing := write_journal(taken);
  for i in 1 .. cardinality(taken) loop
    answers[places[i]] := jsonb_build_object('status', 'appended', 'waiting', count_waiting(taken[i]->>'being'),
      'listened', listened[i]) || coalesce(woken[i], '{"woken": []}');
  end loop;
  return answers;
end $$;
