import './inbox.css'
import {
  Group as InlineGroup,
  SegmentedControl,
  Select,
  Stack,
  TextInput,
  VisuallyHidden,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Answer, Empty, PageHead, plural, Quiet, Rows, Trouble } from '../parts/index.ts'
import { Bulk } from './Bulk.tsx'
import { EntryRow } from './EntryRow.tsx'
import { countsOf, GROUP_TITLES, GROUPS, type InboxGroup } from './groups.ts'
import { KeysHint } from './KeysHint.tsx'
import { OpenEntry } from './OpenEntry.tsx'
import { inboxCountsQuery } from './queries.ts'
import { useQueue } from './useQueue.ts'

/** All that waits for the person: what needs a decision, apart from answers and notices. */
export function Inbox() {
  const counts = useQuery({ ...inboxCountsQuery, refetchOnMount: 'always' })
  return (
    <Stack>
      <PageHead title="Inbox">
        <KeysHint />
      </PageHead>
      <Answer of={counts}>
        {(found) => <Queue counts={countsOf(found)} isCounted={counts.isFetchedAfterMount} />}
      </Answer>
    </Stack>
  )
}

interface QueueProps {
  readonly counts: Readonly<Record<InboxGroup, number>>
  /** they were asked for since the page was opened */
  readonly isCounted: boolean
}

function Queue({ counts, isCounted }: QueueProps) {
  const queue = useQueue(counts, isCounted)
  const { group, shown, list, open, chosen } = queue
  if (counts.needs + counts.answers + counts.notices === 0 && chosen === undefined)
    return (
      <Empty title="Nothing waits for you">Questions, answers and notices come here as they happen.</Empty>
    )
  return (
    <>
      <Tools {...queue} counts={counts} />
      <Trouble error={queue.refused} />
      {queue.hint === null ? null : <Quiet role="status">{queue.hint}</Quiet>}
      {group === 'needs' ? null : (
        <Bulk key={group} shown={shown} selected={queue.selected} onSelect={queue.select} />
      )}
      <div className="wide inbox" data-chosen={open !== null}>
        <Answer of={list}>{() => <List {...queue} />}</Answer>
        <SidePane key={open?.correlation ?? ''} isChosen={open !== null}>
          {open === null ? (
            <None isChosen={chosen !== undefined} isSought={queue.isSought} />
          ) : (
            <OpenEntry
              entry={open}
              isClosed={queue.isClosed}
              answerRef={queue.answer}
              onDone={queue.onDone}
              onDecided={queue.onDecided}
            />
          )}
        </SidePane>
      </div>
      {queue.isWhole ? null : (
        <Quiet>
          {queue.filter.isOldestFirst ? 'Newer' : 'Older'} ones wait too. They are not searched here, and come
          when some of these are closed.
        </Quiet>
      )}
      <VisuallyHidden role="status">
        {plural(counts.needs, 'entry needs you', 'entries need you')}
      </VisuallyHidden>
    </>
  )
}

type QueueFound = ReturnType<typeof useQueue>

function List({ shown, group, chosen, selected, select, isFiltered }: QueueFound) {
  if (shown.length === 0)
    return (
      <Empty title={isFiltered ? 'Nothing is found' : EMPTY_TITLES[group]}>
        {isFiltered ? 'Search for less, or for all senders.' : 'New ones come here as they happen.'}
      </Empty>
    )
  return (
    <Rows label={GROUP_TITLES[group]} items={shown} keyOf={({ correlation }) => correlation} height={66}>
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
  )
}

interface NoneProps extends Pick<QueueFound, 'isSought'> {
  /** the address names an entry */
  readonly isChosen: boolean
}

/** That no entry is open, and why. */
function None({ isChosen, isSought }: NoneProps) {
  const title = !isChosen
    ? 'Choose an entry'
    : isSought === true
      ? 'Looking for this entry …'
      : isSought === 'beyond'
        ? 'This entry is not among those that are shown'
        : 'This entry is closed, or not in your inbox'
  return <Empty title={title}>Its thread stands beside it. Then answer it, decide, or mark it as read.</Empty>
}

const EMPTY_TITLES: Readonly<Record<InboxGroup, string>> = {
  needs: 'Nothing needs you',
  answers: 'No answer waits to be read',
  notices: 'No notice waits to be read',
}

function toggled(selected: ReadonlySet<string>, one: string): ReadonlySet<string> {
  const next = new Set(selected)
  if (!next.delete(one)) next.add(one)
  return next
}

/** What is open stays in view while the list scrolls, and comes into view where it stands above the list. */
function SidePane({
  isChosen,
  children,
}: {
  readonly isChosen: boolean
  readonly children: React.ReactNode
}) {
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

interface ToolsProps extends Pick<QueueFound, 'group' | 'onGroup' | 'filter' | 'senders'> {
  readonly counts: Readonly<Record<InboxGroup, number>>
}

const Tools = ({ group, counts, onGroup, filter, senders }: ToolsProps) => (
  <InlineGroup gap="sm" align="flex-end">
    <SegmentedControl
      aria-label="Part of the inbox"
      value={group}
      onChange={(next) => onGroup(next as InboxGroup)}
      data={GROUPS.map((value) => ({ value, label: `${GROUP_TITLES[value]} ${counts[value]}` }))}
    />
    <TextInput
      aria-label="Search the inbox"
      placeholder="Search"
      value={filter.search}
      onChange={(event) => filter.setSearch(event.currentTarget.value)}
      flex="1 1 10rem"
      maw={280}
    />
    <Select
      aria-label="From whom"
      placeholder="From anyone"
      clearable
      searchable
      data={[...senders]}
      value={filter.from}
      onChange={filter.setFrom}
      w={170}
    />
    <Select
      aria-label="Order"
      allowDeselect={false}
      data={[
        { value: 'newest', label: 'Newest first' },
        { value: 'oldest', label: 'Oldest first' },
      ]}
      value={filter.isOldestFirst ? 'oldest' : 'newest'}
      onChange={(value) => filter.setOldestFirst(value === 'oldest')}
      w={140}
    />
  </InlineGroup>
)
