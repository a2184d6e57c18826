import { NumberInput, Select, Stack, Textarea, TextInput } from '@mantine/core'
import type { Field } from './arguments.ts'

interface Props {
  readonly fields: readonly Field[]
  readonly values: Readonly<Record<string, string>>
  readonly onChange: (name: string, value: string) => void
}

/** The inputs of one operation. */
export const Fields = ({ fields, values, onChange }: Props) => (
  <Stack gap="sm">
    {fields.map((field) => (
      <Input
        key={field.name}
        field={field}
        value={values[field.name] ?? ''}
        onChange={(value) => onChange(field.name, value)}
      />
    ))}
  </Stack>
)

interface InputProps {
  readonly field: Field
  readonly value: string
  readonly onChange: (value: string) => void
}

function Input({ field: { name, what, kind, choices, isRequired }, value, onChange }: InputProps) {
  const common = { label: name, description: what === '' ? undefined : what, required: isRequired }
  if (kind === 'choice' || kind === 'yes-or-no')
    return (
      <Select
        {...common}
        clearable={!isRequired}
        data={kind === 'choice' ? [...choices] : ['true', 'false']}
        value={value === '' ? null : value}
        onChange={(next) => onChange(next ?? '')}
      />
    )
  if (kind === 'number')
    return <NumberInput {...common} value={value} onChange={(next) => onChange(String(next))} />
  if (kind === 'text')
    return <TextInput {...common} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
  return (
    <Textarea
      {...common}
      autosize
      minRows={1}
      maxRows={12}
      placeholder="text, or JSON"
      classNames={{ input: 'code' }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
