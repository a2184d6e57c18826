import { parseSpacePath, ROOT_SPACE, readPath, stanceOf, TreeosError, type VerbCall } from '@treeos/core'
import { readerOf } from '@treeos/reality'
import { OPERATOR, type WorldReader } from '@treeos/world'
import { act, type Connection } from './acts.ts'

/** Quality namespace of the root space that records which scenes are planted: true, or `begun` while that is under way. */
const SCENE_NAMESPACE = 'scene'

/** A scene, with the name of the extension that brings it. */
export interface NamedScene {
  readonly name: string
  readonly scene: readonly VerbCall[]
}

/**
 * Plants the scene of an extension, as the operator, unless it was planted before. A second call completes an interrupted
 * one: it skips acts whose result exists already.
 * @param onKept called with the reason for each act that is skipped
 * @returns false when the scene was planted before
 * @throws {TreeosError} RESOURCE_CONFLICT, before anything is planted, when names of the scene are taken; the code of an act that
 *   was refused for another reason
 */
export async function plantScene(
  at: Connection,
  named: NamedScene,
  onProgress: (line: string) => void = () => undefined,
  onKept: (why: string) => void = () => undefined,
): Promise<boolean> {
  const { name, scene } = named
  const root = await readerOf(at).space(ROOT_SPACE)
  const state = readPath(root?.qualities, [SCENE_NAMESPACE, name])
  if (state === true) return false
  const record = (value: true | 'begun') => {
    const args = { field: `${SCENE_NAMESPACE}.${name}`, value }
    return act(at, OPERATOR, { verb: 'do', action: 'set-space', target: ROOT_SPACE, args })
  }
  if (state !== 'begun') {
    await requireFree(at, named)
    await record('begun')
  }
  for (const [i, call] of scene.entries()) {
    onProgress(`planting ${name}: ${i + 1} of ${scene.length}`)
    await act(at, OPERATOR, call).catch((error: unknown) => {
      if (!(error instanceof TreeosError && error.code === 'RESOURCE_CONFLICT')) throw error
      onKept(error.message)
    })
  }
  await record(true)
  return true
}

/** A scene that finds a being or a space of its own name made by somebody else would be planted in part. */
async function requireFree(at: Connection, { name, scene }: NamedScene): Promise<void> {
  const reader = readerOf(at)
  const taken: string[] = []
  for (const call of scene) {
    const address = await foundOf(call, reader)
    if (address !== null) taken.push(address)
  }
  if (taken.length === 0) return
  throw new TreeosError(
    'RESOURCE_CONFLICT',
    `the scene ${name} makes ${taken.join(', ')}, which ${taken.length === 1 ? 'is' : 'are'} there already; nothing was planted`,
    { taken },
  )
}

/** The address of the being, space or thing that a call would make, if it is there already; else null. */
async function foundOf(call: VerbCall, reader: WorldReader): Promise<string | null> {
  const found = (row: object | null, address: string) => (row === null ? null : address)
  if (call.verb === 'be' && call.operation === 'birth') {
    const name = String(call.payload.name)
    return found(await reader.being(name), stanceOf(name))
  }
  if (call.verb !== 'do') return null
  const { path, id } = call.args
  if (call.action === 'create-space') {
    const space = parseSpacePath(path)
    return found(await reader.space(space), space)
  }
  if (call.action === 'create-matter' && typeof id === 'string')
    return found(await reader.matter(id), `matter:${id}`)
  return null
}
