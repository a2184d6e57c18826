import { t } from '../language/index.ts'
import './inbox.css'
import { Group, Stack, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Answer, Empty, Inert, PageHead, Quiet, Rows, SmallButton } from '../parts/index.ts'
import { Bulk } from './Bulk.tsx'
import { timesOf, whoIn } from './cases.ts'
import { EntryRow } from './EntryRow.tsx'
import type { InboxEntry } from './entry.ts'
import { countsOf, GROUP_TITLES } from './groups.ts'
import { InboxTools } from './InboxTools.tsx'
import { KeysHint } from './KeysHint.tsx'
import type { InboxGroup } from './kinds.ts'
import { OpenEntry } from './OpenEntry.tsx'
import { inboxCountsQuery } from './queries.ts'
import { useQueue } from './useQueue.ts'

/** All that waits for the person: what needs a decision, apart from answers and notices. */
export function Inbox() {
  const counts = useQuery({ ...inboxCountsQuery, refetchOnMount: 'always' })
  return (
    <Stack>
      <PageHead title={t('Inbox')}>
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
      <>
        <Told {...queue} />
        <Empty title={t('Nothing waits for you')}>
          {t('Questions, answers and notices come here as they happen.')}
        </Empty>
      </>
    )
  return (
    <>
      <InboxTools {...queue} counts={counts} />
      <Told {...queue} />
      {group === 'needs' ? null : (
        <Bulk key={group} shown={shown} selected={queue.selected} onSelect={queue.select} />
      )}
      <div className="wide inbox" data-chosen={open !== null}>
        <Answer of={list}>{() => <List {...queue} />}</Answer>
        <SidePane key={open?.correlation ?? ''} isChosen={open !== null}>
          {open === null || queue.ofOpen === null ? (
            <None isChosen={chosen !== undefined} isSought={queue.isSought} />
          ) : (
            <OpenEntry
              entry={open}
              of={queue.ofOpen}
              isClosed={queue.isClosed}
              answerRef={queue.answer}
              onDone={queue.onDone}
              onDecided={queue.onDecided}
              onAnswered={queue.onAnswered}
            />
          )}
        </SidePane>
      </div>
      {queue.isWhole ? null : (
        <Quiet>
          {queue.filter.isOldestFirst
            ? t('Newer ones wait too. They are not searched here, and come when some of these are closed.')
            : t('Older ones wait too. They are not searched here, and come when some of these are closed.')}
        </Quiet>
      )}
      <VisuallyHidden role="status">
        {t('{{count}} entries need you', { count: counts.needs })}
      </VisuallyHidden>
    </>
  )
}

type QueueFound = ReturnType<typeof useQueue>

/** A line that says what was done last, with a button that undoes it while that is possible, or why a key did nothing. */
const Told = ({ hint, undo }: Pick<QueueFound, 'hint' | 'undo'>) =>
  hint === null ? null : (
    <Group gap="sm">
      <Quiet role="status">
        <Inert text={hint} />
      </Quiet>
      {undo === null ? null : <SmallButton onClick={undo}>{t('Undo')}</SmallButton>}
    </Group>
  )

function List({ cases, ofOpen, group, chosen, selected, select, isFiltered }: QueueFound) {
  if (cases.length === 0)
    return (
      <Empty title={isFiltered ? t('Nothing is found') : EMPTY_TITLES[group]}>
        {isFiltered ? t('Search for less, or clear the filters.') : t('New ones come here as they happen.')}
      </Empty>
    )
  return (
    <Rows label={GROUP_TITLES[group]} items={cases} keyOf={({ head }) => head.correlation} height={66}>
      {(one) => (
        <EntryRow
          entry={one.head}
          who={whoIn(one)}
          times={timesOf(one)}
          group={group}
          isChosen={one.head.correlation === (ofOpen?.head.correlation ?? chosen)}
          isSelected={one.entries.every(({ correlation }) => selected.has(correlation))}
          onSelect={group === 'needs' ? null : () => select(toggled(selected, one.entries))}
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
    ? t('Choose an entry')
    : isSought === true
      ? t('Looking for this entry …')
      : isSought === 'beyond'
        ? t('This entry is not among those that are shown')
        : t('This entry is closed, or not in your inbox')
  return (
    <Empty title={title}>
      {t('Its thread stands beside it. Then answer it, decide, or mark it as read.')}
    </Empty>
  )
}

const EMPTY_TITLES: Readonly<Record<InboxGroup, string>> = {
  needs: t('Nothing needs you'),
  answers: t('No answer waits to be read'),
  notices: t('No notice waits to be read'),
}

function toggled(selected: ReadonlySet<string>, entries: readonly InboxEntry[]): ReadonlySet<string> {
  const some = entries.map(({ correlation }) => correlation)
  if (!some.every((one) => selected.has(one))) return new Set([...selected, ...some])
  return new Set([...selected].filter((one) => !some.includes(one)))
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
