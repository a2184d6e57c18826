-- Raises an error unless a wake that no act sent is plain: of a being that was born, and without caller,
-- cause and hops.
create or replace function treeos.require_plain_wake(w treeos.inbox) returns void language plpgsql stable as $$
begin
  if num_nonnulls(w.caller, w.caller_role, w.caller_cognition, w.in_reply_to, w.asked_role, w.cause, w.notice, w.answers, w.about,
      w.channel, w.overlay, w.orientation) > 0
    or (w.hops, w.continues, coalesce(w.refusals, 0)) is distinct from (0, 0, 0) or w.priority not between 1 and 9
    or octet_length(w.content) > 262144
  then
    raise exception 'refused: a wake without an act has no caller, cause or hops, and at most 262144 bytes'
      using errcode = '42501';
  end if;
  if not exists (select from projection where key = 'being:' || w.being) then
    raise exception 'refused: no being % lives in this reality', w.being using errcode = '42501';
  end if;
end $$;
