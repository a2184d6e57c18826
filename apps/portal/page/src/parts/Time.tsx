import { CLOCK, CLOCK_SECONDS, clockOf, WHOLE_TIME } from '../text/clock.ts'

/** A time in the zone of the browser; the whole of it, with the zone, shows on hover. */
export function Time({ iso, seconds = false }: { readonly iso: string; readonly seconds?: boolean }) {
  const at = new Date(iso)
  return (
    <time dateTime={iso} title={WHOLE_TIME.format(at)} className="quiet">
      {clockOf(at, seconds ? CLOCK_SECONDS : CLOCK)}
    </time>
  )
}
