import type { BeingName } from '@treeos/core'
import { stanceOf } from '@treeos/core'
import type { Context } from 'hono'
import { rememberDevice } from '../accounts/devices.ts'
import { beginSession, type Way } from '../accounts/sessions.ts'
import type { Env, Portal } from '../portal.ts'
import { deviceCookie, setCookie, setDeviceCookie } from './cookies.ts'

/** Begins a session of a person: one half in a cookie, the other one in the answer. */
export async function signIn(
  c: Context<Env>,
  { store }: Portal,
  { being, way }: { readonly being: BeingName; readonly way: Way },
): Promise<{ readonly key: string; readonly stance: string }> {
  const { cookie, key } = await beginSession(store, being, { way, agent: c.req.header('user-agent') })
  const host = c.get('host')
  const device = await rememberDevice(store, being, deviceCookie(c.req.raw, host))
  c.header('set-cookie', setCookie(c.req.raw, host, cookie))
  c.header('set-cookie', setDeviceCookie(c.req.raw, host, device), { append: true })
  return { key, stance: stanceOf(being) }
}

/** The origin that the browser named, which `requireOwnPage` found to be ours. */
export function originOf(c: Context<Env>): string {
  const origin = c.req.header('origin')
  if (origin === undefined) throw new Error(`a request of ${c.req.routePath} names no origin`)
  return origin
}
