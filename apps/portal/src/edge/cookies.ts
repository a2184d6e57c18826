import { DEVICE_SECONDS } from '../accounts/devices.ts'
import { SESSION_SECONDS_MAX } from '../accounts/sessions.ts'

const DEVICE = 'treeos-device'

/**
 * By its port: browsers keep one store of cookies for all ports of a machine, and several instances may run
 * there.
 */
function nameFor(host: string, isSecure: boolean, what = 'treeos'): string {
  const port = URL.parse(`http://${host}`)?.port || '0'
  return `${isSecure ? '__Host-' : ''}${what}-${port}`
}

/**
 * Whether the browser reached us by TLS, over a proxy. It says so in the origin of a request that changes
 * something.
 */
const isOverTls = (request: Request): boolean => request.headers.get('origin')?.startsWith('https:') === true

export const sessionCookie = (request: Request, host: string): string | undefined => find(request, host)

/** The secret of a browser in which somebody signed in before. */
export const deviceCookie = (request: Request, host: string): string | undefined =>
  find(request, host, DEVICE)

function find(request: Request, host: string, what?: string): string | undefined {
  const names = [nameFor(host, true, what), nameFor(host, false, what)]
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim().split('='))
  return pairs.find(([name]) => names.includes(name ?? ''))?.[1]
}

export const setDeviceCookie = (request: Request, host: string, secret: string): string => {
  const isSecure = isOverTls(request)
  const rest = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${DEVICE_SECONDS}${isSecure ? '; Secure' : ''}`
  return `${nameFor(host, isSecure, DEVICE)}=${secret}; ${rest}`
}

/** @param value null removes it */
export function setCookie(request: Request, host: string, value: string | null): string {
  const isSecure = isOverTls(request)
  const age = value === null ? 0 : SESSION_SECONDS_MAX
  const rest = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${isSecure ? '; Secure' : ''}`
  return `${nameFor(host, isSecure)}=${value ?? ''}; ${rest}`
}
