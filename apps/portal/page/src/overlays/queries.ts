import { api } from '../api/client.ts'
import { asking } from '../api/deed.ts'

/**
 * Overlays are not facts, so no live event tells of a change: they are asked for again whenever they are
 * shown.
 */
export const overlaysQuery = asking(['overlays'], api.overlays.$get, {}, { staleTime: 0, gcTime: 0 })
export const threadOverlayQuery = (id: string) =>
  asking(
    ['thread', id, 'overlay'],
    api.threads[':id'].overlay.$get,
    { param: { id } },
    {
      staleTime: 0,
    },
  )
