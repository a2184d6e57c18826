import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../api/deed.ts'
import { Block, Inert, Quiet, Time, Trouble } from '../parts/index.ts'
import type { Asked } from './entry.ts'

/** What a being wants to do, apart from anything that it wrote, with a yes and a no. */
export function AskedCall({ asked, from }: { readonly asked: Asked; readonly from: string }) {
  const [why, setWhy] = useState('')
  const answering = useAct()
  const answer = (action: 'approve' | 'deny') =>
    answering.mutate({
      verb: 'do',
      action,
      args: { id: asked.id, ...(action === 'deny' && why !== '' ? { why } : {}) },
    })
  const { verb, action, operation, args, payload, content } = asked.call as Record<string, unknown>
  return (
    <Stack gap="xs">
      <Text>
        {from} wants to {String(verb)} <Inert text={String(action ?? operation ?? '')} />
        {' on '}
        <Inert text={asked.on} />
      </Text>
      <Block value={args ?? payload ?? content ?? null} />
      <Quiet>
        It wears {asked.roles.join(' and ')}
        {asked.whom === null ? '' : `, and was woken by ${asked.whom}`}
        {asked.driver === null ? '' : `, and is driven by ${asked.driver}`}. The rule {asked.rule} asks you,
        until <Time iso={asked.expiresAt} />.
      </Quiet>
      <TextInput
        label="Why not (told to whoever asked)"
        value={why}
        maxLength={1000}
        onChange={(event) => setWhy(event.currentTarget.value)}
      />
      <Group gap="sm">
        <Button loading={answering.isPending} onClick={() => answer('approve')}>
          Approve
        </Button>
        <Button variant="default" loading={answering.isPending} onClick={() => answer('deny')}>
          Deny
        </Button>
      </Group>
      <Trouble error={answering.error} />
    </Stack>
  )
}
