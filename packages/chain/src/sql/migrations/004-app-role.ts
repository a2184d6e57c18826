import { type Kysely, sql } from 'kysely'

/**
 * What a worker's connections run as: it may read, open moments and put rows into the inbox; facts, heads, rows and
 * outcomes come only through append. Made only where the migrating user may make roles; triggers hold in any case.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(APP_ROLE).execute(db)
}

// Roles belong to the whole server: another database's migration may make this one at the same time.
const APP_ROLE = `
revoke execute on all functions in schema treeos from public;
do $$
begin
  if not exists (select from pg_roles where rolname = 'treeos_app') then
    begin
      create role treeos_app nologin;
    exception
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then
        raise notice 'role treeos_app cannot be made by %; triggers alone guard the past', current_user;
        return;
    end;
  end if;

  grant usage on schema treeos to treeos_app;
  grant select on all tables in schema treeos to treeos_app;
  grant insert on treeos.moment_open, treeos.moment_decision, treeos.blob, treeos.inbox to treeos_app;
  grant update (closed_by, closed_at) on treeos.inbox to treeos_app;
  grant execute on all functions in schema treeos to treeos_app;

  -- Since Postgres 16, to be a member is not yet to be allowed to become it.
  if not pg_has_role(current_user, 'treeos_app',
      case when current_setting('server_version_num')::integer < 160000 then 'MEMBER' else 'SET' end) then
    begin
      execute format('grant treeos_app to %I', current_user);
    exception when insufficient_privilege or internal_error then -- internal: two grants at once
      raise notice '% may not become treeos_app; triggers alone guard the past', current_user;
    end;
  end if;
end $$;
`
