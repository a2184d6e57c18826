import { LOCALE, t } from '../language/index.ts'

const TENTHS = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** A time in the unit that suits it: `40 ms`, `1.2 s`, `12 s`, `2 min 5 s`, `34 min`, `5 h`, `3 days`. */
export function durationOf(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = ms / 1000
  if (seconds < 9.95) return `${TENTHS.format(seconds)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 600) return `${Math.floor(whole / 60)} min${whole % 60 === 0 ? '' : ` ${whole % 60} s`}`
  if (whole < 5400) return `${Math.round(whole / 60)} min`
  const hours = Math.round(whole / 3600)
  return hours < 48 ? `${hours} h` : t('{{days}} days', { days: Math.round(hours / 24), context: 'unit' })
}
