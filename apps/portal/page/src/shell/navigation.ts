/** The pages that stand beside every page, in order. */
export const NAVIGATION = [
  { to: '/world', label: 'World' },
  { to: '/inbox', label: 'Inbox' },
  { to: '/threads', label: 'Threads' },
  { to: '/roles', label: 'Roles' },
  { to: '/signals', label: 'Signals' },
  { to: '/do', label: 'Do' },
  { to: '/birth', label: 'Birther' },
  { to: '/overlays', label: 'Overlays' },
  { to: '/replay', label: 'Replay' },
  { to: '/people', label: 'People' },
  { to: '/health', label: 'Health' },
] as const
