import { Group as Line, SegmentedControl, Select, Stack, TextInput, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { inboxQuery } from '../api/queries.ts'
import { Answer, Empty, PageHead, plural, Quiet, Rows, Trouble } from '../parts/index.ts'
import { Bulk, useReading } from './Bulk.tsx'
import { EntryRow } from './EntryRow.tsx'
import type { Entry } from './entry.ts'
import { GROUP_TITLES, GROUPS, type Group, groupOf, nextTo, senderOf, wantedOf } from './groups.ts'
import { OpenEntry } from './OpenEntry.tsx'
import { tellEntry } from './tell.ts'
import { useInboxKeys } from './useInboxKeys.ts'

/** All that waits for the person: what needs a decision, apart from answers and notices. */
export function Inbox() {
  const inbox = useQuery(inboxQuery)
  return (
    <Stack>
      <PageHead title="Inbox">
        <span className="wide-only">
          Keys: <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>r</kbd> answer, <kbd>e</kbd> mark as read.
        </span>
      </PageHead>
      <Answer of={inbox}>
        {({ items, next }) =>
          items.length === 0 ? (
            <Empty title="Nothing waits for you">
              Questions, answers and notices come here as they happen.
            </Empty>
          ) : (
            <Queue entries={items} isMore={next !== null} />
          )
        }
      </Answer>
    </Stack>
  )
}

interface QueueProps {
  readonly entries: readonly Entry[]
  /** older ones are not shown */
  readonly isMore: boolean
}

function Queue({ entries, isMore }: QueueProps) {
  const navigate = useNavigate({ from: '/inbox' })
  const router = useRouter()
  const { entry: chosen, in: asked } = useSearch({ from: '/signed-in/inbox' })
  const open = entries.find(({ correlation }) => correlation === chosen) ?? null
  const counts = countsOf(entries)
  // What is open may turn into a notice, such as that of a being that is parked no more: the list stays.
  const group = asked ?? (open === null ? (GROUPS.find((one) => counts[one] > 0) ?? 'needs') : groupOf(open))
  const [search, setSearch] = useState('')
  const [from, setFrom] = useState<string | null>(null)
  const [isOldestFirst, setOldestFirst] = useState(false)
  const [selected, select] = useState<ReadonlySet<string>>(new Set())
  const shown = wantedOf(entries, { group, search, from, isOldestFirst }, tellEntry)
  const go = (entry: string | undefined, replace = true) =>
    void navigate({
      search: entry === undefined ? { in: group } : { entry, in: group },
      replace,
      resetScroll: false,
    })
  const step = (by: 1 | -1) => {
    // A key may come before what the last one chose is drawn.
    const { entry: latest } = router.latestLocation.search as { readonly entry?: string }
    const at = shown.findIndex(({ correlation }) => correlation === latest)
    const next = shown[at < 0 ? 0 : at + by]
    if (next !== undefined) go(next.correlation)
  }
  const reading = useReading()
  const [refused, setRefused] = useState<Error | null>(null)
  const answer = useRef<HTMLTextAreaElement>(null)
  const onDone = () => go(open === null ? undefined : nextTo(shown, open.correlation))
  useInboxKeys({
    onNext: () => step(1),
    onPrevious: () => step(-1),
    onReply: () => answer.current?.focus(),
    onClose: () => {
      if (open === null || groupOf(open) === 'needs') return
      setRefused(null)
      reading.mutateAsync([open.correlation]).catch(setRefused) // each one: several may be under way
      onDone()
    },
  })
  const senders = [...new Set(entries.filter((one) => groupOf(one) === group).map(senderOf))].sort()
  return (
    <>
      <Tools
        group={group}
        counts={counts}
        onGroup={(next) => {
          select(new Set())
          setFrom(null)
          void navigate({ search: { in: next } })
        }}
        search={search}
        onSearch={setSearch}
        senders={senders}
        from={from}
        onFrom={setFrom}
        isOldestFirst={isOldestFirst}
        onOrder={setOldestFirst}
      />
      <Trouble error={refused} />
      {group === 'needs' ? null : <Bulk shown={shown} selected={selected} onSelect={select} />}
      <div className="wide inbox" data-chosen={open !== null}>
        {shown.length === 0 ? (
          <Empty title={search === '' && from === null ? EMPTY[group] : 'Nothing is found'}>
            {search === '' && from === null
              ? 'New ones come here as they happen.'
              : 'Search for less, or for all senders.'}
          </Empty>
        ) : (
          <Rows
            label={GROUP_TITLES[group]}
            items={shown}
            keyOf={({ correlation }) => correlation}
            height={66}
          >
            {(entry) => (
              <EntryRow
                entry={entry}
                group={group}
                isChosen={entry.correlation === chosen}
                isSelected={selected.has(entry.correlation)}
                onSelect={group === 'needs' ? null : () => select(toggled(selected, entry.correlation))}
              />
            )}
          </Rows>
        )}
        <Beside key={open?.correlation ?? ''} isChosen={open !== null}>
          {open === null ? (
            <Empty title={chosen === undefined ? 'Choose an entry' : 'This entry is closed'}>
              Its thread stands beside it. Then answer it, decide, or mark it as read.
            </Empty>
          ) : (
            <OpenEntry entry={open} answerRef={answer} onDone={onDone} onDecided={() => go(undefined)} />
          )}
        </Beside>
      </div>
      {isMore ? <Quiet>Older ones wait too, and come when some of these are closed.</Quiet> : null}
      <VisuallyHidden role="status">
        {plural(counts.needs, 'entry needs you', 'entries need you')}
      </VisuallyHidden>
    </>
  )
}

const EMPTY: Readonly<Record<Group, string>> = {
  needs: 'Nothing needs you',
  answers: 'No answer waits to be read',
  notices: 'No notice waits to be read',
}

function toggled(selected: ReadonlySet<string>, one: string): ReadonlySet<string> {
  const next = new Set(selected)
  if (!next.delete(one)) next.add(one)
  return next
}

function countsOf(entries: readonly Entry[]): Readonly<Record<Group, number>> {
  const counts = { needs: 0, answers: 0, notices: 0 }
  for (const entry of entries) counts[groupOf(entry)] += 1
  return counts
}

/** What is open stays in view while the list scrolls, and comes into view where it stands above the list. */
function Beside({ isChosen, children }: { readonly isChosen: boolean; readonly children: React.ReactNode }) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const top = ref.current?.getBoundingClientRect().top ?? 0
    if (isChosen && (top < 0 || top > innerHeight / 2)) ref.current?.scrollIntoView({ block: 'start' })
  }, [isChosen])
  return (
    <div ref={ref} className="inbox-open">
      {children}
    </div>
  )
}

