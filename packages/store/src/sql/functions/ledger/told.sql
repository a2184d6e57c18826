-- What a fact tells: its payload as JSON, with U+FFFD in the place of a NUL, which jsonb does not take. Null
-- when it is not JSON. To be asked who and what a fact names; a text inside a text is never taken for a field
-- so.
create or replace function treeos.told(bytes bytea) returns jsonb language plpgsql immutable as $$
begin
  return replace(convert_from(bytes, 'UTF8'), '\u0000', '\ufffd')::jsonb;
exception when data_exception or program_limit_exceeded then return null; -- whole classes: bad UTF-8, bad JSON, nested too deep and others
end $$;
