import { Autocomplete, Switch, Textarea } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { type DeedBody, type FoundBy, useAct } from '../api/deed.ts'
import { reachQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { Form, given, Inert, parsed, Quiet } from '../parts/index.ts'
import { byName } from '../text/by-name.ts'
import { ArgumentInput } from './ArgumentInput.tsx'
import { type ArgumentField, argumentFields, argumentsIn, type OperationInput } from './arguments.ts'
import { Result } from './Result.tsx'

interface OperationFormProps {
  readonly verb: 'do' | 'be'
  /** operations in reach; any other can be typed, and is refused by its rule */
  readonly choices: FoundBy<typeof reachQuery>['actions']
}

const EMPTY_OPERATION: OperationInput = { name: '', target: '', values: {}, isRaw: false, raw: '{}' }

/** @throws {Error} for arguments that cannot be read */
function callOfInput(
  verb: OperationFormProps['verb'],
  fields: readonly ArgumentField[] | null,
  written: OperationInput,
): DeedBody {
  const { name, target, values, isRaw, raw } = written
  const args = isRaw || fields === null ? parsed(raw, t('the arguments are')) : argumentsIn(fields, values)
  return { verb, operation: name.trim(), args, ...(verb === 'be' ? {} : given({ target })) }
}

/** The arguments that were typed, as JSON. What cannot be read yet is typed anew. */
function rawOf(fields: readonly ArgumentField[], { values, raw }: OperationInput): string {
  try {
    return JSON.stringify(argumentsIn(fields, values), null, 2)
  } catch {
    return raw
  }
}

/** A DO or a BE: an operation, what it is done to, and its arguments as a form or as JSON. */
export function OperationForm({ verb, choices }: OperationFormProps) {
  const form = useForm({ initialValues: EMPTY_OPERATION, validate: { name: isNotEmpty() } })
  const acting = useAct()
  const { name, isRaw } = form.values
  const chosen = choices.find((one) => one.name === name.trim())
  const fields = chosen === undefined ? null : argumentFields(chosen)
  form.watch('name', () => {
    form.setFieldValue('values', {})
    acting.reset()
  })
  form.watch('isRaw', ({ value }) => {
    if (value && fields !== null) form.setFieldValue('raw', rawOf(fields, form.values))
  })
  return (
    <Form
      form={form}
      doing={acting}
      submit={verb === 'do' ? t('Do it') : t('Be it')}
      send={(written) => callOfInput(verb, fields, written)}
      done={<Result of={acting.data} />}
    >
      <Autocomplete
        label={t('Operation')}
        description={choices.length === 0 ? t('None is in your reach now') : undefined}
        placeholder={verb === 'do' ? 'set-role' : 'birth'}
        data={choices.map((one) => one.name)}
        limit={40}
        required
        {...form.getInputProps('name')}
      />
      {chosen === undefined ? null : (
        <Quiet>
          <Inert text={chosen.description} />
        </Quiet>
      )}
      {verb === 'be' ? null : (
        <TargetInput targets={chosen?.targets ?? []} {...form.getInputProps('target')} />
      )}
      {fields === null ? null : (
        <Switch label={t('arguments as JSON')} {...form.getInputProps('isRaw', { type: 'checkbox' })} />
      )}
      {isRaw || fields === null ? (
        <Textarea
          label={t('Arguments, as JSON')}
          classNames={{ input: 'code' }}
          minRows={2}
          maxRows={20}
          {...form.getInputProps('raw')}
        />
      ) : (
        fields.map((field) => <ArgumentInput key={field.name} field={field} form={form} />)
      )}
    </Form>
  )
}

interface TargetProps {
  readonly targets: readonly string[]
  readonly value?: string
  readonly onChange?: (value: string) => void
}

/**
 * What is done is done to a being, a space, a thing or a thread; the addresses that the lists name are
 * offered.
 */
function TargetInput({ targets, ...input }: TargetProps) {
  const { data } = useQuery(reachQuery)
  const named = [...(data?.surface.canSee ?? []), ...(data?.surface.canSummon ?? [])]
  const addresses = [...new Set(named.filter((entry) => typeof entry === 'string'))].sort(byName)
  return (
    <Autocomplete
      label={t('Target')}
      description={
        targets.length === 0
          ? undefined
          : t('takes: {{targets}}; left out, yourself or where you are', { targets: targets.join(', ') })
      }
      placeholder={t('@ann or /court')}
      data={addresses}
      limit={30}
      {...input}
    />
  )
}
