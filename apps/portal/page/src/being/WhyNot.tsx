import { Autocomplete, Button, Group, Stack, Table, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { api, Refusal } from '../api/client.ts'
import { Trouble } from '../shell/states.tsx'
import { Inert } from '../text/Inert.tsx'
import { escaped } from '../text/unseen.ts'

/** A side that is left out is missing. */
interface Change {
  readonly path: string
  readonly from?: unknown
  readonly to?: unknown
}
type Found = { readonly changes: readonly Change[] } | { readonly changes: null; readonly message: string }

interface Props {
  readonly name: string
  readonly n: number
  /** that its flow names */
  readonly roles: readonly string[]
  /** what it decided to do; null for a moment without an act */
  readonly call: unknown
  readonly mayAskOfActs: boolean
}

/** What would have had to be otherwise, for the moment to wear a role or to be allowed an act. */
export function WhyNot({ name, n, roles, call, mayAskOfActs }: Props) {
  const [role, setRole] = useState('')
  const [act, setAct] = useState(call === null ? '' : escaped(JSON.stringify(call, null, 2)))
  const param = { name, n: String(n) }
  const past = api.beings[':name'].moments[':n']['why-not']
  return (
    <Stack gap="md">
      <Question
        label="What would it have needed to wear it?"
        isAsked={role.trim() !== ''}
        ask={async () => (await past.role.$post({ param, json: { role: role.trim() } })).json()}
      >
        <Autocomplete
          flex={1}
          label="A role"
          data={[...roles]}
          value={role}
          onChange={setRole}
          renderOption={({ option }) => <Inert text={option.value} />}
        />
      </Question>
      {mayAskOfActs ? (
        <Question
          label="What would have allowed it?"
          isAsked={act.trim() !== ''}
          ask={async () => (await past.act.$post({ param, json: { call: parse(act) } })).json()}
        >
          <Textarea
            flex={1}
            label="An act, as JSON"
            autosize
            minRows={2}
            maxRows={12}
            value={act}
            onChange={(event) => setAct(event.currentTarget.value)}
          />
        </Question>
      ) : null}
    </Stack>
  )
}

interface QuestionProps {
  readonly label: string
  readonly isAsked: boolean
  readonly ask: () => Promise<unknown>
  readonly children: ReactNode
}

function Question({ label, isAsked, ask, children }: QuestionProps) {
  const asking = useMutation({ mutationFn: async () => (await ask()) as Found })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    asking.mutate()
  }
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="xs">
        <Group align="flex-end" gap="sm">
          {children}
          <Button type="submit" variant="default" disabled={!isAsked} loading={asking.isPending}>
            {label}
          </Button>
        </Group>
        <Trouble error={asking.error} />
        {asking.data === undefined ? null : <Answered {...asking.data} />}
      </Stack>
    </form>
  )
}

function Answered(found: Found) {
  if (found.changes === null)
    return (
      <Text size="sm" role="status">
        No change helps: <Inert text={found.message} />
      </Text>
    )
  if (found.changes.length === 0)
    return (
      <Text size="sm" role="status">
        Nothing: it was so.
      </Text>
    )
  return (
    <Table verticalSpacing={4} className="facts" role="status">
      <Table.Tbody>
        {found.changes.map((change) => (
          <Table.Tr key={change.path}>
            <Table.Td className="code">
              <Inert text={change.path} />
            </Table.Td>
            <Table.Td className="code">
              <Inert text={wordsOf(change)} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** Of a list, only what is added. */
function wordsOf({ from, to }: Change): string {
  if (Array.isArray(from) && Array.isArray(to))
    return `+ ${to
      .slice(from.length)
      .map((entry) => JSON.stringify(entry))
      .join(' ')}`
  const side = (value: unknown) => (value === undefined ? 'missing' : JSON.stringify(value))
  return `${side(from)} → ${side(to)}`
}

function parse(text: string): object {
  try {
    return JSON.parse(text) as object
  } catch {
    throw new Refusal('INVALID_INPUT', 'this is not JSON')
  }
}
