import { describeSelf, reach, refusalOf, see, surroundings } from '@treeos/client'
import { isJsonObject, type Json, readPath } from '@treeos/core'
import { Hono } from 'hono'
import type { Env, Visit } from '../portal.ts'

/** Where the catalog of roles is published. */
const ROLE_MANAGER = '@role-manager'
const SPAWN = 'lineage:spawn-child'
const PROFILES = ['generalist', 'writer', 'analyst', 'guardian']

/** What the being may choose from: operations with their arguments, and what a birth may be given. */
export const reachRoutes = () =>
  new Hono<Env>()
    .get('/reach', async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await reach(at, being))
    })
    .get('/birth', async (c) => {
      const visit = c.get('visit')
      const { at, being } = visit
      const { spaces } = await surroundings(at, being)
      return c.json({
        scripts: [...at.registry.known.scripts].sort(),
        roles: await rolesFor(visit),
        homes: spaces.map(({ path }) => path),
        profiles: await profilesFor(visit),
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

interface Profile {
  readonly name: string
  readonly description: string
  /** operations that such a child may do */
  readonly tools: readonly string[]
}

/** The profiles that a child may be spawned with, the being's own ones too. @returns null without that extension */
async function profilesFor({ at: { registry, ...at }, being }: Visit): Promise<Profile[] | null> {
  if (!registry.operations.has(SPAWN)) return null
  const { self } = await describeSelf({ ...at, registry }, being)
  const own = readPath(self?.qualities, ['lineage', 'roles'])
  return [
    ...PROFILES.flatMap((name) => {
      const role = registry.roles.get(`lineage:${name}`)
      return role === undefined
        ? []
        : [{ name, description: role.spec.description ?? '', tools: namesIn(role.spec.canDo) }]
    }),
    ...Object.entries(isJsonObject(own) ? own : {}).map(([name, role]) => ({
      name,
      description: textAt(role, 'description'),
      tools: namesIn(readPath(role, ['allowedTools'])),
    })),
  ]
}

const namesIn = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : []

function textAt(value: Json, key: string): string {
  const found = readPath(value, [key])
  return typeof found === 'string' ? found : ''
}
