import { Button, Group, Popover, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type DeedBody, useAct } from '../api/deed.ts'
import { t } from '../language/index.ts'
import { SmallButton, Trouble } from '../parts/index.ts'

interface ActingProps {
  readonly label: string
  /** what happens, before it is done */
  readonly asks: string
  readonly call: DeedBody
}

/** A button of an act that cannot be taken back: it asks first, and shows the refusal with its rule. */
export function ConfirmedAct({ label, asks, call }: ActingProps) {
  const [isOpen, { toggle, close }] = useDisclosure()
  const acting = useAct(close)
  return (
    <Popover opened={isOpen} onDismiss={close} width={300} position="bottom-end" trapFocus withArrow>
      <Popover.Target>
        <SmallButton color="red" onClick={toggle}>
          {label}
        </SmallButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Text size="sm">{asks}</Text>
          <Trouble error={acting.error} />
          <Group gap="xs">
            <Button size="xs" color="red.9" loading={acting.isPending} onClick={() => acting.mutate(call)}>
              {label}
            </Button>
            <SmallButton onClick={close}>{t('Not now')}</SmallButton>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
