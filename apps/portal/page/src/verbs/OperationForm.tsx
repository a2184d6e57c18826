import { Autocomplete, Stack, Switch, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Inert } from '../text/Inert.tsx'
import { argumentsIn, fieldsOf } from './arguments.ts'
import { Fields } from './Fields.tsx'
import { reachQuery } from './queries.ts'
import { Send, useCall } from './Send.tsx'

interface Choice {
  readonly name: string
  readonly description: string
  readonly targets: readonly string[]
  readonly args: Readonly<Record<string, string>>
  readonly schema: unknown
}

interface Props {
  readonly verb: 'do' | 'be'
  /** operations in reach; any other can be typed, and is refused by its rule */
  readonly choices: readonly Choice[]
}

/** A DO or a BE: an operation, what it is done to, and its arguments as a form or as JSON. */
export function OperationForm({ verb, choices }: Props) {
  const [name, setName] = useState('')
  const [target, setTarget] = useState('')
  const [values, setValues] = useState<Record<string, string>>({})
  const [isRaw, setRaw] = useState(false)
  const [raw, setRawText] = useState('{}')
  const [fault, setFault] = useState<Error | null>(null)
  const sending = useCall()
  const chosen = choices.find((one) => one.name === name.trim())
  const fields = chosen === undefined ? null : fieldsOf(chosen)
  const asJson = isRaw || fields === null

  const choose = (next: string) => {
    setName(next)
    setValues({})
    sending.reset()
  }
  const toRaw = (on: boolean) => {
    if (on && fields !== null)
      try {
        setRawText(JSON.stringify(argumentsIn(fields, values), null, 2))
      } catch {
        // What cannot be read yet is typed anew.
      }
    setRaw(on)
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setFault(null)
    try {
      const given = asJson ? (JSON.parse(raw) as unknown) : argumentsIn(fields ?? [], values)
      const call =
        verb === 'be'
          ? { verb, operation: name.trim(), payload: given }
          : {
              verb,
              action: name.trim(),
              args: given,
              ...(target.trim() === '' ? {} : { target: target.trim() }),
            }
      sending.mutate(call)
    } catch (error) {
      setFault(
        error instanceof SyntaxError
          ? new Error(`the arguments are not JSON: ${error.message}`)
          : (error as Error),
      )
    }
  }
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="sm">
        <Autocomplete
          label={verb === 'do' ? 'Action' : 'Operation'}
          description={choices.length === 0 ? 'None is in your reach now' : undefined}
          placeholder={verb === 'do' ? 'set-role' : 'birth'}
          data={choices.map((one) => one.name)}
          limit={40}
          required
          withAsterisk={false}
          value={name}
          onChange={choose}
        />
        {chosen === undefined ? null : (
          <Text size="sm" className="quiet">
            <Inert text={chosen.description} />
          </Text>
        )}
        {verb === 'be' ? null : (
          <TargetInput targets={chosen?.targets ?? []} value={target} onChange={setTarget} />
        )}
        {fields === null ? null : (
          <Switch
            label="arguments as JSON"
            checked={isRaw}
            onChange={(event) => toRaw(event.currentTarget.checked)}
          />
        )}
        {asJson ? (
          <Textarea
            label="Arguments, as JSON"
            classNames={{ input: 'code' }}
            autosize
            minRows={2}
            maxRows={20}
            value={raw}
            onChange={(event) => setRawText(event.currentTarget.value)}
          />
        ) : (
          <Fields
            fields={fields ?? []}
            values={values}
            onChange={(field, value) => setValues((all) => ({ ...all, [field]: value }))}
          />
        )}
        <Send
          label={verb === 'do' ? 'Do it' : 'Be it'}
          sending={sending}
          error={fault}
          isDisabled={name.trim() === ''}
        />
      </Stack>
    </form>
  )
}

interface TargetProps {
  readonly targets: readonly string[]
  readonly value: string
  readonly onChange: (value: string) => void
}

/** What is done is done to a being, a space, a thing or a thread; the addresses that the lists name are offered. */
function TargetInput({ targets, value, onChange }: TargetProps) {
  const { data } = useQuery(reachQuery)
  const named = [...(data?.surface.canSee ?? []), ...(data?.surface.canSummon ?? [])]
  const addresses = [...new Set(named.filter((entry) => typeof entry === 'string'))].sort()
  return (
    <Autocomplete
      label="Target"
      description={
        targets.length === 0 ? undefined : `takes: ${targets.join(', ')}; left out, yourself or where you are`
      }
      placeholder="@ann or /court"
      data={addresses}
      limit={30}
      value={value}
      onChange={onChange}
    />
  )
}
