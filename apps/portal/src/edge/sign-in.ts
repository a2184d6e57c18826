import type { BeingName } from '@treeos/core'
import { stanceOf } from '@treeos/core'
import type { Context } from 'hono'
import { beginSession, type Way } from '../accounts/sessions.ts'
import type { Env, Portal } from '../portal.ts'
import { setCookie } from './cookies.ts'

/** Begins a session of a person: one half in a cookie, the other one in the answer. */
export async function signIn(
  c: Context<Env>,
  { store }: Portal,
  { being, way }: { readonly being: BeingName; readonly way: Way },
): Promise<{ readonly key: string; readonly stance: string }> {
  const { cookie, key } = await beginSession(store, being, { way, agent: c.req.header('user-agent') })
  c.header('set-cookie', setCookie(c.req.raw, c.get('host'), cookie))
  return { key, stance: stanceOf(being) }
}

/** The origin that the browser named, which `requireOwnPage` found to be ours. */
export function originOf(c: Context<Env>): string {
  const origin = c.req.header('origin')
  if (origin === undefined) throw new Error(`a request of ${c.req.routePath} names no origin`)
  return origin
}
