-- Locks all heads that the batch has read.
-- @param refusal why the batch may not be written, or null
-- @param listened the being's run still looks for wakes by itself
-- @param is_open an open record of the moment is stored
-- @param is_decided a decision of the moment is stored
-- @param is_reserved a model call was reserved for the moment, and is not settled
create or replace function treeos.lock_and_check(batch jsonb, out refusal jsonb, out listened boolean, out is_open boolean,
  out is_decided boolean, out is_reserved boolean) language plpgsql as $$
declare
  this_being text := batch->>'being';
  this_moment text := batch->>'moment';
  wanted record;
  stands record;
  moved text;
  found_so record; -- of the moment and its being
begin
  -- Insert missing heads before locking them. Otherwise two first appends at once would end in a unique
  -- violation.
  if batch->'heads' @? '$[*] ? (@.seq == 0)' then
    insert into head (reel, seq, hash, state_seq)
      select h.reel, 0, genesis(h.reel), 0
      from jsonb_to_recordset(batch->'heads') as h(reel text, seq bigint)
      where h.seq = 0 and not exists (select from head where head.reel = h.reel)
      order by h.reel collate "C"
      on conflict do nothing;
  end if;
  -- One pass in one order, so no two appends wait for each other. Heads that are only read are locked for
  -- share.
  for wanted in
    select h.reel, h.seq, h."stateSeq" state_seq, h.write
    from jsonb_to_recordset(batch->'heads') as h(reel text, seq bigint, "stateSeq" bigint, write boolean)
    order by h.reel collate "C"
  loop
    if wanted.write then
      select seq, state_seq, listens_until into stands from head where reel = wanted.reel for update;
      if wanted.reel = 'moments:' || this_being then
        listened := stands.listens_until > clock_timestamp();
      end if;
    else
      select seq, state_seq into stands from head where reel = wanted.reel for share;
    end if;
    if stands.state_seq is distinct from wanted.state_seq or (wanted.write and stands.seq is distinct from wanted.seq) then
      moved := coalesce(moved, wanted.reel);
    elsif wanted.write and is_tally(wanted.reel) and is_held(wanted.reel, this_moment) then
      moved := coalesce(moved, wanted.reel);
    end if;
  end loop;

  -- Whoever wrote a cut thread's row read no head of it, so the thread is looked up and not locked.
  select exists (select from moment_outcome where moment = this_moment) is_done,
      (select max(generation) from life where being = this_being) generation,
      exists (select from projection where key = 'thread:' || (batch->>'thread')) is_cut,
      exists (select from moment_open where moment = this_moment) is_open,
      exists (select from moment_decision where moment = this_moment) is_decided,
      exists (select from reservation where moment = this_moment and settled_at is null) is_reserved
    into found_so;
  is_open := found_so.is_open;
  is_decided := found_so.is_decided;
  is_reserved := found_so.is_reserved;
  if this_moment is not null then
    if found_so.is_done then
      refusal := jsonb_build_object('status', 'done');
      return;
    end if;
    if found_so.generation is distinct from (batch->>'generation')::integer then
      refusal := jsonb_build_object('status', 'superseded', 'generation', found_so.generation);
      return;
    end if;
  end if;
  -- The lease needs no lock: taking or releasing one writes a fact on the being's reel, and every act of the
  -- being has read that reel's head. So only the expiry is checked here.
  if jsonb_typeof(batch->'lease') = 'number' and not lease_is_valid(this_being, (batch->>'lease')::integer) then
    refusal := jsonb_build_object('status', 'unleased');
  elsif moved is not null or found_so.is_cut then
    refusal := jsonb_build_object('status', 'stale', 'reel', coalesce(moved, 'thread:' || (batch->>'thread')));
  end if;
end $$;
