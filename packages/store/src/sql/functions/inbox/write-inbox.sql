-- Puts wakes into inboxes, once for each id. Leaves out notices, which write_notices puts there.
create or replace function treeos.write_inbox(entries jsonb) returns void language plpgsql as $$
begin
  insert into inbox (id, being, kind, priority, caller, caller_role, caller_cognition, content, root, in_reply_to,
      asked_role, hops, continues, cause, answers, looks, expect_reply, channel, overlay)
    select id, being, kind, priority, caller, caller_role, caller_cognition, content, root, in_reply_to,
      asked_role, hops, continues, cause, answers, looks, expect_reply, channel, overlay
    from jsonb_populate_recordset(null::inbox, entries)
    where notice is null
    on conflict (id) do nothing;
end $$;
