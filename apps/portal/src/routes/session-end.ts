import type { Tabs } from '../inhabit/tabs.ts'
import type { Portal } from '../portal.ts'
import type { Streams } from './streams.ts'

/**
 * Ends what the pages of sessions that are over hear, and what their tabs drive.
 * @returns how many sessions there were
 */
export type SessionLeaver = (sessions: readonly string[]) => number

export const leaveOf =
  ({ onError }: Pick<Portal, 'onError'>, streams: Streams, tabs: Tabs): SessionLeaver =>
  (sessions) => {
    for (const session of sessions) {
      streams.endOf(session)
      // Nobody waits for it: without a worker the leases run out.
      tabs.releaseOf(session).catch((error: unknown) => onError('release', error))
    }
    return sessions.length
  }
