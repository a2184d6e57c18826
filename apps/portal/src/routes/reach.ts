import { describeSelf, refusalOf, see, surroundings } from '@treeos/client'
import { Hono } from 'hono'
import type { Env, Visit } from '../portal.ts'

/** Where the catalog of roles is published. */
const ROLE_MANAGER = '@role-manager'

/** What a birth may be given, as the form of the page needs it. */
export const reachRoutes = () =>
  new Hono<Env>().get('/birth', async (c) => {
    const visit = c.get('visit')
    const { at, being } = visit
    const { spaces } = await surroundings(at, being)
    return c.json({
      scripts: [...at.registry.known.scripts].sort(),
      roles: await rolesFor(visit),
      homes: spaces.map(({ path }) => path),
      forms: await formsFor(visit),
    })
  })

/** The roles that the being may know of; none where it may not see the catalog. */
async function rolesFor({ at, being }: Visit) {
  const seen = await see(at, being, ROLE_MANAGER).catch((error: unknown) => {
    if (['FORBIDDEN', 'BEING_NOT_FOUND'].includes(refusalOf(error).code)) return null
    throw error
  })
  return (seen?.catalogs?.roles ?? []).map(({ name, description }) => ({ name, description }))
}

/** The forms by which extensions bring a child into the world, as the being may fill them in. */
async function formsFor({ at, being }: Visit) {
  const { birthForms } = at.registry
  if (birthForms.length === 0) return []
  const { self } = await describeSelf(at, being)
  const me = { qualities: self?.qualities ?? {} }
  return birthForms.map(({ fields, ...form }) => ({
    ...form,
    fields: fields.map(({ choices, ...field }) => ({ ...field, choices: choices?.(me) ?? [] })),
  }))
}
