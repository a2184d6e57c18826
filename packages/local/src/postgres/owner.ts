import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LocalError, messageOf } from '../machine/error.ts'
import { readIfThere, writeWhole } from '../machine/files.ts'

export interface Owner {
  uid: number
  gid: number
}

const USER = 'postgres'

/**
 * The user that the server runs as when we are root, which Postgres refuses.
 * @returns null when we are not root
 */
export function serverOwner(onProgress: (line: string) => void): Owner | null {
  if (process.getuid?.() !== 0) return null
  const known = findOwner()
  if (known !== null) return known
  onProgress(`creating the system user ${USER}, since Postgres does not run as root`)
  const command = [
    'useradd',
    '--system',
    '--user-group',
    '--no-create-home',
    '--shell',
    '/usr/sbin/nologin',
    USER,
  ]
  try {
    execFileSync(command[0] as string, command.slice(1), { stdio: 'pipe' })
  } catch (error) {
    throw new LocalError(
      `Postgres does not run as root and the user ${USER} cannot be made (${messageOf(error)}): ` +
        `run \`${command.join(' ')}\`, or start TreeOS as another user, or set DATABASE_URL`,
      { cause: error },
    )
  }
  const made = findOwner()
  if (made === null) throw new LocalError(`the user ${USER} was made but cannot be found`)
  return made
}

/** The user postgres. Reads /etc/passwd itself: `getent` and `id` are not installed everywhere. */
export function findOwner(): Owner | null {
  const line = readIfThere('/etc/passwd')
    ?.split('\n')
    .find((one) => one.startsWith(`${USER}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) }
}

/** Whether `owner` may pass through `path`, if it is a folder, and every folder above it. */
export function canReach(path: string, owner: Owner): boolean {
  for (let folder = realpathSync(path); ; folder = dirname(folder)) {
    const { uid, gid, mode } = statSync(folder)
    const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

/**
 * The folder that holds the cluster: `home`, or one below /var/lib/treeos when the server's user cannot reach
 * `home`. The file `elsewhere` in `home` names that folder, so that a new instance never gets the cluster of
 * a deleted one.
 */
export function clusterHome(home: string, owner: Owner | null, onProgress: (line: string) => void): string {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  if (owner === null) return home
  const pointer = join(home, 'elsewhere')
  const known = readIfThere(pointer)
  if (known !== null) return known
  chmodSync(home, 0o711)
  if (existsSync(join(home, 'data')) || canReach(home, owner)) return home
  const other = join('/var/lib/treeos', `instance-${randomBytes(6).toString('hex')}`)
  mkdirSync(other, { recursive: true, mode: 0o755 })
  writeWhole(pointer, other)
  onProgress(`Postgres keeps its data in ${other}, since its user cannot reach ${home}`)
  return other
}
