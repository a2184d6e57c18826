import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** Overlays are not facts, so no live event tells of a change: they are asked for again whenever they are shown. */
export const overlaysQuery = queryOptions({
  queryKey: ['overlays'],
  queryFn: async () => (await api.overlays.$get()).json(),
  staleTime: 0,
  gcTime: 0,
})
export const threadOverlayQuery = (id: string) =>
  queryOptions({
    queryKey: ['thread', id, 'overlay'],
    queryFn: async () => (await api.threads[':id'].overlay.$get({ param: { id } })).json(),
    staleTime: 0,
  })
