import { QueryClient } from '@tanstack/react-query'
import { Refusal } from './client.ts'

/** What was asked for, kept until live events make it stale. */
export const newQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000, // live events make it stale earlier
        refetchOnWindowFocus: false,
        retry: (count, error) =>
          error instanceof Refusal && error.code === 'SERVICE_UNAVAILABLE' && count < 3,
      },
    },
  })
