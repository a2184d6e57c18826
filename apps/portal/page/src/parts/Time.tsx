const SHORT_TIME = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const SECONDS = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' })
export const LONG_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })

/** A time in the zone of the browser; the whole of it, with the zone, shows on hover. */
export function Time({ iso, seconds = false }: { readonly iso: string; readonly seconds?: boolean }) {
  const at = new Date(iso)
  const short = seconds ? SECONDS : SHORT_TIME
  const isToday = at.toDateString() === new Date().toDateString()
  return (
    <time dateTime={iso} title={LONG_TIME.format(at)} className="quiet">
      {isToday ? short.format(at) : `${DAY.format(at)}, ${short.format(at)}`}
    </time>
  )
}
