import { Group, Text } from '@mantine/core'
import { Trans } from '../language/index.ts'
import { BeingLink, type BeingState, Content, Quiet, StateBadges, WornRoles } from '../parts/index.ts'
import { mindText } from '../words/mind-text.ts'

interface OccupantToShow {
  readonly stance: string
  readonly cognition: string | null
  readonly inhabitedBy: string | null
  readonly states: readonly BeingState[]
  readonly last: {
    readonly n: number
    readonly primary: string | null
    readonly stacked: readonly string[]
    readonly words: unknown
  } | null
}

/** A being in a space: what it wore last, and what it said. */
export const OccupantRow = ({
  one: { stance, cognition, inhabitedBy, states, last },
}: {
  readonly one: OccupantToShow
}) => (
  <div className="row">
    <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
      <Text fw={600} size="sm">
        <BeingLink stance={stance} />
      </Text>
      <Group gap={6} justify="flex-end">
        <StateBadges states={states} driver={inhabitedBy} />
        <WornRoles roles={[last?.primary, ...(last?.stacked ?? [])]} />
        {cognition === null ? null : <Quiet size="xs">{mindText(cognition)}</Quiet>}
      </Group>
    </Group>
    {last?.words == null ? null : (
      <Quiet lineClamp={2}>
        <Trans text="“<words/>”" parts={{ words: <Content value={last.words} /> }} />
      </Quiet>
    )}
  </div>
)
