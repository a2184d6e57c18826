import type { BeingName } from '@treeos/core'
import type { Presence } from '@treeos/reality'
import type { JournalListener, WordNotice, WordStream } from '@treeos/store'
import { authorizePast } from '../access/past-access.ts'

export interface StreamRequest {
  readonly as: BeingName
  /** whose model is heard */
  readonly being: BeingName
  /** may serve many streams, and followers of the journal */
  readonly listener: Pick<JournalListener, 'streamWords'>
  /** hears what the model writes, while it does, of calls of moments that open from now on */
  readonly heard: (words: WordNotice) => void
}

/**
 * Streams what the model of a being writes. Nothing of that is stored: what counts is the decision that is
 * recorded at the end. The model is asked to stream only while somebody streams it, and never in a call that
 * has an overlay.
 * @throws {TreeosError} as `authorizePast` does: who may read its moments may hear its words
 */
export async function streamWords(
  at: Presence,
  { as, being, listener, heard }: StreamRequest,
): Promise<WordStream> {
  await authorizePast(at, as, being)
  return listener.streamWords(being, heard)
}
