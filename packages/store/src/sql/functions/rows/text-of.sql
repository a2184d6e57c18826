-- JSON as text, to search in it. Bytes that are not JSON hold no words, and keep nobody from finding what
-- others hold.
create or replace function treeos.text_of(bytes bytea) returns text language plpgsql immutable as $$
begin
  return convert_from(bytes, 'UTF8')::json::text;
exception when data_exception or program_limit_exceeded then return null; -- bad UTF-8, bad JSON, nested too deep
end $$;
