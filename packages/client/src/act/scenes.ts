import { ROOT_SPACE, readPath, TreeosError, type VerbCall } from '@treeos/core'
import { readerOf } from '@treeos/reality'
import { OPERATOR } from '@treeos/world'
import { act, type Connection } from './acts.ts'

/** Quality namespace of the root space that records which scenes are planted. */
const SCENE_NAMESPACE = 'scene'

/**
 * Plants the scene of an extension, as the operator, unless it was planted before. A second call completes an interrupted
 * one: it skips acts whose result exists already.
 * @param onKept called with the reason for each act that is skipped
 * @returns false when the scene was planted before
 * @throws {TreeosError} the code of an act that was refused for another reason
 */
export async function plantScene(
  at: Connection,
  { name, scene }: { readonly name: string; readonly scene: readonly VerbCall[] },
  onProgress: (line: string) => void = () => undefined,
  onKept: (why: string) => void = () => undefined,
): Promise<boolean> {
  const root = await readerOf(at).space(ROOT_SPACE)
  if (readPath(root?.qualities, [SCENE_NAMESPACE, name]) === true) return false
  for (const [i, call] of scene.entries()) {
    onProgress(`planting ${name}: ${i + 1} of ${scene.length}`)
    await act(at, OPERATOR, call).catch((error: unknown) => {
      if (!(error instanceof TreeosError && error.code === 'RESOURCE_CONFLICT')) throw error
      onKept(error.message)
    })
  }
  const args = { field: `${SCENE_NAMESPACE}.${name}`, value: true }
  await act(at, OPERATOR, { verb: 'do', action: 'set-space', target: ROOT_SPACE, args })
  return true
}
