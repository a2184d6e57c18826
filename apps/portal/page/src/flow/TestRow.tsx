import { ActionIcon, Autocomplete, NativeSelect, TagsInput, TextInput } from '@mantine/core'
import { t } from '../language/index.ts'
import { Chip } from '../roles/Chip.tsx'
import { OPERATOR_LABELS } from './sentence-words.ts'
import {
  OPERATORS,
  type Operand,
  type Operator,
  operandFor,
  type SentenceTest,
  takesList,
} from './sentences.ts'
import { type Scalar, textOfValue, valueOfText } from './values.ts'

const OPERATOR_CHOICES = OPERATORS.map((operator) => ({ value: operator, label: OPERATOR_LABELS[operator] }))

interface TestRowProps {
  readonly word: string
  readonly label: string
  readonly test: SentenceTest
  readonly fields: readonly string[]
  readonly onChange: (test: SentenceTest) => void
  readonly onRemove: () => void
}

/** One condition: `field operator value`. */
export function TestRow({ word, label, test, fields, onChange, onRemove }: TestRowProps) {
  const { field, operator, value } = test
  const choose = (next: Operator) => onChange({ ...test, operator: next, value: operandFor(next, value) })
  return (
    <div className="test">
      <span className="word">{word}</span>
      <Autocomplete
        size="xs"
        aria-label={t('{{label}}: field', { label })}
        placeholder={t('a field')}
        data={[...fields]}
        value={field}
        onChange={(path) => onChange({ ...test, field: path })}
      />
      <NativeSelect
        size="xs"
        aria-label={t('{{label}}: operator', { label })}
        data={OPERATOR_CHOICES}
        value={operator}
        onChange={(event) => choose(event.currentTarget.value as Operator)}
      />
      <Value
        label={t('{{label}}: value', { label })}
        operator={operator}
        value={value}
        onChange={(next) => onChange({ ...test, value: next })}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('Remove: {{label}}', { label })}
        onClick={onRemove}
      >
        ✕
      </ActionIcon>
    </div>
  )
}

interface ValueProps {
  readonly label: string
  readonly operator: Operator
  readonly value: Operand
  readonly onChange: (value: Operand) => void
}

function Value({ label, operator, value, onChange }: ValueProps) {
  if (operator === 'present')
    return (
      <NativeSelect
        size="xs"
        aria-label={label}
        data={[
          { value: 'true', label: t('yes') },
          { value: 'false', label: t('no') },
        ]}
        value={String(value)}
        onChange={(event) => onChange(event.currentTarget.value === 'true')}
      />
    )
  if (takesList(operator))
    return (
      <TagsInput
        size="xs"
        aria-label={label}
        placeholder={t('a value, then Enter')}
        splitChars={['\n']}
        renderPill={(pill) => <Chip {...pill} />}
        isDuplicate={(text, others) => others.includes(text)}
        value={[...new Set((value as readonly Scalar[]).map(textOfValue))]}
        onChange={(texts) => onChange(texts.map(valueOfText))}
      />
    )
  return (
    <TextInput
      size="xs"
      aria-label={label}
      placeholder={t('a value')}
      defaultValue={textOfValue(value as Scalar)}
      onChange={(event) => onChange(valueOfText(event.currentTarget.value))}
    />
  )
}
