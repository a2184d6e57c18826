import { SESSION_SECONDS_MAX } from '../accounts/sessions.ts'

/** By its port: browsers keep one store of cookies for all ports of a machine, and several instances may run there. */
function nameFor(host: string, isSecure: boolean): string {
  const port = URL.parse(`http://${host}`)?.port || '0'
  return `${isSecure ? '__Host-' : ''}treeos-${port}`
}

/** Whether the browser reached us by TLS, over a proxy. It says so in the origin of a request that changes something. */
const isOverTls = (request: Request): boolean =>
  request.headers.get('origin')?.startsWith('https:') === true ||
  request.headers.get('x-forwarded-proto') === 'https'

export function sessionCookie(request: Request, host: string): string | undefined {
  const names = [nameFor(host, true), nameFor(host, false)]
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim().split('='))
  return pairs.find(([name]) => names.includes(name ?? ''))?.[1]
}

/** @param value null removes it */
export function setCookie(request: Request, host: string, value: string | null): string {
  const isSecure = isOverTls(request)
  const age = value === null ? 0 : SESSION_SECONDS_MAX
  const rest = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${isSecure ? '; Secure' : ''}`
  return `${nameFor(host, isSecure)}=${value ?? ''}; ${rest}`
}
