import { approvalsPage, callSentence, type Seat } from '@treeos/client'
import { type JsonObject, readText } from '@treeos/core'

/** Calls that are listed at once. */
const PAGE = 50

/**
 * Calls that rules ask a person about. Only the seat of a person has this tool. There is none to answer: a
 * program says neither yes nor no for its person.
 */
export const LIST_APPROVALS = {
  name: 'list_approvals',
  description: `List the calls that wait for my person's yes, oldest first, ${PAGE} at a time. My person answers them on the page.`,
  inputSchema: {
    type: 'object' as const,
    properties: { cursor: { type: 'string', description: '`next` of the page before' } },
    required: [] as string[],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
}

/** Lists what waits for the person of the seat. @throws {TreeosError} INVALID_INPUT */
export function listApprovals(seat: Seat, args: JsonObject): Promise<object> {
  return seat.use(async (at, being) => {
    const after = readText(args, 'cursor') ?? undefined
    const { items, next } = await approvalsPage(at, being, { after, limit: PAGE })
    return { approvals: items.map((item) => ({ ...item, text: callSentence(item.call) })), next }
  })
}
