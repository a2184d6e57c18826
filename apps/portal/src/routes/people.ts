import { act, personsUnder, requireOwn } from '@treeos/client'
import { type BeingName, parseCall, parseStance, stanceOf, TreeosError } from '@treeos/core'
import { Hono } from 'hono'
import { z } from 'zod'
import { LINK_HOURS_MAX, makeLink } from '../accounts/links.ts'
import { describePeople, removeAccount, revokeLink } from '../accounts/people.ts'
import type { Env, Portal, Visit } from '../portal.ts'
import { input } from './input.ts'
import type { SessionLeaver } from './session-end.ts'

const hours = z.number().int().min(1).max(LINK_HOURS_MAX)
const stance = z.object({ stance: z.string().max(80) })

/** The persons that one may invite and let in: its own offspring. The gates decide who may give birth. */
export const peopleRoutes = ({ store }: Portal, leave: SessionLeaver) =>
  new Hono<Env>()
    .get('/', async (c) => {
      const { at, person } = c.get('visit')
      return c.json(await describePeople(store, await personsUnder(at, person)))
    })
    .post(
      '/invite',
      input('json', z.object({ name: z.string().max(80), role: z.string().max(80).optional(), hours })),
      async (c) => {
        const { at, person } = c.get('visit')
        const { name, role, hours } = c.req.valid('json')
        const args = { name, cognition: 'human', ...(role === undefined ? {} : { role }) }
        await act(at, person, parseCall({ verb: 'be', operation: 'birth', args }))
        return c.json({
          stance: stanceOf(name),
          token: await makeLink(store, name, { minutes: hours * 60, madeBy: person }),
        })
      },
    )
    .post('/link', input('json', stance.extend({ hours })), async (c) => {
      const { stance, hours } = c.req.valid('json')
      const being = await requireOwnPerson(c.get('visit'), stance)
      const token = await makeLink(store, being, { minutes: hours * 60, madeBy: c.get('visit').person })
      return c.json({ stance: stanceOf(being), token })
    })
    .post('/revoke', input('json', stance), async (c) => {
      await revokeLink(store, await requireOwnPerson(c.get('visit'), c.req.valid('json').stance))
      return c.json({ revoked: true })
    })
    .post('/remove', input('json', stance), async (c) => {
      const visit = c.get('visit')
      const being = await requireOwnPerson(visit, c.req.valid('json').stance)
      if (being === visit.person)
        throw new TreeosError('INVALID_INPUT', 'you cannot take away your own account')
      leave(await removeAccount(store, being))
      return c.json({ removed: true })
    })

/**
 * @throws {TreeosError} FORBIDDEN for a being that is not of the person; INVALID_INPUT for one that is not a
 *   person
 */
async function requireOwnPerson({ at, person }: Visit, stance: string): Promise<BeingName> {
  const being = parseStance(stance)
  const { row } = await requireOwn(at, being, person)
  if (row.cognition.kind !== 'human')
    throw new TreeosError('INVALID_INPUT', `${stanceOf(being)} is not a person: only persons sign in`)
  return being
}
