-- Whether the fact of a summon, as canonical JSON, tells a wake as it is. Its content may hold a NUL, which
-- jsonb does not take, so the part up to the content is compared as text. It stays, since the columns of a
-- wake say in whose name it comes, and gates read them before any replay.
create or replace function treeos.is_said(e treeos.inbox, said text) returns boolean language plpgsql immutable as $$
declare
  begins text := '{' || coalesce('"channel":' || to_json(e.channel) || ',', '')
    || '"cognition":' || coalesce(to_json(e.caller_cognition)::text, 'null')
    || ',"content":' || convert_from(e.content, 'UTF8') || ',';
  rest jsonb;
begin
  if not starts_with(said, begins) then
    return false;
  end if;
  rest := ('{' || substr(said, length(begins) + 1))::jsonb;
  return (rest->>'correlation', rest->>'to', rest->>'root', rest->>'inReplyTo', rest->>'role', coalesce(rest->>'expectReply', 'true'),
      coalesce(rest->>'outside', 'false'), rest->>'orientation')
    is not distinct from (e.id, e.being, e.root, e.in_reply_to, e.caller_role, e.expect_reply::text, coalesce(e.outside, false)::text, e.orientation);
end $$;
