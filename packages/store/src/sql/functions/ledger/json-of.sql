-- Bytes as JSON; null when they are not JSON, so that a verification can go on over damaged bytes.
create or replace function treeos.json_of(bytes bytea) returns jsonb language plpgsql immutable as $$
begin
  return convert_from(bytes, 'UTF8')::jsonb;
exception when data_exception or program_limit_exceeded then return null; -- whole classes: bad UTF-8, bad JSON, nested too deep and others
end $$;
