import { type BeingName, canonicalJson, type Json } from '@treeos/core'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import { listAnswersFrom, listSaid } from '@treeos/store'

/** Answers among which the one is looked for that a conversation ends with. */
const ANSWERS_MAX = 50

export interface SpokenSoFar {
  /** what a person said to the being so far, oldest first */
  readonly mine: readonly Json[]
  /** the last answer of the being */
  readonly answer: Json
}

/**
 * The thread in which exactly this was said between a person and a being, for clients that send a whole
 * conversation again and know no threads. Null where there is none: then a new one begins.
 */
export async function findThreadOf(
  at: Presence,
  { as, being, said }: { readonly as: BeingName; readonly being: BeingName; readonly said: SpokenSoFar },
): Promise<string | null> {
  await authorizeActingAs(at, as)
  const wanted = canonicalJson(said.answer)
  for (const answer of await listAnswersFrom(at.db, { being: as, from: being, limit: ANSWERS_MAX })) {
    if (canonicalJson(contentText(answer.content)) !== wanted) continue
    const limit = said.mine.length + 1 // one more: it was longer
    const asked = (await listSaid(at.db, { root: answer.root, by: as, to: being, limit })).map(contentText)
    if (canonicalJson(asked) === canonicalJson([...said.mine])) return answer.root
  }
  return null
}

/** What is said as the text that a chat shows. */
export const contentText = (content: Json): string =>
  typeof content === 'string' ? content : JSON.stringify(content)
