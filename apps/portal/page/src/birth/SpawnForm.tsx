import { Autocomplete, Button, Group, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { Trouble } from '../shell/states.tsx'
import { Inert } from '../text/Inert.tsx'
import { Born } from './Born.tsx'

interface Props {
  readonly profiles: readonly {
    readonly name: string
    readonly description: string
    readonly tools: readonly string[]
  }[]
  readonly scripts: readonly string[]
}

/** A child with a profile: model, tools, heartbeat and answer tokens, which the runtime holds. */
export function SpawnForm({ profiles, scripts }: Props) {
  const [name, setName] = useState('')
  const [role, setRole] = useState('generalist')
  const [specialization, setSpecialization] = useState('')
  const [message, setMessage] = useState('')
  const [script, setScript] = useState('')
  const queries = useQueryClient()
  const spawning = useMutation({
    mutationFn: async () => {
      const args = {
        name: name.trim().replace(/^@/, ''),
        role,
        ...(specialization.trim() === '' ? {} : { specialization }),
        ...(message.trim() === '' ? {} : { message }),
        ...(script === '' ? {} : { script }),
      }
      await (
        await api.verb.$post({ json: { call: { verb: 'do', action: 'lineage:spawn-child', args } } })
      ).json()
      return args.name
    },
    onSuccess: () => {
      setName('')
      setMessage('')
      void queries.invalidateQueries()
    },
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    spawning.mutate()
  }
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          required
          withAsterisk={false}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Radio.Group label="Profile" value={role} onChange={setRole}>
          <Stack gap="xs" mt={4}>
            {profiles.map((one) => (
              <Radio
                key={one.name}
                value={one.name}
                label={one.name}
                description={
                  <>
                    {one.description === '' ? '' : <Inert text={`${one.description} `} />}
                    {one.tools.length} operations
                  </>
                }
              />
            ))}
          </Stack>
        </Radio.Group>
        <Textarea
          label="Specialization"
          description="Its focus; a part of its prompt"
          autosize
          minRows={2}
          value={specialization}
          onChange={(event) => setSpecialization(event.currentTarget.value)}
        />
        <Textarea
          label="First message"
          description="What it is told at its birth; it begins with that"
          autosize
          minRows={2}
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
        />
        <Autocomplete
          label="Script"
          description="Decides for it in place of a model"
          data={[...scripts]}
          value={script}
          onChange={setScript}
        />
        <Trouble error={spawning.error} />
        {spawning.data === undefined ? null : <Born name={spawning.data} />}
        <Text size="xs" className="quiet">
          At most 3 live children of one parent, and 3 spawns within 24 hours, unless TREEOS_LINEAGE says
          otherwise.
        </Text>
        <Group>
          <Button type="submit" loading={spawning.isPending} disabled={name.trim() === ''}>
            Spawn it
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
