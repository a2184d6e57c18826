import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const { resolve } = createRequire(import.meta.url)
/**
 * Worlds to start from, one for each folder of `examples/worlds/`, and where each lies. This is the only list
 * of them.
 */
const WORLDS: Readonly<Record<string, () => string>> = {
  court: () => resolve('@treeos/court'),
  factory: () => resolve('@treeos/factory'),
  fitness: () => resolve('@treeos/fitness'),
  food: () => resolve('@treeos/food'),
  harmony: () => resolve('@treeos/harmony'),
  weather: () => resolve('@treeos/weather'),
}
/** In a folder of an instance: names of worlds, as a JSON array. */
const FILE = 'worlds.json'

export const worldNames: readonly string[] = Object.keys(WORLDS)

/** The module of a world; null for a name that no world has. */
export const findWorld = (name: string): string | null =>
  Object.hasOwn(WORLDS, name) ? (WORLDS[name]?.() ?? null) : null

/** The worlds that were asked for in an instance. */
export function keptWorlds({ TREEOS_DATA }: NodeJS.ProcessEnv): string[] {
  if (!TREEOS_DATA) return []
  try {
    return JSON.parse(readFileSync(join(TREEOS_DATA, FILE), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/**
 * Lets everything of an instance load a world from its next start on.
 * @returns false for one that was kept already, and for what is no world
 */
export function keepWorld(dataDir: string, name: string): boolean {
  const kept = keptWorlds({ TREEOS_DATA: dataDir })
  if (kept.includes(name) || findWorld(name) === null) return false
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(join(dataDir, FILE), JSON.stringify([...kept, name]))
  return true
}
