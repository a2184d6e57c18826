/** A count, with the separators of the language. */
export const numberText = (value: number): string =>
  value.toLocaleString(undefined, { maximumFractionDigits: 4 })
