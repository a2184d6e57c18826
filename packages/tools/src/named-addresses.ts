import { egressFetch, outsideFetch } from '@treeos/egress'
import type { ServerEntry } from './file.ts'

const NAMED = { who: 'a server of tools', setting: 'the issuer of its entry' }
const KEPT_HEADERS = ['content-type', 'location', 'www-authenticate']

/**
 * The `fetch` of a connection to a server. The operator chose the addresses of the server and of the issuer of its
 * tokens. Any other is named by the server, and must not reach servers of this machine or network.
 */
export function fetchOf({ url, oauth }: Pick<ServerEntry, 'url' | 'oauth'>): typeof globalThis.fetch {
  const own = [url, oauth?.issuer].flatMap((address) =>
    address === undefined ? [] : [new URL(address).origin],
  )
  return async (input, init) => {
    const address = new URL(input instanceof Request ? input.url : input)
    if (own.includes(address.origin)) return egressFetch(input, init)
    const asked = new Request(input, init)
    const body = asked.body === null ? {} : { body: new Uint8Array(await asked.arrayBuffer()) }
    const { method, headers } = asked
    const answer = await outsideFetch(
      [],
      asked.signal,
      NAMED,
    )(address, { method, headers: Object.fromEntries(headers), ...body })
    const kept = KEPT_HEADERS.flatMap((name): [string, string][] => {
      const value = answer.header(name)
      return value === null ? [] : [[name, value]]
    })
    const isBare = [204, 205, 304].includes(answer.status)
    return new Response(isBare ? null : answer.text(), { status: answer.status, headers: kept })
  }
}
