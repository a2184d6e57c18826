/** What proxies say of a request: each a list, as they wrote it, with what the first of them reached first. */
export interface ForwardedHeaders {
  readonly for: string | undefined
  readonly host: string | undefined
  readonly proto: string | undefined
  readonly port: string | undefined
}

type Name = keyof ForwardedHeaders

/**
 * Reads `X-Forwarded-For`, `-Host`, `-Proto` and `-Port`. `Forwarded` (RFC 7239) is read where none of these
 * came: many proxies pass on a header that they do not set, and then whoever asks wrote it.
 * @param isByProxy whether the connection is one of a proxy that we know. Any other may say `X-Forwarded-Proto`
 *   alone, which only chooses the scheme of links
 */
export function readForwarded(
  headerOf: (name: string) => string | undefined,
  isByProxy: boolean,
): ForwardedHeaders {
  const old = (name: Name) => headerOf(`x-forwarded-${name}`)
  if (!isByProxy) return { for: undefined, host: undefined, proto: old('proto'), port: undefined }
  const said = { for: old('for'), host: old('host'), proto: old('proto'), port: old('port') }
  if (Object.values(said).some((value) => value !== undefined)) return said
  const hops = hopsOf(headerOf('forwarded') ?? '')
  const listOf = (name: Name) => {
    const values = hops.flatMap((hop) => hop.get(name) ?? [])
    return values.length === 0 ? undefined : values.join(',')
  }
  // A hop that does not say for whom it asks is somebody that we do not know.
  const asked = hops.length === 0 ? undefined : hops.map((hop) => hop.get('for') ?? 'unknown').join(',')
  return { for: asked, host: listOf('host'), proto: listOf('proto'), port: undefined }
}

/** One `name=value` of a hop, and whether a hop, another pair or the header ends after it. */
const PAIR = /\s*([!#$%&'*+.^_`|~\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~\w-]+))\s*(;|,|$)/y

/** @returns none for a header that is not as the RFC says: half of it could be read as another thing */
function hopsOf(header: string): ReadonlyMap<string, string>[] {
  const hops: Map<string, string>[] = []
  let hop = new Map<string, string>()
  const pair = new RegExp(PAIR)
  while (pair.lastIndex < header.length) {
    const [, name = '', quoted, token = '', end] = pair.exec(header) ?? []
    const value = quoted === undefined ? token : quoted.replace(/\\(.)/g, '$1')
    // A comma within quotes would be a hop of its own in the list.
    if (end === undefined || hop.has(name.toLowerCase()) || value.includes(',')) return []
    hop.set(name.toLowerCase(), value)
    if (end === ';') continue
    hops.push(hop)
    hop = new Map()
  }
  return hop.size === 0 ? hops : []
}
