/** A percentile by nearest rank. @param share 0 to 1 */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) return Number.NaN
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length === 0) return Number.NaN
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** Rounds to the number of significant digits that these measurements support. */
export const round = (value: number, digits = 3): number =>
  Number.isFinite(value) && value !== 0 ? Number(value.toPrecision(digits)) : value

export const spread = (values: readonly number[]) => ({
  p50: round(percentile(values, 0.5)),
  p95: round(percentile(values, 0.95)),
})
