const SHORT = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const LONG = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })

/** A time in the zone of the browser; the whole of it, with the zone, shows on hover. */
export function Time({ iso }: { readonly iso: string }) {
  const at = new Date(iso)
  const isToday = at.toDateString() === new Date().toDateString()
  return (
    <time dateTime={iso} title={LONG.format(at)} className="quiet">
      {isToday ? SHORT.format(at) : `${DAY.format(at)}, ${SHORT.format(at)}`}
    </time>
  )
}
