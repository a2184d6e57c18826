-- Deletes what a moment decided, what it asked of the outside, and what is kept of both for people.
create or replace function treeos.erase_moment(its_reel text, its_moment text) returns void language plpgsql as $$
declare
  hold text := hold_over(its_reel, null, its_moment);
  its_wake text;
begin
  select wake into its_wake from moment_outcome where moment = its_moment and its_reel = 'being:' || being;
  if not found then
    raise exception 'moment % is not a finished moment of %', its_moment, its_reel using errcode = '22023';
  end if;
  if hold is not null then
    raise exception 'moment % is under the hold %', its_moment, hold using errcode = '22023';
  end if;
  delete from moment_decision where moment = its_moment;
  delete from moment_effect where moment = its_moment;
  delete from moment_fault where moment = its_moment;
  update moment_outcome set detail = null, result = null, refusal = null
    where moment = its_moment and (detail is not null or result is not null or refusal is not null);
  -- The moments in which its model decided again were told what it had called.
  with recursive again (id) as (
    select 'refused/' || its_moment
    union all select 'refused/' || m.moment from again a join moment_outcome m on m.wake = a.id
  )
  update inbox set content = 'null', salt = null where id in (select id from again);
  update inbox set content = 'null' where id = its_wake and kind = 'act'; -- which says what a person decided
end $$;
