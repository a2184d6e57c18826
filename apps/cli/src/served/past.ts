import type {
  ChannelView,
  ExplainedMoment,
  ListedMoment,
  LivedMoment,
  RebuiltPrompt,
  SearchResult,
  SpokenThread,
  ThreadView,
  WhyNotRole,
} from '@treeos/client'
import type { Treeos } from '@treeos/client-http'
import type { BeingName, JsonObject, VerbCall } from '@treeos/core'
import type { Envelope } from '@treeos/proofs'
import type { Difference } from '@treeos/replay/what-if'
import type { WhyNotAllowed } from '@treeos/replay/why-not'
import { requireLivingBeing, withBeing, withReality, withRegistry } from '../instance/with-instance.ts'
import { answered, httpClient, listed, type Service, toldAs } from './serve.ts'

interface OfBeing {
  readonly being: BeingName
}

interface OfMoment extends OfBeing {
  /** its number */
  readonly n: number
}

const at = ({ being: name, n }: OfMoment) => ({ params: { path: { name, n } } })

const newestFirst = (treeos: Treeos, { being: name }: OfBeing, last?: number): Promise<LivedMoment[]> =>
  listed((query) => treeos.api.GET('/beings/{name}/moments', { params: { path: { name }, query } }), last)

interface MomentsAsked {
  readonly being?: BeingName | undefined
  readonly person?: BeingName | undefined
  /** when they ended, in milliseconds */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly last?: number | undefined
}

/** Oldest first. */
export const MOMENTS: Service<MomentsAsked, readonly ListedMoment[]> = {
  record: (options, { being, last: limit = MOMENTS_MAX, ...bounds }) =>
    withReality(options, async (from, { momentsWithin }) => {
      if (being !== undefined) await requireLivingBeing(from, being)
      return momentsWithin(from.db, { ...bounds, of: null, being, limit })
    }),
  api: async (treeos, { being, person, since, until, last }) => {
    const isoOf = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())
    const asked = { being, person, since: isoOf(since), until: isoOf(until) }
    const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
    const newest = await listed<ListedMoment>(
      (query) => treeos.api.GET('/moments', { params: { query: { ...query, ...given } } }),
      last,
    )
    return newest.reverse()
  },
}
const MOMENTS_MAX = 1_000_000

export const EXPLAIN: Service<OfMoment, ExplainedMoment> = {
  record: (options, { being, n }) =>
    withBeing(options, being, (from, _, { explain, pastReader }) =>
      explain(from.db, being, n, pastReader(from, null)),
    ),
  api: (treeos, asked) => answered(treeos.api.GET('/beings/{name}/moments/{n}/explain', at(asked))),
}

export const PROMPT: Service<OfMoment, RebuiltPrompt> = {
  record: (options, { being, n }) =>
    withRegistry(options, async (from, { prompt }) => {
      await requireLivingBeing(from, being)
      return prompt(from.db, from.registry, being, n)
    }),
  api: (treeos, asked) => answered(treeos.api.GET('/beings/{name}/moments/{n}/prompt', at(asked))),
}

export const WHY_NOT_ROLE: Service<OfMoment & { readonly role: string }, WhyNotRole> = {
  record: (options, { being, n, role }) =>
    withBeing(options, being, ({ db }, _, { whyNotRole }) => whyNotRole(db, being, n, role)),
  api: (treeos, { role, ...asked }) =>
    answered(treeos.api.POST('/beings/{name}/moments/{n}/why-not/role', { ...at(asked), body: { role } })),
}

export const WHY_NOT_ACT: Service<OfMoment & { readonly call: VerbCall }, WhyNotAllowed> = {
  record: async (options, { being, n, call }) => {
    const { whyNotAct } = await import('@treeos/replay')
    return withRegistry(options, async (from) => {
      await requireLivingBeing(from, being)
      return whyNotAct(from, { being, n, call })
    })
  },
  api: (treeos, { call, ...asked }) =>
    answered(treeos.api.POST('/beings/{name}/moments/{n}/why-not/act', { ...at(asked), body: { call } })),
}

