import { NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Field, Written } from './arguments.ts'

interface Props {
  readonly field: Field
  readonly form: UseFormReturnType<Written>
}

/** The input of one argument of an operation. */
export function ArgumentInput({ field: { name, what, kind, choices, isRequired }, form }: Props) {
  const { value = '', ...input } = form.getInputProps(`values.${name}`)
  const told = { label: name, description: what, required: isRequired, withAsterisk: isRequired }
  const common = { ...told, ...input, value }
  if (kind === 'choice' || kind === 'yes-or-no')
    return (
      <Select
        {...common}
        clearable={!isRequired}
        data={kind === 'choice' ? [...choices] : ['true', 'false']}
        value={value === '' ? null : value}
      />
    )
  if (kind === 'number') return <NumberInput {...common} />
  if (kind === 'text') return <TextInput {...common} />
  return <Textarea {...common} maxRows={12} placeholder="text, or JSON" classNames={{ input: 'code' }} />
}
