import { LOCALE } from '../language/index.ts'

/** A count, with the separators of the language. */
export const numberText = (value: number): string =>
  value.toLocaleString(LOCALE, { maximumFractionDigits: 4 })
