import { z } from '@hono/zod-openapi'
import { authoring, checkFlow, checkRole, inspectRole, readableRoles } from '@treeos/client'
import { requireRoleName } from '@treeos/core'
import { answers, body, given, newApi, operation, text, typed } from './operation.ts'

const listing = operation({
  method: 'get',
  path: '/roles',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'roles',
  summary: 'The roles, and what may be named in one',
  tags: ['roles'],
  responses: answers(typed('AuthoringCatalog'), 'roles and names'),
})

const one = operation({
  method: 'get',
  path: '/roles/{role}',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'role',
  summary: 'One role with its versions and users',
  tags: ['roles'],
  request: { params: z.object({ role: text(200).min(1) }) },
  responses: answers(typed('RoleInside'), 'the role'),
})

const texts = operation({
  method: 'get',
  path: '/role-texts',
  'x-caller': 'signed-in',
  'x-work': 'heavy',
  operationId: 'roleTexts',
  summary: 'The roles whose text I may read, with the beings that name them',
  tags: ['roles'],
  responses: answers(z.array(typed('RoleView')).readonly(), 'roles'),
})

const checkingRole = operation({
  method: 'post',
  path: '/roles/check',
  'x-caller': 'signed-in',
  'x-work': 'heavy',
  operationId: 'checkRole',
  summary: 'Lint a role that is not written',
  tags: ['roles'],
  request: { body: body(z.strictObject({ role: given })) },
  responses: answers(typed('Lint'), 'errors and warnings'),
})

const checkingFlow = operation({
  method: 'post',
  path: '/flows/check',
  'x-caller': 'signed-in',
  'x-work': 'heavy',
  operationId: 'checkFlow',
  summary: 'Lint a flow that is not set',
  tags: ['roles'],
  request: { body: body(z.strictObject({ flow: given })) },
  responses: answers(typed('Lint'), 'errors and warnings'),
})

/** Authoring of roles and flows: what there is, and checks. What is written goes by `do`, as all acts. */
export const roleRoutes = () =>
  newApi()
    .openapi(listing, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await authoring(at, being), 200)
    })
    .openapi(one, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await inspectRole(at, being, requireRoleName(c.req.valid('param').role)), 200)
    })
    .openapi(texts, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await readableRoles(at, being), 200)
    })
    .openapi(checkingRole, (c) =>
      c.json(checkRole(c.get('visit').at.registry, c.req.valid('json').role), 200),
    )
    .openapi(checkingFlow, async (c) =>
      c.json(await checkFlow(c.get('visit').at, c.req.valid('json').flow), 200),
    )
