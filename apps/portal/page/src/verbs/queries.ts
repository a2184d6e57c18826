import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** What the being may reach for now. A change of any row may change it, as with `session`. */
export const reachQuery = queryOptions({
  queryKey: ['session', 'reach'],
  queryFn: async () => (await api.reach.$get()).json(),
})
