import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { isKey, quote, TreeosError } from '@treeos/core'
import type { Programs, Servers, StartOptions } from '@treeos/local'
import { SEARCH_ATTRIBUTES } from '@treeos/protocol'
import { sharedSettings } from './settings.ts'

/** The name of the first reality of an instance. */
const NAME = 'home'

/** What an instance runs of ours: a source in a checkout, a built file in an install. */
export const programs: Programs = {
  treeos: join(import.meta.dirname, `../main${extname(import.meta.filename)}`),
  worker: createRequire(import.meta.url).resolve('@treeos/worker/main'),
  searchAttributes: SEARCH_ATTRIBUTES.map(({ name }) => name),
  plant,
  migratePortal,
  sharedSettings,
}

async function plant(
  { ownerUrl, isOwnTemporal }: Servers,
  { dataDir, env = process.env, onProgress }: StartOptions,
): Promise<{ isNew: boolean }> {
  const timeZone = env.TREEOS_TIME_ZONE || 'UTC'
  // The supervisor of an instance rarely needs these.
  const { migrate, openDatabase } = await import('@treeos/store')
  const { bootstrapReality } = await import('@treeos/reality')
  const { loadedRegistry } = await import('./connection.ts')
  const owner = openDatabase(ownerUrl, { asOwner: true, poolMax: 2 })
  try {
    tellMigrated(await migrate(owner), onProgress)
    const name = requireRealityName(
      env.TREEOS_REALITY || (isOwnTemporal ? NAME : `${NAME}-${randomSuffix()}`),
    )
    const taskQueue = env.TREEOS_TASK_QUEUE || undefined
    const registry = await loadedRegistry({ data: dataDir })
    const made = await bootstrapReality(owner, registry, { name, timeZone, taskQueue })
    if (made.created) onProgress(`made the reality ${made.reality.name} with its first beings`)
    else if (env.TREEOS_TIME_ZONE && made.reality.timeZone.toLowerCase() !== timeZone.toLowerCase())
      onProgress(`the reality keeps its time zone ${made.reality.timeZone}: TREEOS_TIME_ZONE is for new ones`)
    else if (taskQueue !== undefined && made.reality.taskQueue !== taskQueue)
      onProgress(
        `the reality keeps its task queue ${made.reality.taskQueue}: TREEOS_TASK_QUEUE is for new ones`,
      )
    return { isNew: made.created }
  } finally {
    await owner.destroy()
  }
}

async function migratePortal(ownerUrl: string, onProgress: (line: string) => void): Promise<void> {
  const { openDatabase } = await import('@treeos/store')
  const portal = await import('@treeos/portal')
  const owner = openDatabase(ownerUrl, { asOwner: true, poolMax: 1 })
  try {
    tellMigrated(await portal.migratePortal(owner), onProgress)
  } finally {
    await owner.destroy()
  }
}

function tellMigrated(migrations: readonly string[], onProgress: (line: string) => void): void {
  if (migrations.length > 0) onProgress(`brought the database up to date: ${migrations.join(', ')}`)
}

/** A Temporal that is not ours may hold other realities: workflows and queues are named after the reality. */
const randomSuffix = (): string => randomBytes(3).toString('hex')

function requireRealityName(name: string): string {
  if (isKey(name)) return name
  const right = 'a kebab-case name of up to 64 characters, as in home'
  throw new TreeosError('INVALID_INPUT', `TREEOS_REALITY is ${quote(name)}; it takes ${right}`)
}
