import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: async () => (await api.account.$get()).json(),
})

export type OwnAccount = Awaited<ReturnType<NonNullable<typeof accountQuery.queryFn>>>

/** A change of the own account, after which it is asked for again. */
export function useChange<T>(change: (of: T) => Promise<unknown>, onDone: () => void = () => undefined) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: accountQuery.queryKey }),
  })
}
