/** What a client has to accept: the answer to a POST may be either, and a GET opens a stream. */
const JSON_TYPE = 'application/json'
const STREAM_TYPE = 'text/event-stream'

/**
 * The header `Accept` written out for the library, which looks for the two types by their names alone: ranges
 * such as `*\/*` and capitals name them too, and without the header all is accepted. What accepts less stays
 * as it is, and is refused.
 */
export function writtenOut(accept: string | undefined, method: string | undefined): string | undefined {
  const ranges = (accept ?? '*/*').split(',').map((range) => rangeOf(range))
  const accepts = (type: string) =>
    ranges.some(
      ({ name, q }) => q > 0 && (name === type || name === '*/*' || name === `${type.split('/')[0]}/*`),
    )
  const wanted = method === 'GET' ? [STREAM_TYPE] : [JSON_TYPE, STREAM_TYPE]
  return wanted.every(accepts) ? wanted.join(', ') : accept
}

function rangeOf(range: string): { readonly name: string; readonly q: number } {
  const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return { name, q: q === undefined ? 1 : Number(q) }
}
