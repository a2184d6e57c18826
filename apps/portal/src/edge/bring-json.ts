import { quote, TreeosError } from '@treeos/core'
import type { Context } from 'hono'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/

/**
 * The body of a program is JSON, whether it says so or not: without a type the routes would read none of it,
 * and tell of missing fields. No page can leave the type of a body out.
 * @throws {TreeosError} INVALID_INPUT naming another type, such as the one that curl sends by itself
 */
export function bringJson({ req }: Pick<Context, 'req'>): void {
  if (req.method !== 'POST' || req.raw.body === null) return
  const type = req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (JSON_TYPE.test(type)) return
  if (type !== '')
    throw new TreeosError('INVALID_INPUT', `the body is ${quote(type)}; it takes application/json`)
  req.raw.headers.set('content-type', 'application/json')
}
