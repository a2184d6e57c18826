export type Scalar = null | boolean | number | string

/** A value to compare with, as it is typed: `true`, `7` and `null` are not text unless they are quoted. */
export function textOfValue(value: Scalar): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return valueOfText(value) === value ? value : JSON.stringify(value)
}

/** The value that a text stands for. Text that is not JSON of a single value stands for itself. */
export function valueOfText(text: string): Scalar {
  try {
    const value: unknown = JSON.parse(text)
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as Scalar
  } catch {
    return text
  }
  return text
}
