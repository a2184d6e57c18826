import { Group } from '@mantine/core'
import { api } from '../api/client.ts'
import { useAct, useDeed } from '../api/deed.ts'
import { t } from '../language/index.ts'
import { Quiet, SmallButton, Trouble } from '../parts/index.ts'

/** Pauses a being or resumes it. Both can be taken back, so nothing is asked first. */
export function PauseButton({ stance, isPaused }: { readonly stance: string; readonly isPaused: boolean }) {
  const acting = useAct()
  const call = { verb: 'do', operation: isPaused ? 'resume-being' : 'pause-being', target: stance, args: {} }
  return (
    <Group gap="xs">
      <SmallButton loading={acting.isPending} onClick={() => acting.mutate(call)}>
        {isPaused ? t('Resume') : t('Pause')}
      </SmallButton>
      <Trouble error={acting.error} />
    </Group>
  )
}

/**
 * Cancels the call of a mind that is under way. Its moment then ends as a failure, which the list of moments
 * shows.
 */
export function CancelButton({ being }: { readonly being: string }) {
  const cancelling = useDeed(() => api.beings[':name'].cancel.$post({ param: { name: being }, query: {} }))
  return (
    <Group gap="xs">
      <SmallButton loading={cancelling.isPending} onClick={() => cancelling.mutate()}>
        {t('Cancel its call')}
      </SmallButton>
      <Trouble error={cancelling.error} />
      {cancelling.data === undefined ? null : (
        <Quiet size="xs" role="status">
          {t('moment {{n}} ends as cancelled', { n: cancelling.data.n })}
        </Quiet>
      )}
    </Group>
  )
}
