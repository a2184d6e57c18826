/** Compares no longer texts: each pair costs their product. */
const LENGTH_MAX = 64

/**
 * The name that was probably meant: the one with the fewest letters added, removed, replaced or swapped with
 * their neighbour. A few lines and no library, since this package has none and runs in the workflow sandbox
 * too.
 * @returns null where none is near: at most a quarter of its letters differ, and one of three
 */
export function nearestName(written: string, names: Iterable<string>): string | null {
  let best: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const name of names) {
    if (written.length > LENGTH_MAX || name.length > LENGTH_MAX) continue
    const edits = editsBetween(written.toLowerCase(), name.toLowerCase())
    const longest = Math.max(written.length, name.length)
    const most = Math.max(Math.floor(longest / 4), longest < 3 ? 0 : 1)
    if (edits > most || edits > least || (edits === least && best !== null && best < name)) continue
    best = name
    least = edits
  }
  return best
}

/** ` Did you mean …?` where a name is near, to put behind a refusal. */
export function didYouMean(written: string, names: Iterable<string>): string {
  const name = nearestName(written, names)
  return name === null ? '' : `. Did you mean ${name}?`
}

function editsBetween(a: string, b: string): number {
  let older: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let edits = Math.min(at(above, j) + 1, at(row, j - 1) + 1, at(above, j - 1) + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, at(older, j - 2) + 1)
      row.push(edits)
    }
    older = above
    above = row
  }
  return at(above, b.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? 0
