import { quote } from '@treeos/core'
import { UsageError } from './failure.ts'

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const AGO = /^(\d{1,6})([mhd])$/
/** A day, or a time of it; without a zone it is that of this machine. */
const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/

/** A time that an option names, in milliseconds. @throws {UsageError} */
export const instantOf =
  (name: string, now: () => number = Date.now) =>
  (text: string): number => {
    const [, count, unit] = AGO.exec(text) ?? []
    if (count !== undefined) return now() - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
    // a day alone would be read as one of UTC
    const at = ISO.test(text) ? Date.parse(text.includes('T') ? text : `${text}T00:00`) : Number.NaN
    if (!Number.isNaN(at)) return at
    throw new UsageError(
      `${name} is ${quote(text)}; it takes a day or a time, as in 2026-05-03 or 2026-05-03T09:30Z, or a span back: 90m, 24h, 7d`,
    )
  }
