-- Whether a moment decided the call to which the last yes was given, under the lease under which it was asked
-- about. Both are canonical JSON and compared as text, as in is_asked: the call is the first field of the
-- fact. It stays, since the yes of a person lets that call out and no other.
create or replace function treeos.is_approved(w treeos.inbox, its_moment text, its_lease integer) returns boolean
language plpgsql stable as $$
declare
  its_id text := approval_in(w.id);
  said text;
  decided text := (select convert_from(bytes, 'UTF8') from moment_decision where moment = its_moment);
begin
  select convert_from(f.bytes, 'UTF8') into said from fact f
    where f.reel = approval_reel(its_id) and f.kind = 'approval:given' and f.bytes is not null order by f.seq desc limit 1;
  return starts_with(decided, '{"call":') and right(decided, 30) = ',"content":null,"kind":"call"}'
    and starts_with(said, left(decided, length(decided) - 30) || ',')
    and asked_row(its_id)->>'state' = 'given'
    and its_lease is not distinct from (asked_row(its_id)#>>'{lease,epoch}')::integer;
end $$;
