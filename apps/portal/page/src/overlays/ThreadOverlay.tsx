import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { Answer, Trouble } from '../shell/states.tsx'
import { Time } from '../shell/Time.tsx'
import { threadOverlayQuery } from './queries.ts'

/** The overlay of a thread: its text is in the memory of a worker, so only who changed it and when is shown. */
export function ThreadOverlay({ id }: { readonly id: string }) {
  const changes = useQuery(threadOverlayQuery(id))
  const [content, setContent] = useState('')
  const queries = useQueryClient()
  const setting = useMutation({
    gcTime: 0,
    mutationFn: async (how: 'set' | 'clear') => {
      const json = { content: how === 'set' ? content : null }
      return (await api.threads[':id'].overlay.$post({ param: { id }, json })).json()
    },
    onSuccess: () => {
      setContent('')
      return queries.invalidateQueries({ queryKey: threadOverlayQuery(id).queryKey })
    },
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setting.mutate('set')
  }
  return (
    <Answer of={changes}>
      {(all) => {
        const last = all.at(-1)
        const isSet = last?.commitment != null
        return (
          <form onSubmit={onSubmit}>
            <Stack gap="sm">
              <Text size="sm">
                {last === undefined ? (
                  'This thread has no overlay.'
                ) : (
                  <>
                    {isSet ? 'It was set' : 'It was taken away'} by @{last.by}, <Time iso={String(last.at)} />
                    .
                  </>
                )}
              </Text>
              <Textarea
                label="How models are to approach its next moments"
                description="A worker keeps it in memory until it is taken away, or the thread is silent for 24 hours"
                autosize
                minRows={2}
                maxRows={8}
                value={content}
                onChange={(event) => setContent(event.currentTarget.value)}
              />
              <Trouble error={setting.error} />
              <Group>
                <Button type="submit" loading={setting.isPending} disabled={content.trim() === ''}>
                  Set it
                </Button>
                {isSet ? (
                  <Button
                    variant="default"
                    loading={setting.isPending}
                    onClick={() => setting.mutate('clear')}
                  >
                    Take it away
                  </Button>
                ) : null}
              </Group>
            </Stack>
          </form>
        )
      }}
    </Answer>
  )
}
