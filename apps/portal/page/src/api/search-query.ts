import { api } from './client.ts'
import { asking } from './deed.ts'

/** What one may read that holds some words. What was found before is shown until there is an answer. */
export const searchQuery = (text: string) =>
  asking(
    ['search', text],
    api.search.$get,
    { query: { text } },
    { keepsBefore: true, staleTime: 10_000, gcTime: 30_000 },
  )
