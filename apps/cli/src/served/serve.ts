import type { Treeos } from '@treeos/client-http'
import { type BeingName, parseStance } from '@treeos/core'
import type { InstanceOptions } from '../cli.ts'
import { callPortal } from '../login/call-portal.ts'

/**
 * What a command asks for, in its two ways: of the record, with the database of an instance, or of the API,
 * for who is logged in. Both tell the same, so there is one way to show it.
 */
export interface Service<Asked, Told> {
  readonly record: (options: InstanceOptions, asked: Asked) => Promise<Told>
  readonly api: (treeos: Treeos, asked: Asked) => Promise<Told>
}

/** Asks in the way that the options of a command say. */
export function serve<Asked, Told>(
  options: InstanceOptions,
  { record, api }: Service<Asked, Told>,
  asked: Asked,
): Promise<Told> {
  const { login } = options
  return login === undefined ? record(options, asked) : callPortal(login, (treeos) => api(treeos, asked))
}

/** Whom `~` means where a command takes no `--as`. */
export const mine = ({ login }: InstanceOptions): BeingName =>
  login === undefined ? 'operator' : parseStance(login.being)

/** Of `@treeos/client-http`, which few commands load. */
export const httpClient = () => import('@treeos/client-http')

/** An answer of the API. Its schemas are made from the types that the record tells. */
export const toldAs = <Told>(answer: unknown): Told => answer as Told

const PAGE = 200

/** A list of the API to its end, or to so many. @param page asks for one page */
export async function listed<T>(
  page: (query: { readonly limit: number; readonly cursor?: string }) => Promise<HttpPage>,
  most = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const { pagesOf } = await httpClient()
  const items: T[] = []
  const limit = Math.min(PAGE, most)
  for await (const item of pagesOf((cursor) => page({ limit, ...(cursor === null ? {} : { cursor }) }))) {
    items.push(toldAs<T>(item))
    if (items.length >= most) break
  }
  return items
}

interface HttpPage {
  readonly data?: { readonly items: readonly unknown[]; readonly next: string | null }
  readonly error?: unknown
  readonly response: Response
}

/** The answer of one operation. @throws {Problem} its refusal */
export async function answered<Told>(asked: Promise<HttpAnswer>): Promise<Told> {
  const { answerOf } = await httpClient()
  return toldAs<Told>(answerOf(await asked))
}

interface HttpAnswer {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}
