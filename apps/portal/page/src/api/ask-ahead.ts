import { KINDS_OF } from '../inbox/kinds.ts'
import { tabHandle } from './tab.ts'

/** The header that brings our half of the session. */
export const KEY_HEADER = 'x-treeos-key'
/** The header that brings the secret of a tab that drives a being. */
export const TAB_HEADER = 'x-treeos-tab'

/** After this time an answer that no query took is dropped, since it is out of date. */
const ANSWER_KEPT_MS = 10_000

interface PrefetchedAnswer {
  readonly key: string
  readonly handle: string | null
  /** null: it was not asked for after all */
  readonly answer: Promise<Response | null>
}

const asked = new Map<string, PrefetchedAnswer>()

/**
 * Asks for what the page at an address shows first, while its code is still loaded. A query takes the answer
 * in place of a request of its own, if it would ask the same as the same being.
 */
export function askAhead({ pathname, search }: Pick<Location, 'pathname' | 'search'>, key: string): void {
  const handle = tabHandle()
  const headers = { [KEY_HEADER]: key, ...(handle === null ? {} : { [TAB_HEADER]: handle }) }
  const keep = (path: string, answer: Promise<Response | null>) => {
    answer.catch(() => undefined) // whoever takes it hears of it
    asked.set(path, { key, handle, answer })
  }
  const send = (path: string) => fetch(path, { headers, credentials: 'same-origin' })
  for (const path of firstOf(pathname, new URLSearchParams(search))) keep(path, send(path))
  const being = beingAt(pathname)
  const described = being === null ? undefined : asked.get(being)?.answer
  if (described !== undefined) {
    const past = `${being}/moments?limit=100`
    keep(
      past,
      isPastOpenIn(described).then((isOpen) => (isOpen ? send(past) : null)),
    )
  }
  setTimeout(() => asked.clear(), ANSWER_KEPT_MS)
}

/** Whoever may not read a past is not shown it, and asking for it would be refused. */
async function isPastOpenIn(described: Promise<Response | null>): Promise<boolean> {
  const answer = await described
  return answer?.ok === true && (await answer.clone().json()).isPastOpen === true
}

/** The answer to a request that was sent ahead, once; null where none was. */
export async function takeAhead(
  path: string,
  key: string | null,
  handle: string | null,
): Promise<Response | null> {
  const ahead = asked.get(path)
  asked.delete(path)
  return ahead !== undefined && ahead.key === key && ahead.handle === handle ? ahead.answer : null
}

/** The route that describes the being of a page; null for other pages. */
function beingAt(pathname: string): string | null {
  const [, page, name, ...deeper] = pathname.split('/')
  return page === 'beings' && name && deeper.length === 0 ? `${API}/beings/${name}` : null
}

/**
 * What a page asks first, as its queries write it. One that is missing here is asked for later, and one that
 * no query asks is asked for in vain: a browser test compares them.
 */
function firstOf(pathname: string, search: URLSearchParams): string[] {
  const [, page, name] = pathname.split('/')
  if (['welcome', 'answer', 'provider'].includes(page ?? '')) return []
  const shown = [`${OWN}/session`, `${API}/inbox/counts`]
  const encoded = (value: string) => new URLSearchParams({ path: value })
  if (page === 'world' && name === undefined) {
    const at = search.get('at')
    shown.push(`${API}/world`)
    if (at !== null) shown.push(`${API}/space?${encoded(at)}`, `${API}/map?${encoded(at)}`)
  }
  const being = beingAt(pathname)
  if (being !== null) shown.push(being, `${API}/threads?all=true&alone=true&limit=10&with=${name}`)
  if (page === 'threads' && name)
    shown.push(`${API}/threads/${name}`, `${API}/threads/${name}/moments?limit=200`)
  if (page === '' || (page === 'inbox' && ['needs', null].includes(search.get('in'))))
    for (const kind of KINDS_OF.needs) shown.push(`${API}/inbox?kind=${kind}&limit=200&order=newest`)
  return shown
}

const OWN = '/api'
const API = `${OWN}/v1`
