import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/queries.ts'
import { Composer } from '../overlays/Composer.tsx'
import { Dialog } from '../shell/Dialog.tsx'
import { ConfirmedAct } from './Acting.tsx'
import { CancelButton, PauseButton } from './AtWork.tsx'
import { BudgetForm } from './BudgetForm.tsx'

interface Props {
  readonly name: string
  readonly lineage: readonly string[]
  readonly isEnded: boolean
  readonly isPastOpen: boolean
  readonly isDriven: boolean
  readonly isPaused: boolean
  readonly isPerson: boolean
}

/** What may be done with a being from its page. The makers of a being may drive it, pause it and end it. */
export function BeingControls({ name, lineage, isEnded, isPastOpen, isDriven, isPaused, isPerson }: Props) {
  const { data: session } = useQuery(sessionQuery)
  const [isSpeaking, speaking] = useDisclosure()
  const [isBudget, budget] = useDisclosure()
  const stance = `@${name}`
  if (session === undefined || isEnded) return null
  const isMine = lineage.includes(session.stance)
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" onClick={speaking.open}>
        Speak to it
      </Button>
      {isMine && !isDriven ? (
        // The opener stays known to the new tab: it gives the being back when this tab is closed.
        <Button
          size="xs"
          variant="default"
          component="a"
          href={`/inhabit/${name}`}
          target="_blank"
          rel="opener"
        >
          Inhabit (new tab)
        </Button>
      ) : null}
      {isPastOpen && session.stance !== stance ? (
        <Button size="xs" variant="default" onClick={budget.open}>
          Budget
        </Button>
      ) : null}
      {isMine && !isPerson ? (
        <>
          <PauseButton stance={stance} isPaused={isPaused} />
          <CancelButton being={name} />
        </>
      ) : null}
      {isMine ? (
        <ConfirmedAct
          label="End it"
          asks={`${stance} lives no further moment, for good. Its past and its name stay.`}
          call={{ verb: 'do', action: 'end-being', target: stance, args: {} }}
        />
      ) : null}
      <Dialog opened={isSpeaking} onClose={speaking.close} title={`Speak to ${stance}`}>
        <Stack gap="sm">
          <Composer target={stance} />
          <Text size="xs" className="quiet">
            It comes into its inbox, and is lived with its next moments. To tell it something without an
            answer, switch off “expects an answer”.
          </Text>
        </Stack>
      </Dialog>
      <Dialog opened={isBudget} onClose={budget.close} title={`The budget of ${stance}`}>
        <BudgetForm name={name} />
      </Dialog>
    </Group>
  )
}
