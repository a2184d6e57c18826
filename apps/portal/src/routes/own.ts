import { TreeosError } from '@treeos/core'
import { createMiddleware } from 'hono/factory'
import { pace } from '../edge/pace.ts'
import type { Env } from '../portal.ts'

const SAFE = new Set(['GET', 'HEAD'])

/**
 * Accounts belong to persons: a tab that drives a being neither shows nor changes the account of its driver.
 * @throws {TreeosError} FORBIDDEN in such a tab; RATE_LIMITED for a person that changes too much
 */
export const ofPersons = () => {
  const changes = pace({ points: 1, seconds: 2, burst: 60 })
  return createMiddleware<Env>(async (c, next) => {
    const { handle, being, person } = c.get('visit')
    if (handle !== null)
      throw new TreeosError(
        'FORBIDDEN',
        `this tab drives @${being}: do this in a tab in which you act as yourself, @${person}`,
        { reason: 'driving' },
      )
    if (!SAFE.has(c.req.method)) await changes(person)
    await next()
  })
}

/**
 * Who came by a session that somebody left open changes nothing of how its person signs in.
 * @throws {TreeosError} FORBIDDEN a quarter of an hour after signing in
 */
export const fresh = createMiddleware<Env>(async (c, next) => {
  if (!c.get('visit').isFresh)
    throw new TreeosError(
      'FORBIDDEN',
      'you signed in more than 15 minutes ago: sign in again, and then change this',
      { reason: 'sign-in-again' },
    )
  await next()
})
