import { own } from '../api/client.ts'
import { driven, endDriven, isHolder } from '../api/tab.ts'
import { t } from '../language/index.ts'

const POLL_MS = 1_000

/**
 * Renews the lease of this tab, at each sign of life of the server: browsers slow the timers of hidden tabs,
 * but not those.
 * @returns until when it holds, by the clock of this machine; null when it was not renewed
 */
export async function renewLease(): Promise<number | null> {
  endWithParent()
  const asked = Date.now()
  if (!isHolder()) return null
  // A refusal has ended what this tab drives; a lost connection may come back within the lease.
  const answer = await own.inhabit.renew.$post().catch(() => null)
  return answer === null ? null : asked + (await answer.json()).seconds * 1000
}

/** Gives the being back. After a failure the lease runs out, since nothing renews it. */
export async function giveBack(why: string): Promise<void> {
  const released = own.inhabit.release.$post().catch(() => null)
  endDriven(why)
  await released
}

/** Gives the being back once the tab that opened this one is closed. */
function endWithParent(): void {
  const one = driven()
  if (one === null || !one.hasParent || !isHolder()) return
  const opener = window.opener as Window | null
  if (opener === null || opener.closed)
    void giveBack(t('the tab of {{driver}} that opened this one was closed', { driver: one.driver }))
}

/**
 * Ends what this tab drives when it is closed, and when the tab that opened it is.
 * @returns ends that
 */
export function endWithTabs(): () => void {
  const onHide = () => {
    // The page may be loaded again: then it goes on.
    if (isHolder()) void own.inhabit.leave.$post({}, { init: { keepalive: true } }).catch(() => null)
  }
  window.addEventListener('pagehide', onHide)
  const timer = setInterval(endWithParent, POLL_MS)
  return () => {
    window.removeEventListener('pagehide', onHide)
    clearInterval(timer)
  }
}

/**
 * Whether a tab of this portal opened this one. A page of another site could not: the policy parts it from
 * what it opens.
 */
export function hasOwnOpener(): boolean {
  try {
    return (window.opener as Window | null)?.location.origin === location.origin
  } catch {
    return false
  }
}
