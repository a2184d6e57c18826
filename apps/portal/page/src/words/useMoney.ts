import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/queries.ts'
import { moneyOf } from './money.ts'

/** Shows amounts in the currency of the list of prices. */
export function useMoney(): (value: number) => string {
  const { data } = useQuery(sessionQuery)
  return (value) => moneyOf(value, data?.currency ?? null)
}
