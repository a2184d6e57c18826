import { type BeingName, readPath } from '@treeos/core'
import { findBeing, type Presence } from '@treeos/reality'

/**
 * Whether a being itself answers what chat clients ask for their own use, as titles: its quality `chat.tasks`
 * is true.
 */
export async function takesChatTasks(at: Presence, being: BeingName): Promise<boolean> {
  const row = await findBeing(at, being)
  return row !== null && readPath(row.qualities, ['chat', 'tasks']) === true
}
