import { z } from '@hono/zod-openapi'
import { deleteOverlay, overlays, setOverlay } from '@treeos/client'
import { answers, body, newApi, operation, text } from './operation.ts'

const CONTENT_MAX = 64 * 1024
const key = z.strictObject({
  tier: text(40).openapi({ description: 'workspace, account or channel' }),
  name: text(1024),
  channel: text(1024).optional(),
})

const Overlay = z
  .object({
    tier: z.string(),
    name: z.string(),
    scope: z.string().optional(),
    content: z.string(),
    appliesTo: z.array(z.string()).readonly().optional(),
    setBy: z.string(),
    setAt: z.iso.datetime(),
    inForce: z.boolean(),
  })
  .openapi('Overlay')

const listing = operation({
  method: 'get',
  path: '/overlays',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'overlays',
  summary: 'Stored overlays that I may read',
  description: 'A workspace, an account and a channel hold at most 32 each.',
  tags: ['overlays'],
  responses: answers(z.array(Overlay), 'stored overlays'),
})

const setting = operation({
  method: 'post',
  path: '/overlays',
  'x-caller': 'signed-in',
  'x-work': 'act',
  operationId: 'setOverlay',
  summary: 'Store an overlay, in place of the one with its name',
  tags: ['overlays'],
  request: {
    body: body(
      key.extend({
        content: text(CONTENT_MAX),
        appliesTo: z.array(text(200)).max(16).optional(),
      }),
    ),
  },
  responses: answers(Overlay, 'the overlay'),
})

const deleting = operation({
  method: 'post',
  path: '/overlays/delete',
  'x-caller': 'signed-in',
  'x-work': 'change',
  operationId: 'deleteOverlay',
  summary: 'Delete a stored overlay',
  tags: ['overlays'],
  request: { body: body(key) },
  responses: answers(
    z.object({ tier: z.string(), name: z.string(), scope: z.string().optional(), deleted: z.literal(true) }),
    'the name of what is gone',
  ),
})

/** Stored overlays. Persons alone read and set them. */
export const overlayRoutes = () =>
  newApi()
    .openapi(listing, async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await overlays(at, being), 200)
    })
    .openapi(setting, async (c) => {
      const { at, being: as } = c.get('visit')
      const { content, appliesTo, ...request } = c.req.valid('json')
      const overlay = { content, ...(appliesTo === undefined ? {} : { appliesTo }) }
      return c.json(await setOverlay(at, { ...request, as }, overlay), 200)
    })
    .openapi(deleting, async (c) => {
      const { at, being: as } = c.get('visit')
      return c.json(await deleteOverlay(at, { ...c.req.valid('json'), as }), 200)
    })
