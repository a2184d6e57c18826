import './roles.css'
import { Alert, Autocomplete, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { jsonOfText, textOfValue } from '../flow/values.ts'
import { BeingLink } from '../shell/links.tsx'
import { Answer, Empty } from '../shell/states.tsx'
import { Content, Inert } from '../text/Inert.tsx'
import { Refused } from './Deed.tsx'
import { signalsQuery, useAct } from './queries.ts'

interface Namespace {
  readonly namespace: string
  readonly owner: string | null
  readonly publishers: readonly string[]
  readonly reserved: boolean
}

/** World signals, which every flow can read: what is published, by whom, and a way to publish. */
export function Signals() {
  const signals = useQuery(signalsQuery)
  const [namespace, setNamespace] = useState('')
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const choose = (space: string, path: string, now: unknown) => {
    setNamespace(space)
    setKey(path)
    setValue(typeof now === 'object' && now !== null ? JSON.stringify(now) : textOfValue(now as string))
  }
  return (
    <Stack gap="md">
      <Title order={1}>Signals</Title>
      <Answer of={signals}>
        {({ namespaces, values }) => (
          <div className="wide">
            <Publish {...{ namespaces, namespace, setNamespace, key_: key, setKey, value, setValue }} />
            <Published namespaces={namespaces} values={values as Values} onChoose={choose} />
          </div>
        )}
      </Answer>
    </Stack>
  )
}

interface PublishProps {
  readonly namespaces: readonly Namespace[]
  readonly namespace: string
  readonly setNamespace: (text: string) => void
  readonly key_: string
  readonly setKey: (text: string) => void
  readonly value: string
  readonly setValue: (text: string) => void
}

function Publish(props: PublishProps) {
  const { namespaces, namespace, key_, value } = props
  const publishing = useAct()
  const publish = (what: unknown) =>
    publishing.mutate({
      verb: 'do',
      target: '/',
      action: 'set-world-signal',
      args: { namespace, key: key_, value: what },
    })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    publish(jsonOfText(value))
  }
  const owned = namespaces.find((one) => one.namespace === namespace)
  return (
    <form onSubmit={onSubmit} className="card" aria-label="Publish a signal">
      <Stack gap="sm">
        <Text fw={600}>Publish a signal</Text>
        <Autocomplete
          label="Namespace"
          description={describeOwner(namespace, owned)}
          placeholder="harmony"
          required
          withAsterisk={false}
          data={namespaces.map((one) => one.namespace)}
          value={namespace}
          onChange={props.setNamespace}
        />
        <TextInput
          label="Key"
          placeholder="tick.alive"
          required
          withAsterisk={false}
          value={key_}
          onChange={(event) => props.setKey(event.currentTarget.value)}
        />
        <TextInput
          label="Value"
          description="true, 7 and JSON are taken as such, other words as text"
          placeholder="true"
          required
          withAsterisk={false}
          value={value}
          onChange={(event) => props.setValue(event.currentTarget.value)}
        />
        <Refused error={publishing.error} />
        {publishing.data === undefined || publishing.isPending ? null : (
          <Alert color="leaf" p="xs" role="status" title="Published">
            <span className="code">
              <Content value={publishing.data} />
            </span>
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={publishing.isPending}>
            Publish
          </Button>
          <Button
            variant="default"
            disabled={namespace === '' || key_ === '' || publishing.isPending}
            onClick={() => publish(null)}
          >
            Remove it
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function describeOwner(namespace: string, owned: Namespace | undefined): string {
  if (namespace === '') return 'One word. The first to publish there owns it.'
  if (owned === undefined || owned.owner === null) return 'Nobody owns it: you will, once you publish.'
  const others = owned.publishers.length === 0 ? '' : `, and ${owned.publishers.join(', ')} may publish too`
  return `${owned.owner} owns it${owned.reserved ? ', as the namespace of an extension' : ''}${others}.`
}

type Values = Readonly<Record<string, unknown>> | null

interface PublishedProps {
  readonly namespaces: readonly Namespace[]
  readonly values: Values
  readonly onChoose: (namespace: string, key: string, value: unknown) => void
}

const SHOWN_MAX = 500

function Published({ namespaces, values, onChoose }: PublishedProps) {
  const all = namespaces.map((one) => ({ ...one, signals: leavesOf(values?.[one.namespace]) }))
  const shown = all.filter(({ signals }) => signals.length > 0)
  if (shown.length === 0)
    return <Empty title="Nothing is published">Publish a signal: each being whose flow reads it wakes.</Empty>
  return (
    <Stack gap="md">
      {shown.map(({ namespace, owner, signals }) => (
        <section key={namespace} className="list" aria-label={`Signals of ${namespace}`}>
          <Group justify="space-between" p="xs" gap="xs">
            <Text size="sm" fw={600}>
              <Inert text={namespace} />
            </Text>
            <Text size="xs" className="quiet">
              {owner === null ? 'nobody owns it' : <BeingLink stance={owner} />}
            </Text>
          </Group>
          {signals.slice(0, SHOWN_MAX).map(({ key, value }) => (
            <button key={key} type="button" className="row" onClick={() => onChoose(namespace, key, value)}>
              <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
                <Text size="sm" className="code">
                  <Inert text={`world.${namespace}.${key}`} />
                </Text>
                <Text size="sm" className="code" ta="right">
                  <Content value={value} />
                </Text>
              </Group>
            </button>
          ))}
          {signals.length > SHOWN_MAX ? (
            <Text size="xs" p="xs" className="quiet">
              {signals.length - SHOWN_MAX} more are not shown.
            </Text>
          ) : null}
        </section>
      ))}
    </Stack>
  )
}

interface Leaf {
  readonly key: string
  readonly value: unknown
}

/** The values of a namespace by their dotted keys. */
function leavesOf(value: unknown, key = ''): Leaf[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return key === '' || value === undefined ? [] : [{ key, value }]
  return Object.entries(value).flatMap(([name, below]) =>
    leavesOf(below, key === '' ? name : `${key}.${name}`),
  )
}
