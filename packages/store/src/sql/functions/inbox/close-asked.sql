-- Closes the entries that ask persons about a call, since nobody answered in time.
create or replace function treeos.close_asked(its_id text) returns void language sql volatile as $$
  update inbox set closed_by = 'expired', closed_at = clock_timestamp()
    where closed_by is null and id in (
      select approval_entry('asked', its_id, who, (r->>'revision')::integer)
      from asked_row(its_id) r, jsonb_array_elements(r->'rules') rule, jsonb_array_elements_text(rule->'who') who)
$$;
