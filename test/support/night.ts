/** The check of each day has minutes: it does part of what `TREEOS_NIGHTLY=1` does. */
export const IS_NIGHT = process.env.TREEOS_NIGHTLY === '1'

/** By day one of three, from the first one on, of what tries one thing in many ways. */
export const drawn = <T>(all: readonly T[]): readonly T[] => all.filter((_, at) => IS_NIGHT || at % 3 === 0)
