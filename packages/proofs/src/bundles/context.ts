import { beingReel, type Json, readPath } from '@treeos/core'
import { isContextKind, pathsRead, signerOf } from '@treeos/verify'
import { OUTSIDE } from '@treeos/world'

/** Whether what a flow read, or who signed the act, depends on a fact of a reel. */
export type IsOfContext = (reel: string, kind: string, payload: Json) => boolean

const pathKeys = (path: Json | undefined): string[] => (Array.isArray(path) ? path.map(String) : [])

/** The paths of qualities that a flow reads of the being itself, or of the place where it is. */
export const qualitiesRead = (program: Json, root: 'me' | 'space'): string[][] =>
  [...pathsRead(readPath(program, ['flow']) ?? null)]
    .map((path) => path.split('.'))
    .flatMap(([first, part, ...path]) => (first === root && part === 'quality' ? [path] : []))

/** Whether one path is the beginning of another. */
export const areRelated = (a: readonly string[], b: readonly string[]): boolean =>
  a.slice(0, b.length).every((key, i) => key === b[i])

/**
 * The facts from whose contents a verifier derives the context of a moment, without others: these may tell
 * more of a being.
 */
export function contextOf(record: Json, open: Json, program: Json): IsOfContext {
  const being = String(readPath(record, ['being']))
  const [me, signer] = [beingReel(being), signerOf(open, being)]
  const read = [...pathsRead(readPath(program, ['flow']) ?? null)].map((path) => path.split('.'))
  // what it leaves out is derived from that flow
  const ofDryRun = readPath(open, ['triedOutside']) === undefined ? [] : [['shadow']]
  const qualities = [['roleFlow'], ...ofDryRun, ...qualitiesRead(program, 'me')]
  return (reel, kind, payload) => {
    if (kind === OUTSIDE) return reel === me || /^(space|world):/.test(reel) // which paths it marks
    if (!isContextKind(kind)) return false
    const path = pathKeys(readPath(payload, [kind === 'signal:published' ? 'key' : 'path']))
    switch (kind) {
      case 'quality:set':
        if (signer !== null && reel === beingReel(signer) && path[0] === 'passkeys') return true
        return reel === me && qualities.some((one) => areRelated(path, one))
      case 'being:inhabited':
        return reel === me && readPath(payload, ['by']) === readPath(open, ['driver'])
      case 'signal:published':
        return read.some((one) => areRelated(['world', reel.slice('world:'.length), ...path], one))
      default:
        return false
    }
  }
}
