import type { StripMark } from './queries.ts'

/** Moments of one being after each other that read the same in words. */
export interface Run {
  /** the newest of them */
  readonly mark: StripMark
  readonly count: number
}

/** @param strip oldest first. @returns the newest first, so that fifty births are a line and not fifty */
export function runsOf(strip: readonly StripMark[], limit: number): Run[] {
  const runs: Run[] = []
  for (const mark of strip.toReversed()) {
    const last = runs.at(-1)
    if (last !== undefined && sayingOf(last.mark) === sayingOf(mark))
      runs[runs.length - 1] = { ...last, count: last.count + 1 }
    else if (runs.length === limit) return runs
    else runs.push({ mark, count: 1 })
  }
  return runs
}

const sayingOf = ({ being, outcome, reason, role }: StripMark): string =>
  JSON.stringify([being, outcome, reason, role])
