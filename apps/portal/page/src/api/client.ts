import { hc } from 'hono/client'
import type { Routes } from '../../../src/app.ts'
import { t } from '../language/index.ts'
import { KEY_HEADER, TAB_HEADER, takeAhead } from './ask-ahead.ts'
import { keepKey, sessionKey } from './session.ts'
import { endDriven, tabHandle } from './tab.ts'

/** A refusal of the server: its code, and what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string
  /** what more the server told, such as the moment that was refused */
  readonly detail: unknown

  constructor(code: string, message: string, detail?: unknown) {
    super(message)
    this.code = code
    this.detail = detail
  }

  /** which refusal of its code it is; undefined where the server names none */
  get reason(): string | undefined {
    return (this.detail as { reason?: string } | undefined)?.reason
  }
}

/** A request of a page that goes is sent all the same. Browsers send at most 64 KiB so. */
let isLeaving = false
addEventListener('pagehide', () => {
  isLeaving = true
})
addEventListener('pageshow', () => {
  isLeaving = false
})

/** The header that brings the signature of an act. */
const SIGNED = 'x-treeos-signed'

/** Adds our half of the session and the secret of this tab, and turns refusals into errors. */
export async function ask(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  const key = sessionKey()
  if (key !== null) headers.set(KEY_HEADER, key)
  const { pathname, search } = new URL(input instanceof Request ? input.url : input, location.origin)
  // A session is ended in any tab, also in one whose lease is over.
  const handle = pathname === '/api/sign-out' ? null : tabHandle()
  if (handle !== null) headers.set(TAB_HEADER, handle)
  const isRead = init.method === undefined || init.method === 'GET'
  if (!isRead && !headers.has('content-type')) headers.set('content-type', 'application/json')
  const send = async () =>
    (isRead ? await takeAhead(pathname + search, key, handle) : null) ??
    (await fetch(input, { ...init, headers, credentials: 'same-origin', keepalive: isLeaving }))
  const response = await send().catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Refusal(
      'SERVICE_UNAVAILABLE',
      t('the portal does not answer: it may be starting again, or your network is away'),
    )
  })
  if (response.ok) return response
  const refusal = await refusalIn(response)
  if (refusal.reason === 'sign' && !headers.has(SIGNED)) {
    const { signed } = await import('./sign.ts')
    headers.set(SIGNED, await signed(refusal.detail))
    return ask(input, { ...init, headers })
  }
  if (refusal.reason === 'lease-over' && handle !== null && handle === tabHandle()) endDriven(refusal.message)
  if (refusal.code === 'UNAUTHORIZED' && key !== null && !pathname.startsWith('/api/open/')) keepKey(null)
  throw refusal
}

async function refusalIn(response: Response): Promise<Refusal> {
  try {
    const { code, detail, context } = (await response.json()) as {
      code: string
      detail: string
      context?: unknown
    }
    return new Refusal(code, detail, context)
  } catch {
    return new Refusal('INTERNAL', t('the portal answered {{status}}', { status: response.status }))
  }
}

const routes = hc<Routes>(location.origin, { fetch: ask })
/** The API of the reality, as programs use it. */
export const api = routes.api.v1
/** What belongs to the page: signing in, accounts, tabs and the shared stream. */
export const own = routes.api
