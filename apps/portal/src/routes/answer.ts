import { act } from '@treeos/client'
import { parseCall, stanceOf } from '@treeos/core'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { SIGNED_HEADER, signingFor } from '../accounts/act-signing.ts'
import {
  type AnswerLink,
  requireAnswerLink,
  requireAsked,
  spendAnswerLink,
} from '../accounts/answer-links.ts'
import { siteOf } from '../accounts/passkeys.ts'
import { hashOf } from '../accounts/secrets.ts'
import { originOf } from '../edge/sign-in.ts'
import type { Env, Portal } from '../portal.ts'
import { input } from './input.ts'

const token = z.string().max(100)
const answering = z.strictObject({
  token,
  answer: z.enum(['approve', 'deny']),
  why: z.string().max(1000).optional(),
})

/**
 * A link that answers one call which waits for a yes. The page shows the call and a form; what follows links,
 * as scanners of mail do, only looks. The secret is sent in the body of a POST, which names its origin and
 * brings JSON, as everything that changes something.
 */
export const answerRoutes = (portal: Portal) => {
  /** As the person of a link, which signs by its passkey where it has one for its acts. */
  const asPerson = (c: Context<Env>, { being: person }: AnswerLink) => {
    const by = { person, site: siteOf(originOf(c)), header: c.req.header(SIGNED_HEADER) }
    return { ...portal.at, person, sign: signingFor({ at: portal.at, store: portal.store }, by) }
  }
  return new Hono<Env>()
    .post('/look', input('json', z.strictObject({ token })), async (c) => {
      const link = await requireAnswerLink(portal.store, c.req.valid('json').token)
      return c.json({ stance: stanceOf(link.being), asked: await requireAsked(asPerson(c, link), link) })
    })
    .post('/', input('json', answering), async (c) => {
      const { token, answer: operation, why } = c.req.valid('json')
      const link = await requireAnswerLink(portal.store, token)
      const at = asPerson(c, link)
      const { id } = await requireAsked(at, link)
      const args = { id, ...(operation === 'approve' || why === undefined ? {} : { why }) }
      const call = parseCall({ verb: 'do', target: stanceOf(link.being), operation, args })
      // The key lets two requests at once, and one that is sent again, be one act.
      await act(at, link.being, call, undefined, `answer-${hashOf(token).toString('hex')}`)
      await spendAnswerLink(portal.store, token)
      return c.json({ stance: stanceOf(link.being), answer: operation })
    })
}
