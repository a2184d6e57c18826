import { api, own } from '../api/client.ts'
import { asking, askingPages, type FoundBy, useDeed } from '../api/deed.ts'

/** of the name of a passkey */
export const NAME_CHARS_MAX = 80

export const accountQuery = asking(['account'], own.account.$get, {})

const TOKENS = 20

export const tokensQuery = askingPages(['tokens'], api.tokens.$get, (cursor) => ({
  query: { limit: TOKENS, ...(cursor === null ? {} : { cursor }) },
}))

export type OwnAccount = FoundBy<typeof accountQuery>

/** A change of the own account, after which it is asked for again. */
export const useChange = <A extends { json(): Promise<unknown> }, Of = void>(
  change: (of: Of) => Promise<A>,
  onDone?: () => void,
) => useDeed(change, { stale: ['account'], ...(onDone === undefined ? {} : { onDone }) })

export const outletsQuery = asking(['outlets'], api.outlets.$get, {})
export const hooksQuery = asking(['hooks'], api.hooks.$get, {})
