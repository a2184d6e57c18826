import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/queries.ts'
import { InhabitLink } from '../inhabit/InhabitLink.tsx'
import { t } from '../language/index.ts'
import { DialogButton } from '../parts/index.ts'
import { CancelButton, PauseButton } from './AtWork.tsx'
import { BudgetForm } from './BudgetForm.tsx'
import { ConfirmedAct } from './ConfirmedAct.tsx'

interface BeingControlsProps {
  readonly name: string
  readonly lineage: readonly string[]
  readonly isEnded: boolean
  readonly isPastOpen: boolean
  readonly isDriven: boolean
  readonly isPaused: boolean
  readonly isPerson: boolean
}

/** What may be done with a being from its page. The makers of a being may drive it, pause it and end it. */
export function BeingControls({
  name,
  lineage,
  isEnded,
  isPastOpen,
  isDriven,
  isPaused,
  isPerson,
}: BeingControlsProps) {
  const { data: session } = useQuery(sessionQuery)
  const stance = `@${name}`
  if (session === undefined || isEnded) return null
  const isMine = lineage.includes(session.stance)
  return (
    <Group gap="xs">
      {isMine && !isDriven ? <InhabitLink name={name} /> : null}
      {isPastOpen && session.stance !== stance ? (
        <DialogButton label={t('Budget')} title={t('The budget of {{stance}}', { stance })} isSmall>
          <BudgetForm name={name} />
        </DialogButton>
      ) : null}
      {isMine && !isPerson ? (
        <>
          <PauseButton stance={stance} isPaused={isPaused} />
          <CancelButton being={name} />
        </>
      ) : null}
      {isMine ? (
        <ConfirmedAct
          label={t('End it')}
          asks={t('{{stance}} lives no further moment, for good. Its past and its name stay.', { stance })}
          call={{ verb: 'do', operation: 'end-being', target: stance, args: {} }}
        />
      ) : null}
    </Group>
  )
}
