-- Whether a batch may be written together with others: it ends a moment of one act that wrote one fact about
-- a row, or none, wakes nobody by name, and closes nothing but its own wake. No rule counts its act.
create or replace function treeos.is_plain(batch jsonb) returns boolean language plpgsql immutable as $$
begin
  return coalesce(batch#>>'{outcome,kind}' = 'act', false) and batch#>>'{outcome,reason}' is null and batch->>'lease' is null
    and batch->'inbox' = '[]' and batch->'closes' = '[]' and batch ? 'open' and batch ? 'decision'
    and jsonb_array_length(batch->'facts') <= 1 and jsonb_array_length(batch->'rows') <= 1
    and coalesce(batch#>>'{facts,0,kind}' in ('quality:set', 'matter:written'), true)
    and not starts_with(coalesce(batch#>>'{facts,0,reel}', ''), 'matter:note-')
    and coalesce(jsonb_typeof(batch#>'{rows,0,watches}') <> 'array', true)
    and coalesce(jsonb_typeof(batch#>'{rows,0,account}') <> 'object', true)
    and coalesce(jsonb_typeof(batch#>'{rows,0,lease}') <> 'object', true)
    and not batch->'heads' @? '$[*] ? (@.reel starts with "tally:")';
end $$;
