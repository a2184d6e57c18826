-- Puts wakes into inboxes, once for each id. Leaves out notices, which write_notices puts there. A worker of an older version
-- sends neither looks nor expectReply.
create or replace function treeos.write_inbox(entries jsonb) returns void language plpgsql as $$
begin
  insert into inbox (id, being, kind, priority, caller, caller_role, caller_cognition, content, root, in_reply_to,
      asked_role, hops, continues, cause, answers, looks, expect_reply, channel, overlay)
    select i.id, i.being, i.kind, i.priority, i.caller, i."callerRole", i."callerCognition", decode(i.content, 'hex'),
      i.root, i."inReplyTo", i."askedRole", i.hops, i.continues, decode(i.cause, 'hex'),
      i.answers, coalesce(i.looks, 0), coalesce(i."expectReply", true), i.channel, i.overlay
    from jsonb_to_recordset(entries) as i(id text, being text, kind text, priority smallint, caller text,
      "callerRole" text, "callerCognition" text, content text, root text, "inReplyTo" text, "askedRole" text,
      hops integer, continues integer, cause text, notice text, answers text, looks smallint, "expectReply" boolean,
      channel text, overlay text)
    where i.notice is null
    on conflict (id) do nothing;
end $$;
