import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { isAlive, readInstance } from '../instance/instance.ts'
import { serviceOf } from '../instance/services.ts'
import { messageOf } from '../machine/error.ts'
import { freePort } from '../machine/ports.ts'
import { embeddedEntry, isMusl, MUSL_FAULT, PLATFORM } from '../postgres/binaries.ts'
import { findOwner } from '../postgres/owner.ts'
import { query } from '../postgres/server.ts'
import { addressOf, namesTemporal } from '../processes/places.ts'
import { readAccess } from '../temporal/access.ts'
import { connectTemporal } from '../temporal/connect.ts'
import { findExecutable } from '../temporal/executables.ts'
import { readyTemporal } from '../temporal/find.ts'
import { defaultCacheDir } from '../temporal/temporal.ts'
import { bad, type CheckResult, type DoctorCheck, good } from './check.ts'

const ANSWER_MS = 5_000

/**
 * Checks that this machine has what a start needs. Changes nothing.
 * @param nodeMajorMin the oldest major version of Node that does
 */
export async function checkMachine(
  dataDir: string,
  env: NodeJS.ProcessEnv,
  nodeMajorMin: number,
): Promise<DoctorCheck[]> {
  return [
    { name: 'node', ...checkNode(nodeMajorMin) },
    ...(isMusl()
      ? [{ name: 'system', ...bad(MUSL_FAULT, 'a system or image with glibc, such as node:24-slim') }]
      : []),
    { name: 'folder', ...checkFolder(dataDir) },
    { name: 'ports', ...(await checkPorts()) },
    { name: 'postgres', ...(await checkPostgres(env)) },
    { name: 'temporal', ...(await checkTemporal(dataDir, env)) },
  ]
}

function checkNode(majorMin: number): CheckResult {
  const major = Number(process.versions.node.split('.')[0])
  const found = `Node ${process.version}`
  return major >= majorMin
    ? good(found)
    : bad(`${found}, ${majorMin} or newer is needed`, 'npx pnpm@12.21.0 install (it brings Node along)')
}

function checkFolder(dataDir: string): CheckResult {
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

async function checkPorts(): Promise<CheckResult> {
  try {
    return good(`port ${await freePort('a check')} of 127.0.0.1 is free`)
  } catch (error) {
    return bad(`no port of 127.0.0.1 can be bound: ${messageOf(error)}`, 'ip link set lo up')
  }
}

async function checkTemporal(dataDir: string, env: NodeJS.ProcessEnv): Promise<CheckResult> {
  if (namesTemporal(env)) return checkNamedTemporal(env)
  const service = serviceOf(readInstance(dataDir), 'temporal')
  if (service !== null && isAlive(service)) return good(`runs at ${service.address}`)
  const ready = readyTemporal(defaultCacheDir(env), env.PATH ?? '')
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

async function checkNamedTemporal(env: NodeJS.ProcessEnv): Promise<CheckResult> {
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

async function checkPostgres(env: NodeJS.ProcessEnv): Promise<CheckResult> {
  if (env.DATABASE_URL) return checkNamedPostgres(env.DATABASE_URL)
  try {
    embeddedEntry()
  } catch {
    return bad(
      `no Postgres for ${PLATFORM} is installed`,
      'npx pnpm@12.21.0 install, or set DATABASE_URL to a Postgres 15 or newer',
    )
  }
  const isRoot = process.getuid?.() === 0
  if (!isRoot || findOwner() !== null) return good(`brought along, for ${PLATFORM}`)
  if (findExecutable('useradd', env.PATH ?? '') !== null)
    return good(`brought along, for ${PLATFORM}; the user postgres will be made`)
  return bad(
    'Postgres does not run as root, and there is no user postgres',
    'adduser -S -H postgres, or run as another user',
  )
}

async function checkNamedPostgres(url: string): Promise<CheckResult> {
  try {
    const { rows } = await query(url, 'show server_version')
    return good(`${addressOf(url)} answers: Postgres ${rows[0]?.server_version}`)
  } catch (error) {
    return bad(
      `${addressOf(url)} does not answer: ${messageOf(error)}`,
      'start that server, or unset DATABASE_URL to use one of our own',
    )
  }
}
