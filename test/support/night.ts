/** The check of each day has minutes: it does part of what `TREEOS_NIGHTLY=1` does. */
export const IS_NIGHT = process.env.TREEOS_NIGHTLY === '1'
