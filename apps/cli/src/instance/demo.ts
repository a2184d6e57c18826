import { plantChangedScene, plantScene } from '@treeos/client'
import { TreeosError } from '@treeos/core'
import type { Extension } from '@treeos/world'
import type { Output } from '../text/output.ts'
import { type LiveConnection, openServices } from './connection.ts'

/** @throws {TreeosError} INVALID_INPUT with the names of all demos */
export async function requireDemo(name: string): Promise<Extension> {
  const { loadExtensions } = await import('@treeos/worker/extensions')
  const showing = (await loadExtensions()).filter(({ scene }) => scene.length > 0)
  const found = showing.find((extension) => extension.name === name)
  if (found !== undefined) return found
  const names = showing.map((extension) => extension.name).sort()
  throw new TreeosError(
    'INVALID_INPUT',
    `there is no demo ${JSON.stringify(name)}; there is ${names.join(', ')}`,
  )
}

/**
 * Plants the scene in an instance whose worker runs.
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
  const plant = (at: LiveConnection) => how(at, demo, (line) => out.progress(line))
  const isNew = await openServices({ data: dataDir }, plant).catch((error: unknown) => {
    if (!(error instanceof TreeosError && error.code === 'RESOURCE_CONFLICT')) throw error
    const where = `\`treeos up --demo ${demo.name} --data DIR\` plants it in an instance of its own`
    throw new TreeosError(error.code, `${error.message}; ${where}`, error.detail)
  })
  if (!isNew && !again) out.progress(`${demo.name} was planted before, and was not changed`)
}
