import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { LocalError, messageOf, systemCode } from '../machine/error.ts'
import { readIfThere, writeWhole } from '../machine/files.ts'
import { type Process, processStart } from '../machine/process.ts'
import { serverEnvironment } from '../machine/server-environment.ts'
import type { Binaries } from './binaries.ts'
import type { Owner } from './owner.ts'

export const USER = 'treeos'
/** Of the path of a Unix socket; the least of the systems that we know has room for 103 and a zero. */
const SOCKET_BYTES_MAX = 103
const run = promisify(execFile)

/**
 * A password, the superuser's unless another file is named: created once, stored in a file that only we can
 * read.
 */
export function passwordIn(home: string, name = 'password'): string {
  const file = join(home, name)
  const known = readIfThere(file)
  if (known !== null) return known.trim()
  const password = randomBytes(24).toString('base64url')
  writeWhole(file, `${password}\n`)
  return password
}

/**
 * Creates the cluster `<home>/data` when there is none. It is made under another name, so that a partial one
 * is never used.
 */
export async function makeCluster(
  home: string,
  { initdb }: Binaries,
  password: string,
  owner: Owner | null,
): Promise<string> {
  const data = join(home, 'data')
  if (existsSync(data)) return data
  const draft = join(home, 'data.new')
  const passwordFile = join(home, `password.${randomUUID()}`)
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  writeFileSync(passwordFile, password, { mode: 0o600, flag: 'wx' })
  if (owner !== null) for (const path of [draft, passwordFile]) chownSync(path, owner.uid, owner.gid)
  const args = ['-D', draft, '-U', USER, '--pwfile', passwordFile, '--auth=scram-sha-256', '--encoding=UTF8']
  // The built-in provider sorts by code point and is the same on every machine; the host's locales are not.
  args.push('--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8')
  try {
    await run(initdb, args, { ...owner, cwd: home, env: { ...serverEnvironment(), LC_ALL: 'C' } })
  } catch (error) {
    throw new LocalError(`cannot make a Postgres cluster in ${data}: ${messageOf(error)}`, { cause: error })
  } finally {
    rmSync(passwordFile, { force: true })
  }
  renameSync(draft, data)
  return data
}

/**
 * The postmaster that runs on a data directory, from its postmaster.pid.
 * @returns null when none runs. Removes the file of a dead one whose pid now belongs to another process:
 *   Postgres would take that process for its own and refuse to start
 */
export function runningPostmaster(
  data: string,
): { process: Process; port: number; socketFolder: string | null } | null {
  const file = join(data, 'postmaster.pid')
  const [pidLine, , , portLine, socketLine] = readIfThere(file)?.split('\n') ?? []
  if (pidLine === undefined) return null
  const pid = Number(pidLine)
  const startedAt = processStart(pid)
  if (startedAt === null) return null // Postgres sees that for itself
  if (!servesFrom(pid, data)) {
    rmSync(file)
    return null
  }
  return { process: { pid, startedAt }, port: Number(portLine), socketFolder: socketLine || null }
}

/**
 * The folder for the Unix socket of a server: that of its data, which only its user can read and write. So
 * what listens there is the server, while any process can listen on its port when it is down.
 * @returns null where the path would be too long for a socket
 */
export const socketFolderOf = (data: string): string | null =>
  Buffer.byteLength(join(data, '.s.PGSQL.65535')) <= SOCKET_BYTES_MAX ? data : null

/** Whether a process is a server on these data, by its current directory. Checked on Linux only. */
function servesFrom(pid: number, data: string): boolean {
  if (process.platform !== 'linux') return true
  try {
    return (
      readlinkSync(`/proc/${pid}/cwd`) === data &&
      readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')
    )
  } catch (error) {
    const code = systemCode(error)
    // Access is denied for processes of other users. The server runs as our user, or we are root.
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return false
    throw error
  }
}
