import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { InboxKind } from '@treeos/client'
import { useEffect, useRef } from 'react'
import { t } from '../language/index.ts'
import { groupOf } from './kinds.ts'
import { inboxCountsQuery } from './queries.ts'
import { KIND_LABELS } from './sender.ts'

/** Kinds of entries that this browser notifies of. */
export const useNotifiedKinds = () =>
  useLocalStorage<readonly InboxKind[]>({ key: 'treeos-notified', defaultValue: [] })

/** Some browsers have none, as on phones. */
export const hasNotifications = 'Notification' in globalThis

/**
 * Tells by a notification of the browser what came while the page was out of sight, without its words: they
 * would stand on a locked screen.
 */
export function useNotifications(): void {
  const [kinds] = useNotifiedKinds()
  const { data } = useQuery({ ...inboxCountsQuery, refetchIntervalInBackground: kinds.length > 0 })
  const navigate = useNavigate()
  const known = useRef<Readonly<Record<InboxKind, number>> | null>(null)
  useEffect(() => {
    if (data === undefined) return
    const before = known.current
    known.current = data.open
    if (before === null || !document.hidden || !hasNotifications || Notification.permission !== 'granted')
      return
    for (const kind of kinds.filter((one) => data.open[one] > before[one])) {
      // Of the same tag only the last one is shown, whichever tab of the page it is from.
      const body = t('{{kind}}: {{open}} in your inbox', {
        kind: KIND_LABELS[kind],
        open: data.open[kind],
      })
      new Notification('TreeOS', { body, tag: `treeos-${kind}` }).onclick = () => {
        globalThis.focus()
        void navigate({ to: '/inbox', search: { in: groupOf({ kind }) } })
      }
    }
  }, [data, kinds, navigate])
}
