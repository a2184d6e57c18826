import type { InboxGroup } from './kinds.ts'
import type { useQueue } from './useQueue.ts'

/** What the tools of the inbox know of it, and change. */
export interface ToolsProps
  extends Pick<ReturnType<typeof useQueue>, 'group' | 'onShow' | 'filter' | 'choices'> {
  readonly counts: Readonly<Record<InboxGroup, number>>
}
