-- Whether a being has a part in a thread, as `requirePart` asks: something of it came from the being or went
-- to it. The operator has one in each.
create or replace function treeos.has_part(thread text, who text) returns boolean language plpgsql stable as $$
begin
  return exists (select from inbox i where i.root = thread and who in (i.being, i.caller))
    or exists (select from projection p where p.key = 'being:' || who and p.parent is null);
end $$;
