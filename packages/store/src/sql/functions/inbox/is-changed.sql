-- Whether each change of a batch is told by the fact that it names, of the batch's moment or of whom that acts for.
create or replace function treeos.is_changed(batch jsonb) returns boolean language plpgsql stable as $$
begin
  return (select bool_and(exists (
    select from jsonb_to_recordset(batch->'facts') as f(reel text, hash text, bytes text)
    where f.reel = c->>'reel' and f.hash = c#>>'{event,cause}'
      and (starts_with(c#>>'{event,content}', format('{"actor":"@%s","event":"changed",', batch->>'being'))
        or position(format('"onBehalfOf":"%s"', substring(c#>>'{event,content}' from '^\{"actor":"@([^"]+)","event":"changed",'))
          in convert_from(decode(f.bytes, 'hex'), 'UTF8')) > 0)))
  from jsonb_array_elements(batch->'changes') c);
end $$;
