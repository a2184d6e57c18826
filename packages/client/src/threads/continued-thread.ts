import { type BeingName, filesNamed, type Json, readPath } from '@treeos/core'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import { listAnswersFrom, listSaid } from '@treeos/store'

/** Answers among which the one is looked for that a conversation ends with. */
const ANSWERS_MAX = 50
/** Of a longer conversation the last ones are compared. */
const SAID_MAX = 200

export interface SpokenSoFar {
  /** what a person said to the being so far, oldest first; a client may have left out the beginning */
  readonly mine: readonly string[]
  /** the last answer of the being */
  readonly answer: string
}

/**
 * The thread in which this was said between a person and a being, for clients that send a whole conversation
 * again and know no threads: the one in which exactly this was said, else the newest that ends with it, since
 * clients leave out the beginning of a long conversation. Null where there is none: then a new one begins.
 */
export async function findThreadOf(
  at: Presence,
  { as, being, said }: { readonly as: BeingName; readonly being: BeingName; readonly said: SpokenSoFar },
): Promise<string | null> {
  await authorizeActingAs(at, as)
  const answer = trimmed(said.answer)
  const mine = said.mine.slice(-SAID_MAX).map(trimmed)
  const isWhole = mine.length === said.mine.length
  let longer: string | null = null
  for (const entry of await listAnswersFrom(at.db, { being: as, from: being, limit: ANSWERS_MAX })) {
    if (trimmed(contentText(entry.content)) !== answer) continue
    const of = { root: entry.root, by: as, to: being, limit: mine.length + 1 } // one more: it was longer
    const asked = (await listSaid(at.db, of)).map((content) => trimmed(contentText(content)))
    if (isWhole && isSame(asked, mine)) return entry.root
    if (mine.length > 0 && isSame(asked.slice(-mine.length), mine)) longer ??= entry.root
  }
  return longer
}

/** Clients trim the texts of a conversation, and write line ends in their own way. */
const trimmed = (text: string): string => text.replaceAll('\r\n', '\n').trim()

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i])

/**
 * What is said as the text that a chat shows: JSON stays JSON, since programs read it there, and a client sends
 * it back by that text. Of words that bring files it is the text.
 */
export function contentText(content: Json): string {
  if (typeof content === 'string') return content
  const text = filesNamed(content).length === 0 ? undefined : readPath(content, ['text'])
  return typeof text === 'string' ? text : JSON.stringify(content)
}
