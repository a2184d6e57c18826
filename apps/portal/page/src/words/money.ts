/** Which money it is: no record says it, the price list does. */
export const WHICH_MONEY =
  'Money is in the currency of the price list: US dollars, unless TREEOS_PRICES names a list of another.'

const SHORT_AMOUNT = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 })
const SMALL = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2 })

/** An amount, of which small ones do not show as 0. */
export const amountOf = (value: number): string =>
  (value !== 0 && Math.abs(value) < 0.001 ? SMALL : SHORT_AMOUNT).format(value)
