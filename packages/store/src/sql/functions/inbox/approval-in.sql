-- The call that waits for a yes which an inbox entry is about: asked/<being>/<generation>/<n>/<person>, or
-- approved/<being>/<generation>/<n>.
create or replace function treeos.approval_in(entry text) returns text language sql immutable as $$
  select array_to_string((string_to_array(entry, '/'))[2:4], '/')
$$;
