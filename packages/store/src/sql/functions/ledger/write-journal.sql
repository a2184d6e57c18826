-- Adds an entry for an append to the journal, and tells those who follow it, at commit.
-- Called after every other write of the append, because it takes two advisory locks until the commit:
--   (1953654117, 1) held by the one transaction that tells. A commit that notifies takes a lock of the whole server, so if each
--   append told, commits would queue up. While another transaction holds this lock, that one tells for both: who follows waits for
--   every entry that was under way when it was told.
--   (1953654117, 2) held in share mode by each follower. Where it is free, nobody follows and nothing is sent.
create or replace function treeos.write_journal(this_moment text, its_reels text[], its_seqs bigint[]) returns void language plpgsql as $$
begin
  insert into journal (moment, reels, seqs) values (this_moment, its_reels, its_seqs);
  if pg_try_advisory_xact_lock(1953654117, 1) then
    if not pg_try_advisory_xact_lock(1953654117, 2) then
      notify treeos_journal;
    end if;
  end if;
end $$;
