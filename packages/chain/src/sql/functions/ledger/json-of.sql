-- Null for bytes that are no JSON: what verifies a chain must not stumble over what broke it.
create or replace function treeos.json_of(bytes bytea) returns jsonb language plpgsql immutable as $$
begin
  return convert_from(bytes, 'UTF8')::jsonb;
exception when data_exception then return null; -- with all of its class, such as bad UTF-8 and bad JSON
end $$;
