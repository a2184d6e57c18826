import { Button, Text, Textarea } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { Trans, t } from '../language/index.ts'
import { Answer, Form, Time } from '../parts/index.ts'
import { threadOverlayQuery } from './queries.ts'

/**
 * The overlay of a thread: its text is in the memory of a worker, so only who changed it and when is shown.
 * What is sent is in no variable of the mutation, which the page would keep.
 */
export function ThreadOverlay({ id }: { readonly id: string }) {
  const changes = useQuery(threadOverlayQuery(id))
  const form = useForm({ initialValues: { content: '' }, validate: { content: isNotEmpty() } })
  const setting = useDeed(
    (how: 'set' | 'clear') => {
      const json = { content: how === 'set' ? form.values.content : null }
      return api.threads[':id'].overlay.$post({ param: { id }, json })
    },
    { stale: threadOverlayQuery(id).queryKey, onDone: form.reset },
  )
  return (
    <Answer of={changes}>
      {(all) => {
        const last = all.at(-1)
        const isSet = last?.commitment != null
        return (
          <Form
            form={form}
            doing={setting}
            submit={t('Set it')}
            send={() => 'set'}
            trailing={
              isSet ? (
                <Button variant="default" loading={setting.isPending} onClick={() => setting.mutate('clear')}>
                  {t('Take it away')}
                </Button>
              ) : null
            }
          >
            <Text size="sm">
              {last === undefined ? (
                t('This thread has no overlay.')
              ) : (
                <Trans
                  text={isSet ? 'It was set by @{{by}}, <time/>.' : 'It was taken away by @{{by}}, <time/>.'}
                  values={{ by: last.by }}
                  parts={{ time: <Time iso={String(last.at)} /> }}
                />
              )}
            </Text>
            <Textarea
              label={t('How models are to approach its next moments')}
              description={t(
                'A worker keeps it in memory until it is taken away, or the thread is silent for 24 hours',
              )}
              minRows={2}
              maxRows={8}
              {...form.getInputProps('content')}
            />
          </Form>
        )
      }}
    </Answer>
  )
}
