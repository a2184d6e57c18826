import { overlays, type Seat } from '@treeos/client'

/**
 * Stored overlays. Only the seat of a person has this tool, and there is none to set one: an overlay that a
 * program sets would be words of a model for later calls of models.
 */
export const LIST_OVERLAYS = {
  name: 'list_overlays',
  description: 'List the stored overlays that I may read.',
  inputSchema: { type: 'object' as const, properties: {}, required: [] as string[] },
  annotations: { readOnlyHint: true, openWorldHint: false },
}

/** Lists those that the person of the seat may read. @throws {TreeosError} FORBIDDEN for who is not a person */
export const listOverlays = (seat: Seat): Promise<object> =>
  seat.use(async (at, as) => ({ overlays: await overlays(at, as) }))
