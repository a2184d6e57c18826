/** The code of each page, by the path of its address. It is loaded when the page is opened. */
export const CODE = {
  '/': () => import('../home/Home.tsx'),
  '/world': () => import('../world/World.tsx'),
  '/beings/$name': () => import('../being/Being.tsx'),
  '/replay': () => import('../replay/Replay.tsx'),
  '/roles': () => import('../roles/Roles.tsx'),
  '/live': () => import('../live/Live.tsx'),
  '/health': () => import('../health/Health.tsx'),
  '/inbox': () => import('../inbox/Inbox.tsx'),
  '/threads': () => import('../thread/Threads.tsx'),
  '/threads/$id': () => import('../thread/Thread.tsx'),
  '/beings/$name/flow': () => import('../flow/Flow.tsx'),
  '/signals': () => import('../roles/Signals.tsx'),
  '/inhabit/$name': () => import('../inhabit/Drive.tsx'),
  '/do': () => import('../verbs/Do.tsx'),
  '/birth': () => import('../birth/Birther.tsx'),
  '/overlays': () => import('../overlays/Overlays.tsx'),
  '/people': () => import('../people/People.tsx'),
  '/account': () => import('../account/Account.tsx'),
  '/terminal': () => import('../account/Terminal.tsx'),
} as const

/** What loads the code of the page at an address; undefined where there is none. */
export function codeOf(pathname: string): (() => Promise<unknown>) | undefined {
  const parts = pathname.split('/')
  const found = Object.entries(CODE).find(([path]) => {
    const wanted = path.split('/')
    return (
      wanted.length === parts.length && wanted.every((part, i) => part.startsWith('$') || part === parts[i])
    )
  })
  return found?.[1]
}
