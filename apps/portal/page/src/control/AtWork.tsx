import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { Trouble } from '../shell/states.tsx'

/** Pauses a being or resumes it. Both can be taken back, so nothing is asked first. */
export function PauseButton({ stance, isPaused }: { readonly stance: string; readonly isPaused: boolean }) {
  const queries = useQueryClient()
  const action = isPaused ? 'resume-being' : 'pause-being'
  const acting = useMutation({
    mutationFn: async () =>
      (await api.verb.$post({ json: { call: { verb: 'do', action, target: stance, args: {} } } })).json(),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['being', stance.slice(1)] }),
  })
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" loading={acting.isPending} onClick={() => acting.mutate()}>
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <Trouble error={acting.error} />
    </Group>
  )
}

/** Cancels the call of a mind that is under way. Its moment then ends as a failure, which the list of moments shows. */
export function CancelButton({ being }: { readonly being: string }) {
  const cancelling = useMutation({
    mutationFn: async () => (await api.beings[':name'].cancel.$post({ param: { name: being } })).json(),
  })
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" loading={cancelling.isPending} onClick={() => cancelling.mutate()}>
        Cancel its call
      </Button>
      <Trouble error={cancelling.error} />
      {cancelling.data === undefined ? null : (
        <Text size="xs" className="quiet" role="status">
          moment {cancelling.data.n} ends as cancelled
        </Text>
      )}
    </Group>
  )
}
