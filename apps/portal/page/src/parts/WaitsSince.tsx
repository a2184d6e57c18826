import { useInterval } from '@mantine/hooks'
import { useState } from 'react'
import { t } from '../language/index.ts'
import { WHOLE_TIME } from '../text/clock.ts'
import { durationOf } from '../words/duration.ts'

const ANEW_MS = 10_000
/** Nobody reads tenths of a second here. */
const waitText = (ms: number): string =>
  ms < 60_000 ? `${Math.max(1, Math.round(ms / 1000))} s` : durationOf(ms)

/** How long somebody waits; since when shows on hover. */
export function WaitsSince({ iso }: { readonly iso: string }) {
  const [now, setNow] = useState(Date.now)
  useInterval(() => setNow(Date.now()), ANEW_MS, { autoInvoke: true })
  const at = new Date(iso)
  return (
    <time dateTime={iso} title={WHOLE_TIME.format(at)} className="quiet">
      {t('waits {{wait}}', { wait: waitText(now - at.getTime()) })}
    </time>
  )
}
