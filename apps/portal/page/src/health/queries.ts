import { api, own } from '../api/client.ts'
import { asking, type FoundBy } from '../api/deed.ts'

export const healthQuery = asking(['health'], api.health.$get, {})
/** Asks processes of the machine, so it is asked again only when somebody wants to know. */
export const machineQuery = asking(['machine'], own.machine.$get, {})
export const useOfOwnQuery = asking(['use'], api.use.$get, {})

export const spendingQuery = (seconds: number) =>
  asking(['spending', seconds], api.spending.$get, { query: { seconds } })

export type HealthFound = FoundBy<typeof healthQuery>
export type Budget = HealthFound['budgets'][number]
