import type { Fact } from '@treeos/core'

/**
 * What lies in a place, from the facts on the place's own reel. Postgres answers the same from an index of
 * its rows; replay has only the reel.
 */
const CONTENTS = {
  'being:': { came: 'space:entered', went: 'space:left', field: 'being' },
  'matter:': { came: 'place:received', went: 'place:gave', field: 'matter' },
  'space:': { came: 'space:opened', went: null, field: 'path' }, // a space never leaves the space around it
} as const

/** Keys of what lies in a place after these facts of its reel, sorted. */
export function contentsAfter(facts: readonly Fact[], kind: keyof typeof CONTENTS): string[] {
  const { came, went, field } = CONTENTS[kind]
  const there = new Set<string>()
  for (const { header, payload } of facts) {
    const key = `${kind}${String(payload?.[field])}`
    if (header.kind === came) there.add(key)
    if (header.kind === went) there.delete(key)
  }
  return [...there].sort()
}

/** Keys of the beings that a being made, after these facts of its reel, sorted. */
export function childrenAfter(facts: readonly Fact[]): string[] {
  return facts
    .filter(({ header }) => header.kind === 'being:bore')
    .map(({ payload }) => `being:${String(payload?.being)}`)
    .sort()
}
