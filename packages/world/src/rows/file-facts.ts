import {
  type BeingName,
  beingReel,
  type FactDraft,
  type FileNote,
  type MatterId,
  matterReel,
  stanceOf,
} from '@treeos/core'

/** So many that one moment can show all things in a place. */
export const MATTERS_MAX = 500

/** The facts by which a being holds a thing that holds a file. */
export function factsOfFile(
  owner: BeingName,
  id: MatterId,
  { digest, mediaType, bytes, name }: FileNote,
): FactDraft[] {
  const [reel, place] = [matterReel(id), stanceOf(owner)]
  const thing = { id, type: 'file', owner, place, content: null, qualities: {} }
  const file = { digest, mediaType, bytes, name }
  return [
    { reel, kind: 'matter:created', payload: thing },
    { reel: beingReel(owner), kind: 'place:received', payload: { matter: id } },
    // A fact of its own, which can be erased: a thing rests on the fact that made it.
    { reel, kind: 'matter:written', payload: { content: { file } } },
  ]
}
