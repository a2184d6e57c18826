import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { Trouble } from '../shell/states.tsx'
import { Content } from '../text/Inert.tsx'

/** Sends one call, and asks anew for all that it may have changed. */
export function useCall() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (call: unknown) => (await api.verb.$post({ json: { call } })).json(),
    onSuccess: () => queries.invalidateQueries(),
  })
}

interface SendProps {
  readonly label: string
  readonly sending: ReturnType<typeof useCall>
  readonly error: Error | null
  readonly isDisabled: boolean
}

/** The end of each form: its refusal, its result, and the button. */
export const Send = ({ label, sending, error, isDisabled }: SendProps) => (
  <>
    <Trouble error={error ?? sending.error} />
    {sending.data === undefined ? null : (
      <div role="status">
        <Text size="sm" fw={600} mb={4}>
          Done
        </Text>
        <div className="block code">
          <Content value={sending.data.result} />
        </div>
      </div>
    )}
    <Group>
      <Button type="submit" loading={sending.isPending} disabled={isDisabled}>
        {label}
      </Button>
    </Group>
  </>
)
