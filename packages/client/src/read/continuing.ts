import { type BeingName, canonicalJson, type Json } from '@treeos/core'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import { type InboxEntry, listAnswersFrom, listChain } from '@treeos/store'

/** Answers among which the one is looked for that a conversation ends with. */
const ANSWERS_MAX = 50

export interface Said {
  /** what a person said to the being so far, oldest first */
  readonly mine: readonly Json[]
  /** the last answer of the being */
  readonly answer: Json
}

/**
 * The thread in which exactly this was said between a person and a being, for clients that send a whole conversation again and know no
 * threads. Null where there is none: then a new one begins.
 */
export async function findThreadOf(
  at: Presence,
  { as, being, said }: { readonly as: BeingName; readonly being: BeingName; readonly said: Said },
): Promise<string | null> {
  await authorizeActingAs(at, as)
  const wanted = canonicalJson(said.answer)
  for (const answer of await listAnswersFrom(at.db, { being: as, from: being, limit: ANSWERS_MAX })) {
    if (canonicalJson(textOf(answer.content)) !== wanted) continue
    const asked = saidIn(await listChain(at.db, answer.root), { as, being })
    if (canonicalJson(asked) === canonicalJson([...said.mine])) return answer.root
  }
  return null
}

const saidIn = (chain: readonly InboxEntry[], { as, being }: { as: BeingName; being: BeingName }): Json[] =>
  chain
    .filter(({ kind, caller, being: to }) => kind === 'summon' && caller?.name === as && to === being)
    .map(({ content }) => textOf(content))

/** What is said as the text that a chat shows. */
export const textOf = (content: Json): string =>
  typeof content === 'string' ? content : JSON.stringify(content)
