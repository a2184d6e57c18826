import { Group } from '@mantine/core'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { Quiet, SmallButton, Trouble } from '../parts/index.ts'
import type { Entry } from './entry.ts'

/** As many as the server closes at once. */
const AT_ONCE = 500

/** Marks entries as read. The server leaves what needs a decision, and says so. */
export const useReading = (onDone: () => void = () => undefined) =>
  useDeed(
    (entries: readonly string[]) => api.inbox.close.$post({ json: { how: 'read', entries: [...entries] } }),
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
  const reading = useReading(() => onSelect(new Set()))
  const chosen = shown.filter(({ correlation }) => selected.has(correlation))
  const meant = (chosen.length === 0 ? shown : chosen).slice(0, AT_ONCE)
  if (shown.length === 0) return null
  return (
    <Group gap="sm">
      <SmallButton
        loading={reading.isPending}
        onClick={() => reading.mutate(meant.map(({ correlation }) => correlation))}
      >
        {chosen.length === 0 ? `Mark all ${shown.length} as read` : `Mark ${chosen.length} as read`}
      </SmallButton>
      {chosen.length === 0 ? (
        <Quiet>or select some</Quiet>
      ) : (
        <SmallButton onClick={() => onSelect(new Set())}>Select none</SmallButton>
      )}
      <Trouble error={reading.error} />
    </Group>
  )
}
