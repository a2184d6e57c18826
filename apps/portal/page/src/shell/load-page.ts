import type { RouteComponent } from '@tanstack/react-router'

/** How often a server that is away is asked again. */
const AGAIN_MS = 2_000
/** The address at which the page was loaded anew for a part that was not there. */
const RELOADED = 'treeos-reloaded'

type LoadedPage<Name extends string> = Record<Name, RouteComponent>

/**
 * Loads the code of a page. While the server is away it waits, and the page before it stays. A part that is
 * not there although the server answers is of an older build: then the whole page is loaded anew, once, as
 * soon as somebody goes there. A pointer over its link loads the part, too, and what somebody writes
 * meanwhile must not be lost.
 * @param name what of the code is the page
 */
export async function loadPage<Name extends string>(
  load: () => Promise<LoadedPage<Name>>,
  name: Name,
): Promise<LoadedPage<Name>> {
  for (;;) {
    try {
      const page = await load()
      sessionStorage.removeItem(RELOADED)
      return page
    } catch (error) {
      if (await answers()) {
        const page = await load().catch(() => null) // the server may have come back between
        // a computed name has no type of its own
        return page ?? ({ [name]: () => renew(error) } as unknown as LoadedPage<Name>)
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }
}

/**
 * Shown in place of a page of an older build.
 * @throws {unknown} the error where the page was loaded anew before, and the part still is not there
 */
function renew(error: unknown): null {
  if (sessionStorage.getItem(RELOADED) === location.href) throw error
  sessionStorage.setItem(RELOADED, location.href)
  location.reload()
  throw new Promise<never>(() => undefined) // the reload ends this page
}

const answers = (): Promise<boolean> =>
  fetch('/tree.svg', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
