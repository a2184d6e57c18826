import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** The first word of each key is what `live.ts` makes stale. */
export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: async () => (await api.roles.$get()).json(),
  retry: false,
})
export const roleQuery = (role: string) =>
  queryOptions({
    queryKey: ['role', role],
    queryFn: async () => (await api.roles[':role'].$get({ param: { role } })).json(),
  })
export const flowQuery = (name: string) =>
  queryOptions({
    queryKey: ['flow', name],
    queryFn: async () => (await api.beings[':name'].flow.$get({ param: { name } })).json(),
  })
export const signalsQuery = queryOptions({
  queryKey: ['signals'],
  queryFn: async () => (await api.signals.$get()).json(),
})

/** The first addresses that hold a text; all of them may be very many. */
export const addressesQuery = (of: 'beings' | 'all', text: string) =>
  queryOptions({
    queryKey: ['addresses', of, text],
    queryFn: async () => (await api.addresses.$get({ query: { of, text } })).json(),
    placeholderData: (before: string[] | undefined) => before,
    staleTime: 10_000,
  })

/** What was found wrong, and where in the role or the flow. */
export interface Fault {
  readonly path: string
  readonly message: string
}
export interface Checked {
  readonly errors: readonly Fault[]
  readonly warnings: readonly Fault[]
}

/** What the server says of a role or a flow that is not written yet. @param text its JSON */
export const checkQuery = (what: 'role' | 'flow', text: string) =>
  queryOptions({
    queryKey: ['check', what, text],
    queryFn: async (): Promise<Checked> => {
      const json = JSON.parse(text) as object | null
      const answered =
        what === 'role'
          ? await api.roles.check.$post({ json: { role: json } })
          : await api.flows.check.$post({ json: { flow: json } })
      return answered.json()
    },
    placeholderData: (before: Checked | undefined) => before, // what was said of the text before stands until there is an answer
    gcTime: 10_000,
  })

const TOUCHED = ['roles', 'role', 'flow', 'signals', 'being']

/** Does something as the signed-in person, by the public verbs. Its data is the answer of the operation. */
export function useAct(onDone?: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (call: Readonly<Record<string, unknown>>): Promise<unknown> => {
      const { result } = (await (await api.verb.$post({ json: { call } })).json()) as {
        result: { result: unknown }
      }
      return result.result
    },
    onSuccess: async () => {
      await Promise.all(TOUCHED.map((word) => queries.invalidateQueries({ queryKey: [word] })))
      onDone?.()
    },
  })
}
