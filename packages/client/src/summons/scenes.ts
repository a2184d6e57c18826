import { createHash } from 'node:crypto'
import {
  asJson,
  type BeingName,
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
import { act } from './act.ts'
import type { Connection } from './connection.ts'

/**
 * Quality namespace of the root space that records which scenes are planted: a hash of the acts, or `begun`
 * while that is under way.
 */
const SCENE_NAMESPACE = 'scene'

/** A scene, with the name of the extension that brings it. */
export interface NamedScene {
  readonly name: string
  readonly scene: readonly VerbCall[]
}

/** The scene with a model as the mind of each being that its extension names for that. */
export const withModel = ({
  name,
  scene,
  minds = [],
}: NamedScene & { readonly minds?: readonly BeingName[] }): NamedScene => ({
  name,
  scene: scene.map((call) => {
    if (call.verb !== 'be' || call.operation !== 'birth' || !minds.includes(String(call.args.name)))
      return call
    const { script: _script, ...args } = call.args
    return { ...call, args: { ...args, cognition: 'llm' } }
  }),
})

/**
 * Plants the scene of an extension, as the operator, unless it was planted before. A second call completes an
 * interrupted one: it skips acts whose result exists already.
 * @param onKept called with the reason for each act that is skipped
 * @returns false when the scene was planted before
 * @throws {TreeosError} RESOURCE_CONFLICT, before anything is planted, when names of the scene are taken; the
 *   code of an act that was refused for another reason
 */
export async function plantScene(
  at: Connection,
  named: NamedScene,
  onProgress?: (line: string) => void,
  onKept?: (why: string) => void,
): Promise<boolean> {
  const state = await sceneState(at, named)
  if (state !== null && state !== 'begun') return false
  await plant(at, named, { state, onProgress, onKept })
  return true
}

/**
 * Plants a scene, also one that was planted and has changed since: then each act is done again, and skipped
 * where what it makes is there already. So new beings and spaces come, settings are set anew, and nothing is
 * removed.
 * @returns false when it was planted as it is now
 * @throws {TreeosError} as {@link plantScene}, also when somebody else has made what bears a name of the
 *   scene
 */
export async function plantChangedScene(
  at: Connection,
  named: NamedScene,
  onProgress?: (line: string) => void,
  onKept?: (why: string) => void,
): Promise<boolean> {
  const state = await sceneState(at, named)
  if (state === sceneDigest(named)) return false
  await plant(at, named, { state, onProgress, onKept })
  return true
}

async function sceneState(at: Connection, { name }: NamedScene): Promise<string | null> {
  const root = await readerOf(at).space(ROOT_SPACE)
  const state = readPath(root?.qualities, [SCENE_NAMESPACE, name])
  return typeof state === 'string' ? state : null
}

const sceneDigest = ({ scene }: NamedScene): string =>
  createHash('sha256')
    .update(canonicalJson(asJson(scene)))
    .digest('hex')

interface PlantingState {
  /** what is recorded of it; null: it was never planted */
  readonly state: string | null
  readonly onProgress: ((line: string) => void) | undefined
  readonly onKept: ((why: string) => void) | undefined
}

async function plant(
  at: Connection,
  named: NamedScene,
  { state, onProgress, onKept }: PlantingState,
): Promise<void> {
  const { name, scene } = named
  const record = (value: string) => {
    const args = { field: `${SCENE_NAMESPACE}.${name}`, value }
    return act(at, OPERATOR, { verb: 'do', operation: 'set-space', target: ROOT_SPACE, args })
  }
  const mayBeThere = state === null ? () => false : isOperators
  await requireFree(at, named, mayBeThere)
  if (state !== 'begun') await record('begun')
  for (const [i, call] of scene.entries()) {
    onProgress?.(`planting ${name}: ${i + 1} of ${scene.length}`)
    await act(at, OPERATOR, call).catch(async (error: unknown) => {
      if (!(error instanceof TreeosError && error.code === 'RESOURCE_CONFLICT')) throw error
      await requireFree(at, { name, scene: [call] }, isOperators)
      onKept?.(error.message)
    })
  }
  await record(sceneDigest(named))
}

/** What a call would make, where it is there already. */
interface ExistingRow {
  readonly address: string
  /** its maker or owner */
  readonly by: BeingName | null
}

/**
 * What a scene may find of its own: it is planted as the operator, so it does nothing to what others made
 * under these names.
 */
const isOperators = ({ by }: ExistingRow): boolean => by === OPERATOR

/**
 * A scene that finds what somebody else made under a name of its own would be planted in part, or would give
 * its rights to that.
 * @throws {TreeosError} RESOURCE_CONFLICT with the names
 */
async function requireFree(
  at: Connection,
  { name, scene }: NamedScene,
  mayBeThere: (found: ExistingRow) => boolean,
): Promise<void> {
  const reader = readerOf(at)
  const taken: string[] = []
  for (const call of scene) {
    const found = await foundOf(call, reader)
    if (found !== null && !mayBeThere(found)) taken.push(found.address)
  }
  if (taken.length === 0) return
  const are = taken.length === 1 ? 'is' : 'are'
  const so =
    mayBeThere === isOperators
      ? ', made by somebody else: no more of it was planted'
      : '; nothing was planted'
  throw new TreeosError(
    'RESOURCE_CONFLICT',
    `the scene ${name} makes ${taken.join(', ')}, which ${are} there already${so}`,
    { taken },
  )
}

/** The being, space or thing that a call would make, if it is there already; else null. */
async function foundOf(call: VerbCall, reader: WorldReader): Promise<ExistingRow | null> {
  if (call.verb === 'be' && call.operation === 'birth') {
    const name = String(call.args.name)
    const being = await reader.being(name)
    return being === null ? null : { address: stanceOf(name), by: being.parent }
  }
  if (call.verb !== 'do') return null
  const { path, id } = call.args
  if (call.operation === 'create-space') {
    const space = await reader.space(parseSpacePath(path))
    return space === null ? null : { address: space.path, by: space.owner }
  }
  if (call.operation !== 'create-matter' || typeof id !== 'string') return null
  const matter = await reader.matter(id)
  return matter === null ? null : { address: `matter:${id}`, by: matter.owner }
}