interface ToolsProps {
  readonly group: Group
  readonly counts: Readonly<Record<Group, number>>
  readonly onGroup: (group: Group) => void
  readonly search: string
  readonly onSearch: (text: string) => void
  readonly senders: readonly string[]
  readonly from: string | null
  readonly onFrom: (from: string | null) => void
  readonly isOldestFirst: boolean
  readonly onOrder: (isOldestFirst: boolean) => void
}

const Tools = (props: ToolsProps) => {
  const { group, counts, onGroup, search, onSearch, senders, from, onFrom, isOldestFirst, onOrder } = props
  return (
    <Line gap="sm" align="flex-end">
      <SegmentedControl
        aria-label="Part of the inbox"
        value={group}
        onChange={(next) => onGroup(next as Group)}
        data={GROUPS.map((value) => ({ value, label: `${GROUP_TITLES[value]} ${counts[value]}` }))}
      />
      <TextInput
        aria-label="Search the inbox"
        placeholder="Search"
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
        flex="1 1 10rem"
        maw={280}
      />
      <Select
        aria-label="From whom"
        placeholder="From anyone"
        clearable
        searchable
        data={[...senders]}
        value={from}
        onChange={onFrom}
        w={170}
      />
      <Select
        aria-label="Order"
        allowDeselect={false}
        data={[
          { value: 'newest', label: 'Newest first' },
          { value: 'oldest', label: 'Oldest first' },
        ]}
        value={isOldestFirst ? 'oldest' : 'newest'}
        onChange={(value) => onOrder(value === 'oldest')}
        w={140}
      />
    </Line>
  )
}
