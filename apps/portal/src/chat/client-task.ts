import type { ChatRequest } from './request.ts'

/** What a chat client asks a model for its own use, beside the conversation. */
interface ClientTask {
  readonly asks: RegExp
  /** @param conversation the beginning of what was said, in one line; empty where the request holds none */
  readonly answer: (conversation: string) => string
}

const TITLE_MAX = 60

/**
 * The requests by which Open WebUI and LibreChat make titles, tags, suggestions and queries for a search.
 * They tell them from others by the form of the answer, so each is answered in its own.
 */
const TASKS: readonly ClientTask[] = [
  { asks: /^### Task:\s+generate [^\n]*\btitle\b/i, answer: (title) => JSON.stringify({ title }) },
  { asks: /^### Task:\s+generate [^\n]*\btags\b/i, answer: () => '{"tags":[]}' },
  { asks: /^### Task:\s+suggest [^\n]*\bfollow-up\b/i, answer: () => '{"follow_ups":[]}' },
  { asks: /^### Task:\s+analyze the chat history [^\n]*\bqueries\b/i, answer: () => '{"queries":[]}' },
  { asks: /^### Task:\s+you are an autocompletion system/i, answer: () => '{"text":""}' },
  {
    asks: /^(please )?(provide|generate|write) a (concise, )?\d-word-or-less title for the conversation\b/i,
    answer: (title) => title,
  },
]

/**
 * The answer to a request that a client makes for its own use, as for the title of a conversation. Null for
 * what its user says.
 */
export function answerClientTask({ messages }: Pick<ChatRequest, 'messages'>): string | null {
  // A conversation that goes on is not such a request: these have one message, and at most one of the system.
  if (messages.some(({ role }) => role === 'assistant' || role === 'tool')) return null
  const texts = messages.map(({ content }) => (typeof content === 'string' ? content.trim() : ''))
  const found = texts.flatMap((text) => TASKS.find(({ asks }) => asks.test(text)) ?? []).at(0)
  return found?.answer(titleOf(texts.join('\n'))) ?? null
}

/** The first words of the user in a conversation that a request quotes. */
function titleOf(text: string): string {
  const quoted = /<chat_history>([\s\S]*?)(<\/chat_history>|$)/.exec(text)?.[1] ?? text
  const said = /^\s*(?:\|\|>)?user:\s*(.+)$/im.exec(quoted)?.[1]?.trim() ?? ''
  return said.length <= TITLE_MAX ? said : `${said.slice(0, TITLE_MAX).replace(/\s+\S*$/, '')}…`
}
