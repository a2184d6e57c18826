import { z } from '@hono/zod-openapi'
import { issueToken, revokeToken, TOKEN_DAYS_MAX, tokensPage } from '@treeos/client'
import { parseStance, stanceOf } from '@treeos/core'
import { listing, ownPage } from './list.ts'
import { answers, body, id, newApi, operation, paging, text } from './operation.ts'
import { stance } from './shapes.ts'

const AccessToken = z
  .object({
    id: z.string(),
    being: stance,
    issuedBy: stance,
    issuedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    revokedAt: z.iso.datetime().nullable(),
  })
  .openapi('AccessToken')

const listed = listing(
  {
    path: '/tokens',
    'x-caller': 'person',
    items: AccessToken,
    operationId: 'tokens',
    summary: 'Access tokens that I may revoke, without their secrets, the newest first',
    tags: ['tokens'],
  },
  { query: paging },
)

const issuing = operation({
  method: 'post',
  path: '/tokens',
  // A token that could make others would outlive its revocation.
  'x-caller': 'person-signed-in-lately',
  'x-work': 'act',
  operationId: 'createToken',
  summary: 'Make an access token for myself or for a descendant',
  description: 'A person who signed in lately makes one. An access token makes no others.',
  tags: ['tokens'],
  request: {
    body: body(
      z.strictObject({
        being: text(200).min(1).optional().openapi({ description: 'left out: myself', example: '@solomon' }),
        days: z
          .number()
          .int()
          .min(1)
          .max(TOKEN_DAYS_MAX)
          .optional()
          .openapi({ description: '30 when left out' }),
      }),
    ),
  },
  responses: answers(
    AccessToken.extend({ secret: z.string().openapi({ description: 'it is told this once' }) }),
    'the token with its secret',
  ),
})

const revoking = operation({
  method: 'post',
  path: '/tokens/revoke',
  'x-caller': 'person',
  'x-work': 'change',
  operationId: 'revokeToken',
  summary: 'Revoke an access token for good',
  tags: ['tokens'],
  request: { body: body(z.strictObject({ id })) },
  responses: answers(AccessToken, 'the token'),
})

/** By which programs act. Persons alone have them in hand. */
export const tokenRoutes = () =>
  newApi()
    .openapi(listed, async (c) =>
      c.json(await ownPage(c.get('visit'), c.req.valid('query'), tokensPage), 200),
    )
    .openapi(issuing, async (c) => {
      const { at, being: as } = c.get('visit')
      const { being = stanceOf(as), days } = c.req.valid('json')
      return c.json(await issueToken(at, { being: parseStance(being), as, days }), 200)
    })
    .openapi(revoking, async (c) => {
      const { at, being: as } = c.get('visit')
      return c.json(await revokeToken(at, { id: c.req.valid('json').id, as }), 200)
    })
