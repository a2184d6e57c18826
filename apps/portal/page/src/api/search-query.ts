import { queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'

/** What one may read that holds some words. What was found before is shown until there is an answer. */
export const searchQuery = (text: string) =>
  queryOptions<Found>({
    queryKey: ['search', text],
    queryFn: async ({ signal }): Promise<Found> =>
      (await api.search.$get({ query: { text } }, { init: { signal } })).json(),
    placeholderData: (before: Found | undefined): Found | undefined => before,
    staleTime: 10_000,
    gcTime: 30_000,
  })

type Found = Awaited<ReturnType<Awaited<ReturnType<typeof api.search.$get>>['json']>>
