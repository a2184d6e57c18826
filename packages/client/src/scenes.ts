import { ROOT_SPACE, readPath, TreeosError, type VerbCall } from '@treeos/core'
import { readerOf } from '@treeos/reality'
import { OPERATOR } from '@treeos/world'
import { act, type Connection } from './acts.ts'

/** Where the operator keeps which scenes are planted, on the root. */
const SCENE_NAMESPACE = 'scene'

/**
 * Plants the scene of an extension, as the operator, unless that was done before. One that was interrupted is gone on with:
 * what is there already stays as it is.
 * @param onKept told of each part that finds something in its place
 * @returns false when it was planted before
 * @throws {TreeosError} the code of an act that is refused
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
