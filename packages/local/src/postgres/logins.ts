import { escapeLiteral } from '@treeos/postgres'
import { passwordIn, USER } from './cluster.ts'
import { query } from './server.ts'

export interface LoginRole {
  readonly login: string
  /** in the instance's folder of Postgres */
  readonly passwordFile: string
}

/** A login role that owns nothing, so it has only the rights of one other role. */
interface BorrowingRole extends LoginRole {
  readonly rights: string
}

/** The superuser of our server, who owns our tables. */
export const OWNER: LoginRole = { login: USER, passwordFile: 'password' }
/** Workers. */
export const WORKER: BorrowingRole = {
  login: 'treeos_worker',
  rights: 'treeos_app',
  passwordFile: 'worker-password',
}
/** Commands and MCP, which act for persons. */
export const PEOPLE: BorrowingRole = {
  login: 'treeos_commands',
  rights: 'treeos_people',
  passwordFile: 'people-password',
}
/** Acts by a Temporal signal. Workers get it only where such acts are on. */
export const SIGNALS: BorrowingRole = {
  login: 'treeos_signal',
  rights: 'treeos_signals',
  passwordFile: 'signals-password',
}
/** The portal, which people reach by their browsers. */
export const PORTAL: BorrowingRole = {
  login: 'treeos_web',
  rights: 'treeos_portal',
  passwordFile: 'portal-password',
}
/** What gives facts their place in the log: it reads no content. */
export const SEQUENCER: BorrowingRole = {
  login: 'treeos_sequence',
  rights: 'treeos_sequencer',
  passwordFile: 'sequencer-password',
}

/**
 * Makes a login role, unless it is there. A worker that logged in as the owner could take back every right
 * that it gave up: `RESET ROLE` undoes `SET ROLE`.
 * @param ownerUrl of the database, as its owner
 * @param home folder of the cluster's passwords
 * @returns the URL of the database for that login
 */
export async function makeLogin(ownerUrl: string, home: string, role: BorrowingRole): Promise<string> {
  const { login, rights, passwordFile } = role
  const password = passwordIn(home, passwordFile)
  // The login role is a member of the other, so that one must exist first. The migrations give it its rights
  // later.
  for (const name of [rights, login]) {
    const { rows } = await query(ownerUrl, 'select from pg_roles where rolname = $1', [name])
    if (rows.length === 0) await query(ownerUrl, `create role ${name}`)
  }
  await query(ownerUrl, `alter role ${login} login password ${escapeLiteral(password)}`)
  await query(ownerUrl, `grant ${rights} to ${login}`)
  return Object.assign(new URL(ownerUrl), { username: login, password }).href
}
