-- Adds an entry for each batch to the journal, and tells those who follow it, at commit.
-- Called after every other write of the append, because it takes two advisory locks until the commit:
--   (1953654117, 1) held by the one transaction that tells. A commit that notifies takes a lock of the whole
--   server, so if each append told, commits would queue up. While another transaction holds this lock, that
--   one tells for both: who follows waits for every entry that was under way when it was told. (1953654117,
--   2) held in share mode by each follower. Where it is free, nobody follows and nothing is sent.
create or replace function treeos.write_journal(batches jsonb[]) returns void language plpgsql as $$
begin
  insert into journal (moment, reels, seqs)
    select case when jsonb_typeof(b->'outcome') = 'object' then b->>'moment' end, f.reels, f.seqs
    from unnest(batches) b cross join lateral (
      select coalesce(array_agg(reel), '{}') reels, coalesce(array_agg(seq), '{}') seqs
      from jsonb_to_recordset(b->'facts') as r(reel text, seq bigint)) f;
  if pg_try_advisory_xact_lock(1953654117, 1) then
    if not pg_try_advisory_xact_lock(1953654117, 2) then
      notify treeos_journal;
    end if;
  end if;
end $$;
