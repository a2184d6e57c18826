import { sql } from 'kysely'
import type { Db } from './database.ts'

/**
 * Which rights the login of a connection has beyond those of workers. `SET ROLE` does not take them:
 * `RESET ROLE` undoes it.
 */
export interface Login {
  readonly name: string
  readonly isSuperuser: boolean
  /** tables of ours that it owns, itself or by a role that it belongs to */
  readonly ownsTables: boolean
}

export async function readLogin(db: Db): Promise<Login> {
  const { rows } = await sql<{ name: string; super: boolean; owns: boolean }>`
    select r.rolname as name, r.rolsuper as super,
      exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'treeos' and c.relkind = 'r' and pg_has_role(r.oid, c.relowner, 'MEMBER')) as owns
    from pg_roles r where r.rolname = session_user`.execute(db)
  const [login] = rows
  if (login === undefined) throw new Error('the role of this session is not in pg_roles')
  return { name: login.name, isSuperuser: login.super, ownsTables: login.owns }
}
