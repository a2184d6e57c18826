/** The arguments of a call, by the way each is shown. None is left out. */
export interface CallParts {
  /** numbers, which stand large: an amount is what one decides about */
  readonly amounts: readonly (readonly [name: string, amount: number])[]
  readonly lines: readonly (readonly [name: string, value: string])[]
  /** all else, as JSON; null for nothing */
  readonly rest: unknown
}

const LINE_CHARS_MAX = 200

export function partsOf(given: unknown): CallParts {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { amounts: [], lines: [], rest: given ?? null }
  const fields = Object.entries(given)
  const amounts = fields.filter((field): field is [string, number] => typeof field[1] === 'number')
  const lines = fields
    .filter(([, value]) => isLine(value))
    .map(([name, value]) => [name, String(value)] as const)
  const rest = fields.filter(([, value]) => typeof value !== 'number' && !isLine(value))
  return { amounts, lines, rest: rest.length === 0 ? null : Object.fromEntries(rest) }
}

const isLine = (value: unknown): boolean =>
  typeof value === 'boolean' || (typeof value === 'string' && value.length <= LINE_CHARS_MAX)

const inOrder = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(inOrder)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, one]) => [name, inOrder(one)]),
        )
      : value

/** How many calls that wait are the same as this one, which counts too. */
export const sameIn = (waiting: readonly { readonly call: unknown }[], call: unknown): number => {
  const same = JSON.stringify(inOrder(call))
  return waiting.filter((one) => JSON.stringify(inOrder(one.call)) === same).length
}
