import { createHash } from 'node:crypto'
import {
  asJson,
  canonicalJson,
  parseSpacePath,
  ROOT_SPACE,
  readPath,
  stanceOf,
  TreeosError,
  type VerbCall,
} from '@treeos/core'
import { readerOf } from '@treeos/reality'
import { OPERATOR, type WorldReader } from '@treeos/world'
import { act, type Connection } from './acts.ts'

/** Quality namespace of the root space that records which scenes are planted: a hash of the acts, or `begun` while that is under way. */
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
  onProgress?: (line: string) => void,
  onKept?: (why: string) => void,
): Promise<boolean> {
  const state = await stateOf(at, named)
  if (state !== null && state !== 'begun') return false
  await plant(at, named, { state, onProgress, onKept })
  return true
}

/**
 * Plants a scene, also one that was planted and has changed since: then each act is done again, and skipped where what it makes is
 * there already. So new beings and spaces come, settings are set anew, and nothing is removed.
 * @returns false when it was planted as it is now
 * @throws {TreeosError} as {@link plantScene}
 */
export async function plantChangedScene(
  at: Connection,
  named: NamedScene,
  onProgress?: (line: string) => void,
  onKept?: (why: string) => void,
): Promise<boolean> {
  const state = await stateOf(at, named)
  if (state === digestOf(named)) return false
  await plant(at, named, { state, onProgress, onKept })
  return true
}

async function stateOf(at: Connection, { name }: NamedScene): Promise<string | null> {
  const root = await readerOf(at).space(ROOT_SPACE)
  const state = readPath(root?.qualities, [SCENE_NAMESPACE, name])
  return typeof state === 'string' ? state : null
}

const digestOf = ({ scene }: NamedScene): string =>
  createHash('sha256')
    .update(canonicalJson(asJson(scene)))
    .digest('hex')

interface Planting {
  /** what is recorded of it; null: it was never planted */
  readonly state: string | null
  readonly onProgress: ((line: string) => void) | undefined
  readonly onKept: ((why: string) => void) | undefined
}

async function plant(
  at: Connection,
  named: NamedScene,
  { state, onProgress, onKept }: Planting,
): Promise<void> {
  const { name, scene } = named
  const record = (value: string) => {
    const args = { field: `${SCENE_NAMESPACE}.${name}`, value }
    return act(at, OPERATOR, { verb: 'do', action: 'set-space', target: ROOT_SPACE, args })
  }
  if (state === null) await requireFree(at, named)
  if (state !== 'begun') await record('begun')
  for (const [i, call] of scene.entries()) {
    onProgress?.(`planting ${name}: ${i + 1} of ${scene.length}`)
    await act(at, OPERATOR, call).catch((error: unknown) => {
      if (!(error instanceof TreeosError && error.code === 'RESOURCE_CONFLICT')) throw error
      onKept?.(error.message)
    })
  }
  await record(digestOf(named))
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
