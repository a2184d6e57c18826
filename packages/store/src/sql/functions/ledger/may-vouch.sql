-- Whether a person vouches for a row: by an act that it put into its own inbox, without a lease and in its
-- own words, and that names this row and what the person saw there, by the digest of its state.
-- @param wake of the moment
-- It stays, since what a person said cannot be taken back: all that reads the row acts on its word.
create or replace function treeos.may_vouch(reel text, bytes bytea, actor text, wake treeos.inbox) returns boolean
language plpgsql stable as $$
declare
  act jsonb := told(wake.content)->'call'; -- what the person's act asks for
  target text := act->>'target';
begin
  return wake.kind = 'act' and not wake.outside and told(wake.content)->>'lease' is null and act->>'verb' = 'do' and act->>'operation' = 'vouch'
    and actor = wake.being and exists (select from projection where key = 'being:' || actor and cognition = 'human')
    and act#>>'{args,seen}' = (
      select encode(sha256('treeos.value.v1\000'::bytea || convert_to(p.state, 'UTF8')), 'hex') from projection p
      where p.key = case when may_vouch.reel = 'registry' then 'role:' || (told(bytes)->>'name') else may_vouch.reel end)
    and case
      when reel = 'registry' then target = '/' and act#>>'{args,role}' = told(bytes)->>'name'
      when reel like 'world:%' then target = '/' and reel = 'world:' || (act#>>'{args,namespace}')
      else act#>>'{args,role}' is null and act#>>'{args,namespace}' is null
        and reel in (target, 'space:' || target, 'being:' || substr(target, 2)) end;
end $$;