interface WhatIfRequest extends OfBeing {
  readonly flow: unknown
  /** number of the first moment */
  readonly since?: number | undefined
}

/** Moments under another flow. */
export const WHAT_IF: Service<WhatIfRequest, readonly Difference[]> = {
  record: async (options, { being, flow, since }) => {
    const { whatIf } = await import('@treeos/replay')
    return withRegistry(options, async (from) => {
      await requireLivingBeing(from, being)
      return whatIf(from, { being, flow, since })
    })
  },
  api: async (treeos, { being: name, flow, since = 1 }) => {
    const [last] = await newestFirst(treeos, { being: name }, 1)
    const until = last?.n ?? 0
    const found: Difference[] = []
    for (let from = since; from <= until; ) {
      const body = { flow: flow as JsonObject, since: from, until }
      const part = await answered<{ until: number; differences: Difference[] }>(
        treeos.api.POST('/beings/{name}/what-if', { params: { path: { name } }, body }),
      )
      found.push(...part.differences)
      from = part.until + 1
    }
    return found
  },
}

export const SEARCH: Service<
  { readonly as: BeingName; readonly text: string; readonly limit: number },
  SearchResult
> = {
  record: (options, { as, text, limit }) =>
    withRegistry(options, (from, { search }) => search(from, as, { text, limit })),
  api: (treeos, { text, limit }) =>
    answered(
      treeos.api.GET('/search', { params: { query: { text, limit: Math.min(limit, SEARCHED_MAX) } } }),
    ),
}
/** of each list, by the API */
const SEARCHED_MAX = 50

export const THREADS: Service<{ readonly all: boolean; readonly last: number }, readonly ThreadView[]> = {
  record: (options, which) => withReality(options, ({ db }, { threads }) => threads(db, which)),
  api: (treeos, { all, last }) =>
    listed(
      (query) => treeos.api.GET('/threads', { params: { query: { ...query, all: all ? 'true' : 'false' } } }),
      last,
    ),
}

/** A thread by its id, or the threads of a channel by its name. */
export const SPOKEN: Service<{ readonly id: string }, SpokenThread | ChannelView> = {
  record: (options, { id }) => withReality(options, ({ db }, { conversation }) => conversation(db, id)),
  api: (treeos, { id }) => answered(treeos.api.GET('/spoken/{id}', { params: { path: { id } } })),
}

interface MomentRange extends OfBeing {
  readonly since: number
  readonly until: number
}

/** A receipt, or why there is none. */
export interface ReceiptOfMoment {
  readonly n: number
  readonly receipt: Envelope | null
  readonly why?: string
}

/** The same of all moments of a range, oldest first, with why some have none. */
export async function receiptsByApi(
  treeos: Treeos,
  { being: name, since, until }: MomentRange,
): Promise<ReceiptOfMoment[]> {
  const newest = await newestFirst(treeos, { being: name }, 1)
  const last = Math.min(until, newest[0]?.n ?? 0)
  if (last < since) return []
  const { pagesOf } = await httpClient()
  const found: ReceiptOfMoment[] = []
  const pages = pagesOf((cursor) =>
    treeos.api.GET('/beings/{name}/receipts', {
      params: { path: { name }, query: { cursor: cursor ?? String(last + 1) } },
    }),
  )
  for await (const one of pages) {
    if (one.n < since) break
    found.push(toldAs<ReceiptOfMoment>(one))
  }
  return found.reverse()
}

/** A receipt of one moment, by the API alone: with the database it is issued here. */
export const receiptByApi = (treeos: Treeos, asked: OfMoment): Promise<Envelope> =>
  answered(treeos.api.GET('/beings/{name}/moments/{n}/receipt', at(asked)))
