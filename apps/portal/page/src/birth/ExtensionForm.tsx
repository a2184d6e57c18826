import { Autocomplete, Radio, Stack, Textarea, TextInput } from '@mantine/core'
import { isNotEmpty, type UseFormReturnType, useForm } from '@mantine/form'
import { useAct } from '../api/deed.ts'
import { Form, given, Inert, Quiet } from '../parts/index.ts'
import { BornLast } from './BornLast.tsx'

/** As the manifest of an extension declares it. */
export interface DeclaredForm {
  readonly title: string
  readonly action: string
  readonly button: string
  readonly note?: string
  readonly fields: readonly BirthField[]
}
interface BirthField {
  readonly name: string
  readonly label: string
  readonly description?: string
  readonly input?: 'text' | 'script' | 'choice'
  readonly choices: readonly { readonly value: string; readonly description: string }[]
}
type BirthValues = Record<string, string>

interface ExtensionFormProps {
  readonly of: DeclaredForm
  readonly scripts: readonly string[]
}

/** A birth by an operation of an extension. */
export function ExtensionForm({
  of: { action: operation, button, note, fields },
  scripts,
}: ExtensionFormProps) {
  const form = useForm<BirthValues>({
    initialValues: Object.fromEntries(fields.map(({ name, choices }) => [name, choices[0]?.value ?? ''])),
    validate: { name: isNotEmpty() },
  })
  const bearing = useAct(() => form.setFieldValue('name', ''))
  return (
    <Form
      form={form}
      doing={bearing}
      submit={button}
      send={({ name = '', ...rest }) => ({
        verb: 'do',
        operation,
        args: { ...given(rest), name: name.trim().replace(/^@/, '') },
      })}
      done={
        <>
          <BornLast of={bearing} />
          {note === undefined ? null : <Quiet size="xs">{note}</Quiet>}
        </>
      }
    >
      {fields.map((field) => (
        <Input key={field.name} form={form} field={field} scripts={scripts} />
      ))}
    </Form>
  )
}

interface InputProps {
  readonly form: UseFormReturnType<BirthValues>
  readonly field: BirthField
  readonly scripts: readonly string[]
}

function Input({ form, field: { name, label, description, input, choices }, scripts }: InputProps) {
  const common = { label, description, ...form.getInputProps(name) }
  if (input === 'text') return <Textarea {...common} minRows={2} />
  if (input === 'script') return <Autocomplete {...common} data={[...scripts]} />
  if (input === undefined) return <TextInput {...common} required={name === 'name'} />
  return (
    <Radio.Group {...common}>
      <Stack gap="xs" mt={4}>
        {choices.map(({ value, description }) => (
          <Radio key={value} value={value} label={value} description={<Inert text={description} />} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
