import { Badge, Checkbox, Group as InlineGroup, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { memo, useEffect, useRef } from 'react'
import { Trans, t } from '../language/index.ts'
import { Inert, Quiet, Time, WaitsSince } from '../parts/index.ts'
import type { InboxEntry } from './entry.ts'
import type { InboxGroup } from './kinds.ts'
import { KIND_LABELS } from './sender.ts'
import { spaceOf } from './space-of.ts'
import { tellEntry } from './tell-entry.ts'

interface EntryRowProps {
  readonly entry: InboxEntry
  /** who it is from, or tells of, with all that it is looked at with */
  readonly who: string
  /** how often that happened */
  readonly times: number
  readonly group: InboxGroup
  readonly isChosen: boolean
  readonly isSelected: boolean
  /** null where nothing is selected */
  readonly onSelect: (() => void) | null
}

const ENTRY_COLORS: Readonly<Partial<Record<InboxEntry['kind'], string>>> = {
  question: 'leaf',
  'asks-back': 'leaf',
  approval: 'blue',
  budget: 'orange',
}

/** Where the entry that is open stands beside the list, and not above it. */
const IS_WIDE = '(min-width: 62em)'

/**
 * One entry of the list, with its address. Opening another entry changes two rows, so only those are drawn
 * again.
 */
export const EntryRow = memo(function EntryRow({
  entry,
  who,
  times,
  group,
  isChosen,
  isSelected,
  onSelect,
}: EntryRowProps) {
  const ref = useRef<HTMLDivElement>(null)
  const space = spaceOf(entry)
  // A key may choose one beyond the edge of the window. Beside a small window's list stands nothing that
  // could be scrolled away.
  useEffect(() => {
    if (isChosen && window.matchMedia(IS_WIDE).matches) ref.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    <div ref={ref} className="entry" data-chosen={isChosen}>
      {onSelect === null ? null : (
        <Checkbox
          aria-label={t('Select {{kind}} of {{who}}', { kind: KIND_LABELS[entry.kind], who })}
          checked={isSelected}
          onChange={onSelect}
          className="entry-check"
        />
      )}
      <Link
        from="/inbox"
        to="/inbox"
        search={(shown) => ({ ...shown, entry: entry.correlation, in: group })}
        resetScroll={false}
        className="row"
        data-chosen={isChosen}
        aria-current={isChosen ? 'true' : undefined}
      >
        <InlineGroup justify="space-between" wrap="nowrap" gap="xs">
          <InlineGroup gap={6} wrap="nowrap" miw={0}>
            <Text size="sm" fw={600} truncate>
              <Inert text={who} />
            </Text>
            <Badge size="sm" color={ENTRY_COLORS[entry.kind] ?? 'gray'}>
              {KIND_LABELS[entry.kind]}
              {times === 1 ? '' : ` × ${times}`}
            </Badge>
            {entry.outside === true ? (
              <Badge size="sm" color="orange">
                {t('from outside')}
              </Badge>
            ) : null}
            {space === null ? null : (
              <Quiet size="xs" truncate>
                <Trans text="in <space/>" parts={{ space: <Inert text={space} /> }} />
              </Quiet>
            )}
          </InlineGroup>
          <Text size="xs">
            {group === 'needs' ? <WaitsSince iso={entry.at} /> : <Time iso={entry.latest ?? entry.at} />}
          </Text>
        </InlineGroup>
        <Quiet lineClamp={2} component="div">
          <Inert text={tellEntry(entry)} />
        </Quiet>
      </Link>
    </div>
  )
})
