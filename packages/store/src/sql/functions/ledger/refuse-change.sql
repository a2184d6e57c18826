-- Trigger of the tables that hold the past.
create or replace function treeos.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% on % is refused: the past is fixed', tg_op, tg_table_name using errcode = 'TR001';
end $$;
