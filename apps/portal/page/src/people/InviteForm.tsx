import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { api } from '../api/client.ts'
import { Trouble } from '../shell/states.tsx'
import type { NewLink } from './ShownLink.tsx'

const TERMS = [
  { value: '24', label: 'A day' },
  { value: '168', label: 'A week' },
]

/** A person is born, and gets a link. */
export function InviteForm({ onMade }: { readonly onMade: (link: NewLink) => void }) {
  const [name, setName] = useState('')
  const [role, setRole] = useState('')
  const [hours, setHours] = useState('24')
  const termId = useId()
  const inviting = useMutation({
    mutationFn: async () => {
      const json = {
        name: name.trim().replace(/^@/, ''),
        hours: Number(hours),
        ...(role.trim() === '' ? {} : { role: role.trim() }),
      }
      return (await api.people.invite.$post({ json })).json()
    },
    onSuccess: (made) => onMade({ ...made, hours: Number(hours) }),
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    inviting.mutate()
  }
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="Lower case letters, digits and hyphens. It is taken for ever."
          placeholder="ann"
          required
          withAsterisk={false}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Default role"
          description="What it may do. Left empty: citizen, if you may hand that on, else resident"
          placeholder="citizen"
          value={role}
          onChange={(event) => setRole(event.currentTarget.value)}
        />
        <div>
          <Text size="sm" fw={500} id={termId}>
            The link is good for
          </Text>
          <SegmentedControl aria-labelledby={termId} data={TERMS} value={hours} onChange={setHours} />
        </div>
        <Trouble error={inviting.error} />
        <Group>
          <Button type="submit" loading={inviting.isPending} disabled={name.trim() === ''}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
