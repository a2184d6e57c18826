import { Autocomplete, NativeSelect, Stack, Table, Text, Textarea, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { reachQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { Code, Form, Inert, parsed } from '../parts/index.ts'
import { escaped } from '../text/unseen-text.ts'
import { type HiddenPlace, valueText } from '../words/value-text.ts'

/** A side that is left out is missing. */
interface Change {
  readonly path: string
  readonly from?: unknown
  readonly to?: unknown
  readonly hidden?: HiddenPlace
}
type WhyNotAnswer =
  | { readonly changes: readonly Change[] }
  | { readonly changes: null; readonly message: string }

interface WhyNotProps {
  readonly name: string
  readonly n: number
  /** that its flow names */
  readonly roles: readonly string[]
  /** what it decided to do; null for a moment without an act */
  readonly call: unknown
  readonly mayAskOfActs: boolean
}

/** What would have had to be otherwise, for the moment to wear a role or to be allowed an act. */
export const WhyNot = ({ mayAskOfActs, ...of }: WhyNotProps) => (
  <Stack>
    <OfRole {...of} />
    {mayAskOfActs ? <OfAct {...of} /> : null}
  </Stack>
)

type OfMoment = Omit<WhyNotProps, 'mayAskOfActs'>
const past = api.beings[':name'].moments[':n']['why-not']
const paramOf = ({ name, n }: Pick<WhyNotProps, 'name' | 'n'>) => ({ name, n: String(n) })

function OfRole({ roles, ...of }: Omit<OfMoment, 'call'>) {
  const form = useForm({ initialValues: { role: '' }, validate: { role: isNotEmpty() } })
  const asking = useDeed((json: { role: string }) => past.role.$post({ param: paramOf(of), json }), {
    stale: null,
  })
  return (
    <Form
      form={form}
      doing={asking}
      submit={t('What would it have needed to wear it?')}
      send={({ role }) => ({ role: role.trim() })}
      isInRow
      done={<Answered of={asking.data} />}
    >
      <Autocomplete
        flex={1}
        label={t('A role')}
        data={[...roles]}
        renderOption={({ option }) => <Inert text={option.value} />}
        {...form.getInputProps('role')}
      />
    </Form>
  )
}

/** An act as it is picked. */
interface PickedAct {
  readonly verb: string
  /** of an operation */
  readonly name: string
  readonly target: string
  readonly args: string
}

const ACTS = [
  { value: 'summon', label: t('speak to') },
  { value: 'see', label: t('look at') },
  { value: 'do', label: t('do') },
  { value: 'be', label: t('be') },
]

/** The act of the moment, to begin with. */
function pickedOf(call: unknown): PickedAct {
  const said = (call ?? {}) as Readonly<Record<string, unknown>>
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return {
    verb: text(said.verb) || 'summon',
    name: text(said.operation),
    target: text(said.target ?? said.address),
    args: escaped(JSON.stringify(said.args ?? {}, null, 2)),
  }
}

/** @throws {Error} for arguments that are not JSON */
function callOfAct({ verb, name, target, args }: PickedAct): unknown {
  const address = target.trim()
  if (verb === 'see') return { verb, address }
  const on = address === '' ? {} : { target: address }
  if (verb === 'summon') return { verb, content: 'words', ...on } // no gate asks which ones
  const given = parsed(args, t('the arguments are'))
  return { verb, operation: name.trim(), args: given, ...(verb === 'be' ? {} : on) }
}

function OfAct({ call, ...of }: Omit<OfMoment, 'roles'>) {
  const form = useForm({ initialValues: pickedOf(call) })
  const { data: reach } = useQuery(reachQuery)
  const asking = useDeed((json: { call: unknown }) => past.act.$post({ param: paramOf(of), json }), {
    stale: null,
  })
  const { verb } = form.values
  const isOperation = verb === 'do' || verb === 'be'
  const operations = (verb === 'do' ? reach?.actions : reach?.identity) ?? []
  return (
    <Form
      form={form}
      doing={asking}
      submit={t('What would have allowed it?')}
      send={(picked) => ({ call: callOfAct(picked) })}
      isInRow
      done={<Answered of={asking.data} />}
    >
      <NativeSelect label={t('To', { context: 'verb' })} data={ACTS} {...form.getInputProps('verb')} />
      {isOperation ? (
        <Autocomplete
          label={t('Operation')}
          required
          data={operations.map(({ name }) => name)}
          limit={40}
          {...form.getInputProps('name')}
        />
      ) : null}
      {verb === 'be' ? null : (
        <TextInput
          label={verb === 'do' ? t('On') : t('Whom or what')}
          placeholder={t('@ann or /court')}
          required={verb === 'see'}
          {...form.getInputProps('target')}
        />
      )}
      {isOperation ? (
        <Textarea
          flex={1}
          label={t('With')}
          classNames={{ input: 'code' }}
          maxRows={12}
          {...form.getInputProps('args')}
        />
      ) : null}
    </Form>
  )
}

function Answered({ of }: { readonly of: unknown }) {
  if (of === undefined) return null
  const found = of as WhyNotAnswer
  if (found.changes === null || found.changes.length === 0)
    return (
      <Text size="sm" role="status">
        {found.changes === null ? `${t('No change helps:')} ` : t('Nothing: it was so.')}
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
          <Code key="change" value={changeText(change)} />,
        ]),
      }}
    />
  )
}

/** Of a list, only what is added. */
function changeText({ from, to, hidden }: Change): string {
  if (Array.isArray(from) && Array.isArray(to)) {
    const added = to.slice(from.length).map((entry) => JSON.stringify(entry))
    return `+ ${added.join(' ')}`
  }
  return `${valueText(from, hidden)} → ${valueText(to)}`
}
