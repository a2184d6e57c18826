import { api } from '../api/client.ts'
import { asking } from '../api/deed.ts'

export const peopleQuery = asking(['people'], () => api.people.$get())
export type PersonFound = Awaited<ReturnType<NonNullable<typeof peopleQuery.queryFn>>>[number]
