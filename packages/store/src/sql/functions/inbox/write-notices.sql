-- Puts notices into inboxes. An equal notice that a person has not closed counts one more instead: notices
-- are equal when their `notice` is. Another being gets each notice as a wake of its own. An inbox that holds
-- the most notices counts the others in one entry, `dropped`. An entry that stands for notices of several
-- threads belongs to none of them.
-- @param own_wake of the moment that sends them: the being whose question it was about is told for what it asked
create or replace function treeos.write_notices(entries jsonb, notices_max integer, own_wake text) returns void language plpgsql as $$
declare
  n record;
  is_person boolean;
  key text;
  question inbox; -- the wake that the moment was about
begin
  select q.* into question from inbox i join inbox q on q.id = question_of(i) where i.id = own_wake;
  for n in
    select i.id, i.being, i.priority, i.content, i.root, i.in_reply_to, i.hops, i.notice, coalesce(i.outside, false) outside, i.salt
    from jsonb_populate_recordset(null::inbox, entries) i
    where i.notice is not null and not exists (select from inbox where id = i.id)
    order by i.being collate "C", i.notice collate "C"
  loop
    is_person := not wakes(n.being, 'event');
    if n.being = question.caller and n.in_reply_to = question.id then
      update inbox set let_go = n.id where id = question.id and let_go is null;
    end if;
    key := case when is_person then n.notice else n.id end;
    -- Another append may add the same entry between two of these steps, so they are tried twice.
    for attempt in 1..2 loop
      update inbox i set times = times + 1, latest = clock_timestamp(), outside = i.outside or n.outside,
          root = case when i.root = n.root then i.root else i.id end
        where being = n.being and notice = key and closed_by is null;
      exit when found;
      if (select count(*) >= notices_max from inbox
        where being = n.being and notice is not null and closed_by is null)
      then
        n.id := 'dropped/' || n.id;
        n.root := n.id;
        n.salt := null; -- no moment sent this entry
        n.content := convert_to(format('{"event":"dropped","message":"%s notices wait here, and further ones were only counted"}',
          notices_max), 'UTF8');
        key := 'dropped';
        update inbox i set times = times + 1, latest = clock_timestamp()
          where being = n.being and notice = key and closed_by is null;
        exit when found;
      end if;
      insert into inbox (id, being, kind, priority, content, root, in_reply_to, hops, about, notice, outside, salt)
        values (n.id, n.being, 'event', n.priority, n.content, n.root, n.in_reply_to, n.hops,
          case when n.in_reply_to = question.id then question.about end, key, n.outside, n.salt)
        on conflict do nothing;
      exit when found;
    end loop;
  end loop;
end $$;
