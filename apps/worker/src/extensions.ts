import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { quote, TreeosError } from '@treeos/core'
import type { Extension } from '@treeos/sdk'
import { acceptance, type CallTool, readToolsFile, type ServerEntries, toolExtensions } from '@treeos/tools'
import { shipped } from './shipped-extensions.ts'
import { findWorld, keptWorlds, worldNames } from './worlds.ts'

export { secretsFolder, secretsOf } from './secrets.ts'
export { keepWorld, worldNames } from './worlds.ts'

/**
 * The shipped extensions, then the worlds that were asked for in this instance, those of the tool servers
 * that the operator named, and those that `TREEOS_EXTENSIONS` names. That variable holds paths, names of
 * worlds or names of packages with commas between; the default export of each module is an extension.
 * @throws {TreeosError} INVALID_INPUT naming the module and what is wrong with it
 */
export async function loadExtensions(
  env: NodeJS.ProcessEnv = process.env,
  call?: CallTool,
): Promise<readonly Extension[]> {
  const named = modulesOf(env)
  // A world that both name is loaded once.
  const modules = new Set(named.map(locate))
  const worlds = keptWorlds(env).filter((name) => !modules.has(locate(name)))
  return [
    ...shipped,
    ...(await Promise.all(worlds.map(load))),
    ...ofTools(toolServers(env), call),
    ...(await Promise.all(named.map(load))),
  ]
}

/** Every world to start from, asked for or not. */
export const loadWorlds = (): Promise<readonly Extension[]> => Promise.all(worldNames.map(load))

/**
 * Where the servers of outside tools are named: TREEOS_TOOLS, or `tools.json` of the instance; null without
 * either.
 */
export const toolsFileOf = ({ TREEOS_TOOLS, TREEOS_DATA }: NodeJS.ProcessEnv): string | null =>
  TREEOS_TOOLS || (TREEOS_DATA ? join(TREEOS_DATA, 'tools.json') : null)

/** @throws {TreeosError} INVALID_INPUT for a malformed file */
export function toolServers(env: NodeJS.ProcessEnv): ServerEntries {
  const file = toolsFileOf(env)
  return file === null ? {} : readToolsFile(file)
}

/** Nothing where the operator named no server. */
const ofTools = (servers: ServerEntries, call?: CallTool): Extension[] =>
  Object.keys(servers).length === 0 ? [] : [acceptance, ...toolExtensions(servers, call)]

/** The value of TREEOS_EXTENSIONS with absolute paths, for a process that starts in another folder. */
export const absoluteModules = (env: NodeJS.ProcessEnv): string => modulesOf(env).map(locate).join(',')

const modulesOf = (env: NodeJS.ProcessEnv): string[] =>
  (env.TREEOS_EXTENSIONS ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

async function load(name: string): Promise<Extension> {
  const { default: extension } = (await import(pathToFileURL(locate(name)).href).catch((error: unknown) => {
    throw wrongExtension(name, `cannot be loaded: ${error instanceof Error ? error.message : String(error)}`)
  })) as { default?: unknown }
  if (isExtension(extension)) return extension
  throw wrongExtension(name, 'has no default export made by defineExtension')
}

function locate(name: string): string {
  if (/^[./]/.test(name)) return resolve(name)
  const world = findWorld(name)
  if (world !== null) return world
  try {
    return createRequire(join(process.cwd(), 'package.json')).resolve(name)
  } catch {
    throw wrongExtension(
      name,
      `is not a package that ${process.cwd()} has installed; a path begins with ./ or /`,
    )
  }
}

const isExtension = (value: unknown): value is Extension =>
  typeof value === 'object' &&
  value !== null &&
  ['name', 'version'].every((key) => typeof (value as Record<string, unknown>)[key] === 'string') &&
  ['roles', 'operations', 'scene'].every((key) => Array.isArray((value as Record<string, unknown>)[key]))

const wrongExtension = (name: string, why: string) =>
  new TreeosError('INVALID_INPUT', `TREEOS_EXTENSIONS: ${quote(name)} ${why}`)
