import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { asking } from '../api/deed.ts'

export const rolesQuery = asking(['roles'], api.roles.$get, {}, { retry: false })
export const roleQuery = (role: string) =>
  asking(['role', role], api.roles[':role'].$get, { param: { role } })
export const flowQuery = (name: string) =>
  asking(['flow', name], api.beings[':name'].flow.$get, { param: { name } })
export const signalsQuery = asking(['signals'], api.signals.$get, {})

/** The first addresses that hold a text; all of them may be very many. */
export const addressesQuery = (of: 'beings' | 'all', text: string) =>
  asking(
    ['addresses', of, text],
    api.addresses.$get,
    { query: { of, text } },
    { keepsBefore: true, staleTime: 10_000 },
  )

/** What was found wrong, and where in the role or the flow. */
export interface Fault {
  readonly path: string
  readonly message: string
}
export interface LintResult {
  readonly errors: readonly Fault[]
  readonly warnings: readonly Fault[]
}

/** What the server says of a role or a flow that is not written yet. @param text its JSON */
export const checkQuery = (what: 'role' | 'flow', text: string) =>
  queryOptions({
    queryKey: ['check', what, text],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<LintResult> => {
      const json = JSON.parse(text) as object | null
      const answered =
        what === 'role'
          ? await api.roles.check.$post({ json: { role: json } }, { init: { signal } })
          : await api.flows.check.$post({ json: { flow: json } }, { init: { signal } })
      return answered.json()
    },
    // what was said of the text before stands until there is an answer
    placeholderData: (before: LintResult | undefined) => before,
    gcTime: 10_000,
  })
