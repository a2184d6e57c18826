import { plantChangedScene, plantScene, withModel } from '@treeos/client'
import { TreeosError } from '@treeos/core'
import { restartPortal, restartWorkers, runningWorkers } from '@treeos/local'
import type { Extension } from '@treeos/world'
import type { Output } from '../text/output.ts'
import { type LiveConnection, openServices } from './connection.ts'

/** @throws {TreeosError} INVALID_INPUT with the names of all demos */
export async function requireDemo(name: string): Promise<Extension> {
  const { loadExtensions, loadWorlds } = await import('@treeos/worker/extensions')
  const showing = [...(await loadExtensions()), ...(await loadWorlds())].filter(
    ({ scene }) => scene.length > 0,
  )
  const found = showing.find((extension) => extension.name === name)
  if (found !== undefined) return found
  const names = [...new Set(showing.map((extension) => extension.name))].sort()
  throw new TreeosError(
    'INVALID_INPUT',
    `there is no demo ${JSON.stringify(name)}; there is ${names.join(', ')}`,
  )
}

/**
 * Lets an instance load a world from now on, before it is brought up.
 * @returns whether what runs of it has to start anew for that
 */
export async function keepDemo(dataDir: string, name: string): Promise<boolean> {
  const { keepWorld } = await import('@treeos/worker/extensions')
  return keepWorld(dataDir, name)
}

/** Workers and the portal read the worlds of their instance when they start. */
export async function loadKeptDemo(dataDir: string, name: string, out: Output): Promise<void> {
  out.progress(`starting the workers and the portal again, with ${name}`)
  await restartWorkers(dataDir)
  await restartPortal(dataDir)
}

/**
 * Plants the scene in an instance whose worker runs; with a model as the mind of those that it names, if one is connected.
 * @param again also one that was planted and has changed since
 * @throws {TreeosError} RESOURCE_CONFLICT when names of the scene are taken; nothing was planted then
 */
export async function plantDemo(
  dataDir: string,
  demo: Extension,
  out: Output,
  { again = false } = {},
): Promise<void> {
  const how = again ? plantChangedScene : plantScene
  const hasModel = runningWorkers(dataDir).some(({ detail }) => detail?.model != null)
  const scene = hasModel ? withModel(demo) : demo
  const plant = (at: LiveConnection) => how(at, scene, (line) => out.progress(line))
  const isNew = await openServices({ data: dataDir }, plant).catch((error: unknown) => {
    if (!(error instanceof TreeosError && error.code === 'RESOURCE_CONFLICT')) throw error
    const where = `\`treeos up --demo ${demo.name} --data DIR\` plants it in an instance of its own`
    throw new TreeosError(error.code, `${error.message}; ${where}`, error.detail)
  })
  if (!isNew && !again) out.progress(`${demo.name} was planted before, and was not changed`)
}
