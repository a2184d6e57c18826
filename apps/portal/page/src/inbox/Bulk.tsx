import { Group, Text } from '@mantine/core'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { plural, Quiet, SmallButton, Trouble } from '../parts/index.ts'
import type { Entry } from './entry.ts'

/** As many as the server closes at once. */
const AT_ONCE = 500

/** Marks entries as read, however many. The server leaves what needs a decision, and says so. */
export const useReading = (onDone: (told: { readonly closed: number }) => void = () => undefined) =>
  useDeed(
    async (entries: readonly string[]) => {
      let closed = 0
      for (let from = 0; from < entries.length; from += AT_ONCE) {
        const json = { how: 'read' as const, entries: entries.slice(from, from + AT_ONCE) }
        closed += (await (await api.inbox.close.$post({ json })).json()).closed
      }
      return { json: async () => ({ closed }) }
    },
    { stale: ['inbox'], onDone },
  )

interface Props {
  /** the entries of a list in which nothing needs a decision */
  readonly shown: readonly Entry[]
  readonly selected: ReadonlySet<string>
  readonly onSelect: (selected: ReadonlySet<string>) => void
}

/** What is done with many entries at once: they are marked as read, those that were selected or all that are shown. */
export function Bulk({ shown, selected, onSelect }: Props) {
  const [told, tell] = useState<string | null>(null)
  const reading = useReading(({ closed }) => {
    onSelect(new Set())
    tell(`${plural(closed, 'entry is', 'entries are')} marked as read.`)
  })
  const chosen = shown.filter(({ correlation }) => selected.has(correlation))
  const meant = chosen.length === 0 ? shown : chosen
  // What arrives while the pointer or the focus is on the button is not taken with the others: nobody has seen it.
  const [held, hold] = useState<readonly Entry[] | null>(null)
  const taken = held ?? meant
  const letGo = () => hold(null)
  if (shown.length === 0 && told === null) return null
  return (
    <Group gap="sm">
      {shown.length === 0 ? null : (
        <SmallButton
          loading={reading.isPending}
          onPointerEnter={() => hold(meant)}
          onFocus={() => hold(meant)}
          onPointerLeave={letGo}
          onBlur={letGo}
          onClick={() => {
            letGo()
            reading.mutate(taken.map(({ correlation }) => correlation))
          }}
        >
          {chosen.length === 0 ? `Mark all ${taken.length} as read` : `Mark ${taken.length} as read`}
        </SmallButton>
      )}
      {shown.length === 0 ? null : chosen.length === 0 ? (
        <Quiet>or select some</Quiet>
      ) : (
        <SmallButton onClick={() => onSelect(new Set())}>Select none</SmallButton>
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
