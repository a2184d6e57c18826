import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { quote, TreeosError } from '@treeos/core'
import court from '@treeos/court'
import emotions from '@treeos/emotions'
import factory from '@treeos/factory'
import fitness from '@treeos/fitness'
import food from '@treeos/food'
import harmony from '@treeos/harmony'
import library from '@treeos/library'
import panel from '@treeos/panel'
import type { Extension } from '@treeos/sdk'
import weather from '@treeos/weather'

/** What our worker and our command line always load. */
export const shipped: readonly Extension[] = [
  court,
  emotions,
  factory,
  fitness,
  food,
  harmony,
  library,
  panel,
  weather,
]

/**
 * What is shipped, and what `TREEOS_EXTENSIONS` names: modules whose default export is an extension, by path or as packages,
 * with commas between.
 * @throws {TreeosError} INVALID_INPUT naming the module and what is wrong with it
 */
export async function loadExtensions(env: NodeJS.ProcessEnv = process.env): Promise<readonly Extension[]> {
  return [...shipped, ...(await Promise.all(modulesOf(env).map(load)))]
}

/** The same for a process that starts in another folder. */
export const absoluteModules = (env: NodeJS.ProcessEnv): string => modulesOf(env).map(locate).join(',')

const modulesOf = (env: NodeJS.ProcessEnv): string[] =>
  (env.TREEOS_EXTENSIONS ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

async function load(name: string): Promise<Extension> {
  const { default: extension } = (await import(pathToFileURL(locate(name)).href).catch((error: unknown) => {
    throw wrong(name, `cannot be loaded: ${error instanceof Error ? error.message : String(error)}`)
  })) as { default?: unknown }
  if (isExtension(extension)) return extension
  throw wrong(name, 'has no default export made by defineExtension')
}

function locate(name: string): string {
  if (/^[./]/.test(name)) return resolve(name)
  try {
    return createRequire(join(process.cwd(), 'package.json')).resolve(name)
  } catch {
    throw wrong(name, `is no package that ${process.cwd()} has installed; a path begins with ./ or /`)
  }
}

const isExtension = (value: unknown): value is Extension =>
  typeof value === 'object' &&
  value !== null &&
  ['name', 'version'].every((key) => typeof (value as Record<string, unknown>)[key] === 'string') &&
  ['roles', 'operations', 'scene'].every((key) => Array.isArray((value as Record<string, unknown>)[key]))

const wrong = (name: string, why: string) =>
  new TreeosError('INVALID_INPUT', `TREEOS_EXTENSIONS: ${quote(name)} ${why}`)
