import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

const PAGE_MAX = '200'
/** More pages are not asked for. */
const PAGES_MAX = 5

/** Calls that wait for the yes of the person, with what their beings sealed in them opened. */
export const approvalsQuery = queryOptions({
  queryKey: ['inbox', 'approvals'],
  queryFn: async () => {
    const ask = async (cursor: string | null) => {
      const query = { limit: PAGE_MAX, ...(cursor === null ? {} : { cursor }) }
      return (await api.approvals.$get({ query })).json()
    }
    let { items, next } = await ask(null)
    for (let page = 1; next !== null && page < PAGES_MAX; page++) {
      const more = await ask(next)
      items = [...items, ...more.items]
      next = more.next
    }
    return { items, next }
  },
})
