const collator = new Intl.Collator('en', { numeric: true })

/** Orders names as people count: `clerk-2` stands before `clerk-10`. */
export const byName = (a: string, b: string): number => collator.compare(a, b)
