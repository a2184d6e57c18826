import { NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { t } from '../language/index.ts'
import type { ArgumentField, OperationInput } from './arguments.ts'

interface ArgumentInputProps {
  readonly field: ArgumentField
  readonly form: UseFormReturnType<OperationInput>
}

/** The input of one argument of an operation. */
export function ArgumentInput({
  field: { name, what, kind, choices, isRequired },
  form,
}: ArgumentInputProps) {
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
  return <Textarea {...common} maxRows={12} placeholder={t('text, or JSON')} classNames={{ input: 'code' }} />
}
