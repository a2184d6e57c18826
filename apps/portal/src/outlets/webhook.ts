import type { Connection } from '@treeos/client'
import { stanceOf, TreeosError } from '@treeos/core'
import { outsideFetch, proxyResolves } from '@treeos/egress'
import { signedHeaders } from '../hooks/standard-webhooks.ts'
import type { DeliveryInput } from './message.ts'
import { secretOfOutlet } from './outlets.ts'

const TIMEOUT_SECONDS = 15
const WHOSE = { who: 'a webhook', setting: 'TREEOS_WEBHOOK_PRIVATE' }

/**
 * Sends one entry to a webhook, signed. Redirects are not followed, and private addresses not reached.
 * @throws {TreeosError} for any answer but one from 200 to 299
 */
export async function sendWebhook(
  at: Pick<Connection, 'vaults'>,
  { delivery, entry, signal }: DeliveryInput,
  privateHosts: readonly string[],
): Promise<void> {
  const { id, address, being, want } = delivery
  const now = Date.now()
  const body = JSON.stringify({
    type: `inbox.${want}`,
    timestamp: new Date(now).toISOString(),
    data: { being: stanceOf(being), ...entry },
  })
  const { status, ok } = await fetchOutside(privateHosts, signal)(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'TreeOS-Webhooks',
      ...signedHeaders(secretOfOutlet(at, delivery), { id, at: now, body }),
    },
    body,
    timeoutSeconds: TIMEOUT_SECONDS,
  })
  if (!ok)
    throw proxyResolves() ? notTaken() : new TreeosError('SERVICE_UNAVAILABLE', `it answered ${status}`)
}

/**
 * Where a proxy alone resolves names, how it failed would tell whoever chose the name what is inside the
 * operator's network.
 */
const notTaken = () => new TreeosError('SERVICE_UNAVAILABLE', 'it was not taken')

/** What a name resolves to inside the operator's network is not for whoever chose the name. */
function fetchOutside(privateHosts: readonly string[], signal: AbortSignal): ReturnType<typeof outsideFetch> {
  const fetch = outsideFetch(privateHosts, signal, WHOSE)
  return (...asked) =>
    fetch(...asked).catch((error: unknown) => {
      if (!(error instanceof TreeosError)) throw proxyResolves() && !signal.aborted ? notTaken() : error
      if (error.code !== 'FORBIDDEN') throw error
      const why = `its address is private: the operator allows those that ${WHOSE.setting} names`
      throw new TreeosError('FORBIDDEN', why)
    })
}
