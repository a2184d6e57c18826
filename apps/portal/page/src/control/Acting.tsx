import { Button, Group, Popover, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { Trouble } from '../shell/states.tsx'

interface Props {
  readonly label: string
  /** what happens, before it is done */
  readonly asks: ReactNode
  readonly call: unknown
  readonly onDone?: () => void
}

/** A button of an act that cannot be taken back: it asks first, and shows the refusal with its rule. */
export function ConfirmedAct({ label, asks, call, onDone }: Props) {
  const [isOpen, setOpen] = useState(false)
  const queries = useQueryClient()
  const acting = useMutation({
    mutationFn: async () => (await api.verb.$post({ json: { call } })).json(),
    onSuccess: async () => {
      setOpen(false)
      await queries.invalidateQueries()
      onDone?.()
    },
  })
  return (
    <Popover opened={isOpen} onChange={setOpen} width={300} position="bottom-end" trapFocus withArrow>
      <Popover.Target>
        <Button size="xs" variant="default" color="red" onClick={() => setOpen((open) => !open)}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Text size="sm">{asks}</Text>
          <Trouble error={acting.error} />
          <Group gap="xs">
            <Button size="xs" color="red.9" loading={acting.isPending} onClick={() => acting.mutate()}>
              {label}
            </Button>
            <Button size="xs" variant="default" onClick={() => setOpen(false)}>
              Not now
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
