-- Raises an error unless as much was written as was brought.
create or replace function treeos.require_all(written integer, brought integer, what text) returns void language plpgsql as $$
begin
  if written <> brought then
    raise exception 'of % %, only % may be written together', brought, what, written using errcode = 'TR002';
  end if;
end $$;
