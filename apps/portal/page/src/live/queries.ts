import { api } from '../api/client.ts'
import { asking, type FoundBy } from '../api/deed.ts'

export const latelyQuery = (seconds: number) =>
  asking(['lately', seconds], api.lately.$get, { query: { seconds } })

export type LatelyFound = FoundBy<ReturnType<typeof latelyQuery>>
export type SpokenWords = LatelyFound['spoken'][number]
export type StripMark = LatelyFound['strip'][number]
