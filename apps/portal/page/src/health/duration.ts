/** A time in the unit that suits it: `40 ms`, `12 s`, `3 min`, `5 h`. */
export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(1000 * seconds)} ms`
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600)} h`
}
