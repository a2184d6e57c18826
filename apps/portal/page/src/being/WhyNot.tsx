import { Autocomplete, Stack, Table, Text, Textarea } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { Code, Form, Inert, parsed } from '../parts/index.ts'
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
export const WhyNot = ({ mayAskOfActs, ...of }: Props) => (
  <Stack>
    <OfRole {...of} />
    {mayAskOfActs ? <OfAct {...of} /> : null}
  </Stack>
)

type OfMoment = Omit<Props, 'mayAskOfActs'>
const past = api.beings[':name'].moments[':n']['why-not']
const paramOf = ({ name, n }: Pick<Props, 'name' | 'n'>) => ({ name, n: String(n) })

function OfRole({ roles, ...of }: Omit<OfMoment, 'call'>) {
  const form = useForm({ initialValues: { role: '' }, validate: { role: isNotEmpty() } })
  const asking = useDeed((json: { role: string }) => past.role.$post({ param: paramOf(of), json }), {
    stale: null,
  })
  return (
    <Form
      form={form}
      doing={asking}
      submit="What would it have needed to wear it?"
      send={({ role }) => ({ role: role.trim() })}
      isInRow
      done={<Answered of={asking.data} />}
    >
      <Autocomplete
        flex={1}
        label="A role"
        data={[...roles]}
        renderOption={({ option }) => <Inert text={option.value} />}
        {...form.getInputProps('role')}
      />
    </Form>
  )
}

function OfAct({ call, ...of }: Omit<OfMoment, 'roles'>) {
  const form = useForm({
    initialValues: { call: call === null ? '' : escaped(JSON.stringify(call, null, 2)) },
    validate: { call: isNotEmpty() },
  })
  const asking = useDeed((json: { call: unknown }) => past.act.$post({ param: paramOf(of), json }), {
    stale: null,
  })
  return (
    <Form
      form={form}
      doing={asking}
      submit="What would have allowed it?"
      send={({ call }) => ({ call: parsed(call, 'the act is') })}
      isInRow
      done={<Answered of={asking.data} />}
    >
      <Textarea flex={1} label="An act, as JSON" minRows={2} maxRows={12} {...form.getInputProps('call')} />
    </Form>
  )
}

function Answered({ of }: { readonly of: unknown }) {
  if (of === undefined) return null
  const found = of as Found
  if (found.changes === null || found.changes.length === 0)
    return (
      <Text size="sm" role="status">
        {found.changes === null ? 'No change helps: ' : 'Nothing: it was so.'}
        {found.changes === null ? <Inert text={found.message} /> : null}
      </Text>
    )
  return (
    <Table
      className="facts"
      role="status"
      data={{
        body: found.changes.map((change) => [
          <Code key="path" value={change.path} />,
          <Code key="change" value={wordsOf(change)} />,
        ]),
      }}
    />
  )
}

/** Of a list, only what is added. */
function wordsOf({ from, to }: Change): string {
  if (Array.isArray(from) && Array.isArray(to)) {
    const added = to.slice(from.length).map((entry) => JSON.stringify(entry))
    return `+ ${added.join(' ')}`
  }
  const side = (value: unknown) => (value === undefined ? 'missing' : JSON.stringify(value))
  return `${side(from)} → ${side(to)}`
}
