import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { LocalError, messageOf } from '../machine/error.ts'
import { readIfThere, writeWhole } from '../machine/files.ts'
import { acquireLock, type Lock, LockedError } from '../machine/lock.ts'
import { isRunning, type Process } from '../machine/process.ts'

/** One service of an instance. Addresses and details hold no secrets: they are shown. */
export interface Service {
  /** Unique in the instance: `postgres`, `temporal`, `portal`, `worker-1`, … */
  name: string
  /** Null when the service is not ours to stop. */
  process: Process | null
  address: string
  /** The signal that ends it in order; SIGTERM unless it needs another. */
  stopSignal?: NodeJS.Signals
  detail?: Record<string, string | null>
}

/** `instance.json` in the instance's folder. */
export interface Instance {
  version: 1
  /** In the order of their start. */
  services: Service[]
  /** The ports of the last run by purpose. They are used again when free, so that addresses stay the same. */
  ports: Record<string, number>
}

/** Another process is starting, running or stopping this instance. */
export class InstanceBusyError extends LocalError {
  override readonly name: string = 'InstanceBusyError'
  readonly pid: number
  constructor(dataDir: string, pid: number) {
    super(
      `the instance in ${dataDir} is in use by process ${pid}: stop it first, or choose another folder with --data`,
    )
    this.pid = pid
  }
}

/**
 * The folder of the instance: `--data`, else TREEOS_DATA, else `.treeos` in `cwd`. Absolute. Creates nothing.
 */
export function instanceDir({
  data,
  env = process.env,
  cwd = process.cwd(),
}: {
  data?: string | undefined
  env?: NodeJS.ProcessEnv
  cwd?: string
} = {}): string {
  return resolve(cwd, data || env.TREEOS_DATA || '.treeos')
}

/** Creates the folder when it is missing. Secrets in it are files of mode 0600, and git ignores all of it. */
export function openInstance(dataDir: string): void {
  const isNew = mkdirSync(dataDir, { recursive: true }) !== undefined
  // Postgres does not run as root, and its user needs to pass through this folder.
  if (isNew) chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700)
  const ignore = join(dataDir, '.gitignore')
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n')
}

/**
 * Checked by hand: every command reads it, and zod takes a quarter of a second to load.
 * @returns an instance without services when none was ever started there
 */
export function readInstance(dataDir: string): Instance {
  const file = join(dataDir, 'instance.json')
  const text = readIfThere(file)
  if (text === null) return { version: 1, services: [], ports: {} }
  try {
    const instance = JSON.parse(text) as Instance
    if (instance.version === 1 && Array.isArray(instance.services)) return instance
  } catch (error) {
    throw new LocalError(`${file} is not readable: ${messageOf(error)}`, { cause: error })
  }
  throw new LocalError(`${file} is of another version of TreeOS`)
}

export const isAlive = ({ process }: Service): boolean => process === null || isRunning(process)

/** Adds a service, or replaces the one of that name; remembers its ports. */
export async function recordService(
  dataDir: string,
  service: Service,
  ports: Record<string, number> = {},
): Promise<void> {
  await change(dataDir, (instance) => ({
    ...instance,
    services: placed(instance.services, service),
    ports: { ...instance.ports, ...ports },
  }))
}

/**
 * Adds a service under the first free name of `<prefix>1`, `<prefix>2`, …; safe when several processes do so
 * at once.
 * @returns the name
 */
export async function recordNumbered(
  dataDir: string,
  prefix: string,
  service: Omit<Service, 'name'>,
): Promise<string> {
  let name = ''
  await change(dataDir, (instance) => {
    const taken = new Set(instance.services.filter(isAlive).map((one) => one.name))
    let n = 1
    while (taken.has(`${prefix}${n}`)) n++
    name = `${prefix}${n}`
    return { ...instance, services: placed(instance.services, { ...service, name }) }
  })
  return name
}

/** @param of removes the record only while it is of this process: another may have the name by now */
export async function forgetService(dataDir: string, name: string, of?: Process): Promise<void> {
  await change(dataDir, (instance) => ({
    ...instance,
    services: instance.services.filter(
      (one) => one.name !== name || (of !== undefined && !isSameProcess(one.process, of)),
    ),
  }))
}

/**
 * Claims the instance for this process until `release`, or until the process ends in any way.
 * @throws InstanceBusyError
 */
export async function lockInstance(dataDir: string): Promise<Lock> {
  openInstance(dataDir)
  try {
    return await acquireLock(join(dataDir, 'instance.lock'))
  } catch (error) {
    if (error instanceof LockedError) throw new InstanceBusyError(dataDir, error.holder.pid)
    throw error
  }
}

/** Replaces the record of the same process in its place, else appends: the list is in the order of starts. */
function placed(services: Service[], service: Service): Service[] {
  const at = services.findIndex(
    ({ name, process }) => name === service.name && isSameProcess(process, service.process),
  )
  if (at >= 0) return services.with(at, service)
  return [...services.filter(({ name }) => name !== service.name), service]
}

function isSameProcess(one: Process | null, other: Process | null): boolean {
  return one?.pid === other?.pid && one?.startedAt === other?.startedAt
}

async function change(dataDir: string, edit: (instance: Instance) => Instance): Promise<void> {
  openInstance(dataDir)
  const lock = await acquireLock(join(dataDir, 'instance.json.lock'), { waitMs: 10_000 })
  try {
    writeWhole(join(dataDir, 'instance.json'), `${JSON.stringify(edit(readInstance(dataDir)), null, 2)}\n`)
  } finally {
    lock.release()
  }
}
