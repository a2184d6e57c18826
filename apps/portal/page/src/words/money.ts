import { LOCALE } from '../language/index.ts'

const SHORT_AMOUNT = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 4 })
const SMALL = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 2 })

const isSmall = (value: number): boolean => value !== 0 && Math.abs(value) < 0.001

/** An amount, of which small ones do not show as 0. */
export const amountOf = (value: number): string => (isSmall(value) ? SMALL : SHORT_AMOUNT).format(value)

/**
 * An amount with its currency. Small ones do not show as 0.
 * @param currency by ISO 4217; null where it is not known
 */
export const moneyOf = (value: number, currency: string | null): string =>
  currency === null
    ? amountOf(value)
    : new Intl.NumberFormat(LOCALE, {
        style: 'currency',
        currency,
        ...(isSmall(value) ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 4 }),
      }).format(value)
