import { describeSelf, inboxPage, type Seat } from '@treeos/client'

/** Entries of the inbox that are read at once. */
const PAGE = 50
const INBOX = 'treeos://inbox'

/** The resources. They hold nothing that `see` and the prompt of a moment would not show the being. */
export const RESOURCES = [
  {
    uri: INBOX,
    name: 'inbox',
    description: `what was said to me and waits for an answer, oldest first, ${PAGE} at a time: {"items", "next"}`,
    mimeType: 'application/json',
  },
  {
    uri: 'treeos://me',
    name: 'me',
    description: 'who I am right now, and what I may reach for',
    mimeType: 'application/json',
  },
]

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: `${INBOX}{?cursor}`,
    name: 'inbox-page',
    description: 'what comes in the inbox after a page whose `next` is the cursor',
    mimeType: 'application/json',
  },
]

/** @returns null for any other address; @throws {TreeosError} as the verbs */
export function readResource(seat: Seat, uri: string): Promise<object> | null {
  if (uri === 'treeos://me') return seat.use((at, being) => describeSelf(at, being))
  const after = cursorIn(uri)
  return after === null ? null : seat.use((at, being) => inboxPage(at, being, { after, limit: PAGE }))
}

/** @returns undefined for the first page; null for anything but an address of the inbox */
function cursorIn(uri: string): string | undefined | null {
  if (uri === INBOX) return undefined
  if (!uri.startsWith(`${INBOX}?`)) return null
  return new URLSearchParams(uri.slice(INBOX.length + 1)).get('cursor')
}
