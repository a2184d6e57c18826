import {
  Autocomplete,
  Button,
  Group,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { Trouble } from '../shell/states.tsx'
import { Inert } from '../text/Inert.tsx'
import { Born } from './Born.tsx'

interface Choices {
  readonly scripts: readonly string[]
  readonly roles: readonly { readonly name: string; readonly description: string }[]
  readonly homes: readonly string[]
}

const COGNITIONS = [
  { value: 'llm', label: 'A model' },
  { value: 'scripted', label: 'A script' },
  { value: 'human', label: 'A person' },
]

/** A birth: name, cognition, and what it wears at first. */
export function BirthForm({ choices: { scripts, roles, homes } }: { readonly choices: Choices }) {
  const [name, setName] = useState('')
  const [cognition, setCognition] = useState('llm')
  const [script, setScript] = useState('')
  const [connection, setConnection] = useState('')
  const [role, setRole] = useState('')
  const [flow, setFlow] = useState('')
  const [home, setHome] = useState('')
  const queries = useQueryClient()
  const bearing = useMutation({
    mutationFn: async () => {
      const payload = {
        name: name.trim().replace(/^@/, ''),
        cognition,
        ...(cognition === 'scripted' && script !== '' ? { script } : {}),
        ...(cognition === 'llm' && connection.trim() !== '' ? { connection: connection.trim() } : {}),
        ...(role.trim() === '' ? {} : { role: role.trim() }),
        ...(flow.trim() === '' ? {} : { roleFlow: parseFlow(flow) }),
        ...(home.trim() === '' ? {} : { home: home.trim() }),
      }
      const call = { verb: 'be', operation: 'birth', payload }
      await (await api.verb.$post({ json: { call } })).json()
      return payload.name
    },
    onSuccess: () => {
      setName('')
      void queries.invalidateQueries()
    },
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    bearing.mutate()
  }
  const chosen = roles.find((one) => one.name === role.trim())
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="Lower-case letters, digits and hyphens"
          placeholder="dora"
          required
          withAsterisk={false}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <div>
          <Text size="sm" fw={500} mb={4} id="decides">
            Who decides for it
          </Text>
          <SegmentedControl
            aria-labelledby="decides"
            data={COGNITIONS}
            value={cognition}
            onChange={setCognition}
          />
        </div>
        {cognition === 'scripted' ? (
          <Autocomplete
            label="Script"
            data={[...scripts]}
            required
            withAsterisk={false}
            value={script}
            onChange={setScript}
          />
        ) : null}
        {cognition === 'llm' ? (
          <TextInput
            label="Model connection"
            description="As the operator's configuration names it; left out, the default model"
            value={connection}
            onChange={(event) => setConnection(event.currentTarget.value)}
          />
        ) : null}
        <Autocomplete
          label="Default role"
          description={
            chosen === undefined ? (
              'Left out: citizen, if you may hand it on, which can be configured from inside; else resident'
            ) : (
              <Inert text={chosen.description} />
            )
          }
          data={roles.map((one) => one.name)}
          limit={40}
          value={role}
          onChange={setRole}
        />
        <Autocomplete
          label="Home"
          description="The space where it starts; left out, your own home"
          data={[...homes]}
          limit={40}
          value={home}
          onChange={setHome}
        />
        <Textarea
          label="Role flow, as JSON"
          description="Clauses in order; left out, it always wears its default role"
          placeholder={'[{"when": {"world.school.bell": true}, "role": "herald"}]'}
          classNames={{ input: 'code' }}
          autosize
          minRows={2}
          maxRows={16}
          value={flow}
          onChange={(event) => setFlow(event.currentTarget.value)}
        />
        <Trouble error={bearing.error} />
        {bearing.data === undefined ? null : <Born name={bearing.data} />}
        <Group>
          <Button type="submit" loading={bearing.isPending} disabled={name.trim() === ''}>
            Give birth
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function parseFlow(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new Error(`the role flow is not JSON: ${(error as Error).message}`)
  }
}
