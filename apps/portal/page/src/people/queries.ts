import { own } from '../api/client.ts'
import { asking, type FoundBy } from '../api/deed.ts'

export const peopleQuery = asking(['people'], own.people.$get, {})
export type PersonFound = FoundBy<typeof peopleQuery>[number]
