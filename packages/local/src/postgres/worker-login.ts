import pg from 'pg'
import { passwordIn } from './cluster.ts'
import { query } from './server.ts'

/** The login role of workers and commands. It owns nothing, so it has only the rights of `treeos_app`. */
const WORKER = 'treeos_worker'
const RIGHTS = 'treeos_app'
const PASSWORD_FILE = 'worker-password'

/**
 * Makes the login role of workers, unless it is there. A worker that logged in as the owner could take back every right that
 * it gave up: `RESET ROLE` undoes `SET ROLE`.
 * @param ownerUrl of the database, as its owner
 * @param home folder of the cluster's passwords
 * @returns the URL of the database for workers
 */
export async function makeWorkerLogin(ownerUrl: string, home: string): Promise<string> {
  const password = passwordIn(home, PASSWORD_FILE)
  // The login role is a member of `treeos_app`, so `treeos_app` must exist first. The migrations give it its rights later.
  for (const role of [RIGHTS, WORKER]) {
    const { rows } = await query(ownerUrl, 'select from pg_roles where rolname = $1', [role])
    if (rows.length === 0) await query(ownerUrl, `create role ${role}`)
  }
  await query(ownerUrl, `alter role ${WORKER} login password ${pg.escapeLiteral(password)}`)
  await query(ownerUrl, `grant ${RIGHTS} to ${WORKER}`)
  return Object.assign(new URL(ownerUrl), { username: WORKER, password }).href
}
