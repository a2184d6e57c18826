/** As many digits as a number in a name has at most, for its order. */
const DIGITS = 16

/** A text whose order by its letters is the order of names: each number is as long as all others. */
const ranked = (name: string): string =>
  name.toLowerCase().replaceAll(/0*(\d+)/g, (_, digits: string) => digits.padStart(DIGITS, '0'))

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Orders names as people count: `clerk-2` stands before `clerk-10`. */
export const byName = (a: string, b: string): number =>
  compareTexts(ranked(a), ranked(b)) || compareTexts(a, b)

/** The same of many things, of which there may be thousands: each name is looked at once. */
export const inNameOrder = <T>(items: Iterable<T>, nameOf: (item: T) => string): T[] =>
  [...items]
    .map((item) => ({ item, name: nameOf(item), rank: ranked(nameOf(item)) }))
    .sort((a, b) => compareTexts(a.rank, b.rank) || compareTexts(a.name, b.name))
    .map(({ item }) => item)

/** The same of paths, each followed by those inside it. */
export const inPathOrder = <T>(items: Iterable<T>, pathOf: (item: T) => string): T[] =>
  inNameOrder(items, (item) => pathOf(item).replaceAll('/', '\0'))
