import { Group, Text } from '@mantine/core'
import { useState } from 'react'
import { marked, useReading } from '../api/useReading.ts'
import { t } from '../language/index.ts'
import { Quiet, SmallButton, Trouble, useSettled } from '../parts/index.ts'
import type { InboxEntry } from './entry.ts'
import { useHeldBack } from './held-back.ts'

interface BulkProps {
  /** the entries of a list in which nothing needs a decision */
  readonly shown: readonly InboxEntry[]
  readonly selected: ReadonlySet<string>
  readonly onSelect: (selected: ReadonlySet<string>) => void
}

/** More than a person has just seen are marked after a second press, elsewhere. */
const SEEN_MAX = 20

/**
 * What is done with many entries at once: they are marked as read, those that were selected or all that are
 * shown.
 */
export function Bulk({ shown, selected, onSelect }: BulkProps) {
  const [told, tell] = useState<string | null>(null)
  const [asked, ask] = useState<readonly string[] | null>(null)
  const reading = useReading(({ closed }) => {
    onSelect(new Set())
    tell(`${marked(closed)}.`)
  })
  const { held, hold, undo } = useHeldBack((entries: readonly string[]) => reading.mutate(entries))
  const chosen = shown.filter(({ correlation }) => selected.has(correlation))
  const mark = (entries: readonly string[]) => {
    tell(null)
    if (entries.length > SEEN_MAX) ask(entries)
    else hold(entries)
  }
  if (held !== null) return <Undoable count={held.length} onUndo={undo} />
  if (shown.length === 0 && told === null) return null
  return (
    <Group gap="sm">
      {shown.length === 0 ? null : asked !== null ? (
        <Sure
          count={asked.length}
          onNo={() => ask(null)}
          onYes={() => {
            ask(null)
            hold(asked)
          }}
        />
      ) : (
        <>
          <Mark
            label={(n) => t('Mark all {{n}} as read', { n })}
            of={shown}
            isPending={reading.isPending}
            onMark={mark}
          />
          {chosen.length === 0 ? (
            <Quiet>{t('or select some')}</Quiet>
          ) : (
            <>
              <Mark
                label={(n) => t('Mark selected {{n}} as read', { n })}
                of={chosen}
                isPending={reading.isPending}
                onMark={mark}
              />
              <SmallButton variant="subtle" onClick={() => onSelect(new Set())}>
                {t('Select none')}
              </SmallButton>
            </>
          )}
        </>
      )}
      {told === null ? null : (
        <Text size="sm" role="status">
          {told}
        </Text>
      )}
      <Trouble error={reading.error} />
    </Group>
  )
}

/** What is about to be done, with the way back. */
const Undoable = ({ count, onUndo }: { readonly count: number; readonly onUndo: () => void }) => (
  <Group gap="sm">
    <Text size="sm" role="status">
      {t('{{count}} entries go out of the inbox as read.', { count })}
    </Text>
    <SmallButton onClick={onUndo}>{t('Undo')}</SmallButton>
  </Group>
)

interface MarkProps {
  /** @param n how many */
  readonly label: (n: number) => string
  readonly of: readonly InboxEntry[]
  readonly isPending: boolean
  readonly onMark: (entries: readonly string[]) => void
}

/**
 * What arrives while the pointer or the focus is on the button is not taken with the others: nobody has seen
 * it.
 */
function Mark({ label, of, isPending, onMark }: MarkProps) {
  const [held, hold] = useState<readonly InboxEntry[] | null>(null)
  const taken = held ?? of
  const letGo = () => hold(null)
  return (
    <SmallButton
      loading={isPending}
      onPointerEnter={() => hold(of)}
      onFocus={() => hold(of)}
      onPointerLeave={letGo}
      onBlur={letGo}
      onClick={() => {
        letGo()
        onMark(taken.map(({ correlation }) => correlation))
      }}
    >
      {label(taken.length)}
    </SmallButton>
  )
}

interface SureProps {
  readonly count: number
  readonly onYes: () => void
  readonly onNo: () => void
}

/** The yes stands where no button stood, and takes no press before it was seen. */
function Sure({ count, onYes, onNo }: SureProps) {
  const isSettled = useSettled()
  return (
    <Group gap="sm" role="group" aria-label={t('Mark as read')}>
      <SmallButton onClick={onNo}>{t('Cancel')}</SmallButton>
      <Text size="sm">{t('Mark {{count}} entries as read? They leave the inbox.', { count })}</Text>
      <SmallButton variant="filled" disabled={!isSettled} onClick={onYes}>
        {t('Yes, mark {{count}}', { count })}
      </SmallButton>
    </Group>
  )
}
