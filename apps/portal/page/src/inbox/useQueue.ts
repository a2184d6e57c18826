import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useReading } from './Bulk.tsx'
import type { Entry } from './entry.ts'
import { GROUPS, type Group, groupOf, nextTo, senderOf, wantedOf } from './groups.ts'
import { useInbox } from './queries.ts'
import { tellEntry } from './tell-entry.ts'
import { useInboxKeys } from './useInboxKeys.ts'

/** What is shown of a part of the inbox, which entry of it is open, and how one goes through it. */
export function useQueue(counts: Readonly<Record<Group, number>>) {
  const { chosen, group, choose, goTo, latest } = usePlace(counts)
  const list = useInbox(group)
  const { open, isSought } = useOpen(group, chosen)
  const [search, setSearch] = useState('')
  const [from, setFrom] = useState<string | null>(null)
  const [isOldestFirst, setOldestFirst] = useState(false)
  const [selected, select] = useState<ReadonlySet<string>>(new Set())
  const [refused, setRefused] = useState<Error | null>(null)
  const [hint, setHint] = useState<string | null>(null)
  const answer = useRef<HTMLTextAreaElement>(null)
  const reading = useReading()
  const entries: readonly Entry[] = list.data?.items ?? []
  const shown = wantedOf(entries, { search, from, isOldestFirst }, tellEntry)
  const step = (by: 1 | -1) => {
    setHint(null)
    const at = shown.findIndex(({ correlation }) => correlation === latest())
    const next = shown[at < 0 ? 0 : at + by]
    if (next !== undefined) choose(next.correlation)
  }
  const onDone = () => choose(open === null ? undefined : nextTo(shown, open.correlation))
  const markRead = () => {
    setRefused(null)
    if (open === null) return setHint('Choose an entry first, by j or k.')
    if (groupOf(open) === 'needs')
      return setHint('This entry needs a decision, so e does not close it: answer it, decide, or dismiss it.')
    reading.mutateAsync([open.correlation]).catch(setRefused) // each one: several may be under way
    onDone()
  }
  useInboxKeys({
    onNext: () => step(1),
    onPrevious: () => step(-1),
    onReply: () => answer.current?.focus(),
    onClose: markRead,
  })
  return {
    list,
    group,
    shown,
    isWhole: list.data?.isWhole ?? true,
    /** the correlation that the address names */
    chosen,
    open,
    isSought,
    selected,
    select,
    filter: { search, setSearch, from, setFrom, isOldestFirst, setOldestFirst },
    senders: [...new Set(entries.map(senderOf))].sort(),
    isFiltered: search !== '' || from !== null,
    refused,
    hint,
    answer,
    onDone,
    onDecided: () => choose(undefined),
    onGroup(next: Group) {
      select(new Set())
      setFrom(null)
      setHint(null)
      goTo(next)
    },
  }
}

/** The part and the entry that the address names. */
function usePlace(counts: Readonly<Record<Group, number>>) {
  const navigate = useNavigate({ from: '/inbox' })
  const router = useRouter()
  const { entry: chosen, in: asked } = useSearch({ from: '/signed-in/inbox' })
  const group = asked ?? GROUPS.find((one) => counts[one] > 0) ?? 'needs'
  return {
    chosen,
    group,
    choose: (entry: string | undefined) =>
      void navigate({
        search: entry === undefined ? { in: group } : { entry, in: group },
        replace: true,
        resetScroll: false,
      }),
    goTo: (next: Group) => void navigate({ search: { in: next } }),
    /** A key may come before what the last one chose is drawn. */
    latest: () => (router.latestLocation.search as { readonly entry?: string }).entry,
  }
}

/**
 * The entry that the address names. It is looked for in the other parts where its own does not hold it: what needed a decision may need
 * none any more.
 * @returns `isSought`: `true` while it is looked for, `'beyond'` where it may be among what no list shows
 */
function useOpen(group: Group, chosen: string | undefined) {
  const own = useInbox(group)
  const isHere = own.data === undefined || own.data.items.some(({ correlation }) => correlation === chosen)
  const isElsewhere = chosen !== undefined && !isHere
  const lists = [
    useInbox('needs', isElsewhere),
    useInbox('answers', isElsewhere),
    useInbox('notices', isElsewhere),
  ]
  const open =
    lists.flatMap(({ data }) => data?.items ?? []).find(({ correlation }) => correlation === chosen) ?? null
  const isSought: boolean | 'beyond' =
    own.data === undefined || (isElsewhere && lists.some(({ isFetching }) => isFetching))
      ? true
      : lists.some(({ data }) => data?.isWhole !== true) && 'beyond'
  return { open, isSought }
}
