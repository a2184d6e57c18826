/** How often a server that is away is asked again. */
const AGAIN_MS = 2_000
/** The address at which the page was loaded anew for a part that was not there. */
const RELOADED = 'treeos-reloaded'

/**
 * Loads the code of a page. While the server is away it waits, and the page before it stays. A part that is not there although the server
 * answers is of an older build: then the whole page is loaded anew, once.
 */
export async function loadPage<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      const page = await load()
      sessionStorage.removeItem(RELOADED)
      return page
    } catch (error) {
      if (await answers()) return renewed(load, error)
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }
}

async function renewed<T>(load: () => Promise<T>, error: unknown): Promise<T> {
  // The server may have come back between.
  const page = await load().catch(() => null)
  if (page !== null) return page
  if (sessionStorage.getItem(RELOADED) === location.href) throw error
  sessionStorage.setItem(RELOADED, location.href)
  location.reload()
  return new Promise<never>(() => undefined) // the reload ends this page
}

const answers = (): Promise<boolean> =>
  fetch('/tree.svg', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
