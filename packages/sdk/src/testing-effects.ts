import { canonicalJson, type Json, type JsonObject, TreeosError } from '@treeos/core'
import {
  type BeingRow,
  buildRegistry,
  type Effect,
  type EffectAttempt,
  type Extension,
  memoryRows,
  type OutsideFetch,
  type OutsideRequest,
  seed,
  WorldReader,
} from '@treeos/world'

/** What an outside server answers in a test. */
export interface FakeAnswer {
  /** default 200 */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** text, or a value that is sent as JSON; nothing when left out */
  readonly body?: Json
}

export interface FakeRequest extends OutsideRequest {
  readonly url: string
  readonly method: string
}

/** A `fetch` for effects that reaches nothing. */
export type FakeFetch = OutsideFetch & {
  /** what was asked, in order */
  readonly requests: readonly FakeRequest[]
}

/**
 * A `fetch` that answers by a function of the request. An error that it throws is a connection that failed.
 * It refuses what the real one refuses of any address: URLs that are not http(s). Which addresses are private
 * it does not judge.
 * @example
 * const fetch = fakeFetch(({ url }) => ({ status: url.endsWith('/oslo') ? 200 : 404, body: { degrees: -3 } }))
 */
export function fakeFetch(answer: (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>): FakeFetch {
  const requests: FakeRequest[] = []
  const fetch: OutsideFetch = async (address, request = {}) => {
    const url = URL.parse(String(address))
    if (url === null || !['http:', 'https:'].includes(url.protocol))
      throw new TreeosError('INVALID_INPUT', 'an effect fetches http(s) URLs only')
    const asked = { method: 'GET', ...request, url: url.href }
    requests.push(asked)
    const { status = 200, headers = {}, body = '' } = await answer(asked)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    return {
      status,
      ok: status >= 200 && status < 300,
      header: (name) => named.get(name.toLowerCase()) ?? null,
      text: () => text,
      json: () => JSON.parse(text),
    }
  }
  return Object.assign(fetch, { requests })
}

/** The input of {@link performEffect}. */
export interface EffectInputs
  extends Partial<Pick<EffectAttempt, 'key' | 'fetch' | 'run' | 'ask' | 'keep' | 'secrets' | 'signal'>> {
  readonly actor: BeingRow
  /** stance, path or address of the target; the actor itself when left out */
  readonly target?: string
  readonly args?: JsonObject
  /** what it reads before the effect runs, as `worldOf` makes it; an empty world when left out */
  readonly world?: WorldReader
}

/**
 * Runs the effect of an operation once, as one attempt of a worker does: it is admitted first, and its result
 * is JSON. What it needs of the outside the test gives, such as {@link fakeFetch}; nothing is reached.
 * @returns what `decide` gets as `effect`
 * @throws what the effect throws: a worker fails the moment by a TreeosError, and tries again after any other
 *   error
 * @example
 * const effect = await performEffect(weather, 'weather:look', { actor: ada, args: { city: 'oslo' }, fetch })
 */
export async function performEffect(
  extension: Extension,
  name: string,
  { actor, target = `@${actor.name}`, args = {}, world, ...given }: EffectInputs,
): Promise<Json> {
  const effect: Effect | undefined = buildRegistry([seed, extension]).operations.get(name)?.effect
  if (effect === undefined) throw new Error(`the extension has no operation ${name} with an effect`)
  await effect.admit(args, world ?? new WorldReader(memoryRows(new Map())))
  const value = await effect.perform({
    actor: actor.name,
    target,
    args,
    key: 'a-test',
    moment: `${actor.name}/1/1`,
    wake: 'a-test',
    thread: 'a-test',
    signal: new AbortController().signal,
    secrets: {},
    fetch: () => notGiven('fetch'),
    run: () => notGiven('run'),
    ask: () => notGiven('ask'),
    keep: () => notGiven('keep'),
    ...given,
  })
  canonicalJson(value) // throws for what is not JSON
  return value
}

function notGiven(what: string): never {
  throw new Error(`this effect uses \`${what}\`: give it to performEffect`)
}
