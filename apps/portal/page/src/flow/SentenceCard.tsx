import { ActionIcon, Autocomplete, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import type { RefObject } from 'react'
import { Content, Quiet } from '../parts/index.ts'
import { Hidden } from '../roles/Hidden.tsx'
import type { Sentence, Test } from './sentences.ts'
import { TestRow } from './TestRow.tsx'

interface CardProps {
  /** place in the flow, from 0 */
  readonly at: number
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly sentence: Sentence
  /** by which a mouse drags it */
  readonly handle: RefObject<HTMLSpanElement | null>
  readonly roles: readonly string[]
  readonly fields: readonly string[]
  readonly onChange: (sentence: Sentence) => void
  readonly onMove: (step: -1 | 1) => void
  readonly onRemove: () => void
}

const OFFERED_MAX = 50

/** `WHEN field operator value AND … THEN use / STACK role`. */
export function SentenceCard(props: CardProps) {
  const { at, sentence, handle, fields, onChange } = props
  const tests = sentence.tests ?? []
  const rest = Object.keys(sentence.rest)
  const setTests = (next: readonly Test[]) =>
    onChange({ ...sentence, tests: next.length === 0 ? null : next })
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text
          ref={handle}
          component="span"
          size="xs"
          className="quiet handle"
          title="Drag it to another place"
        >
          <span aria-hidden>⠿</span> {at + 1}
        </Text>
        <Buttons {...props} />
      </Group>
      {tests.length === 0 && rest.length === 0 ? (
        <Text size="sm">
          <span className="word">ALWAYS</span>
        </Text>
      ) : null}
      {tests.map((test, i) => (
        <TestRow
          key={`${tests.length} ${i}`} // its field of a value keeps what was typed, so no row becomes another one
          word={i === 0 ? 'WHEN' : 'AND'}
          label={`Sentence ${at + 1}, condition ${i + 1}`}
          test={test}
          fields={fields}
          onChange={(changed) => setTests(tests.map((one, j) => (j === i ? changed : one)))}
          onRemove={() => setTests(tests.filter((_, j) => j !== i))}
        />
      ))}
      <Rest of={sentence.rest} isFirst={tests.length === 0} />
      <div>
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => setTests([...tests, { field: '', operator: 'eq', value: '', isBare: true }])}
        >
          {tests.length === 0 && rest.length === 0 ? 'Add a condition' : 'And another condition'}
        </Button>
      </div>
      <Hidden text={tests.map(({ field, value }) => `${field} ${String(value)}`).join(' ')} />
      <Then {...props} />
    </Stack>
  )
}

interface RestProps {
  readonly of: Sentence['rest']
  readonly isFirst: boolean
}

/** The part of the condition that is not a row of tests. */
const Rest = ({ of, isFirst }: RestProps) =>
  Object.keys(of).length === 0 ? null : (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <span className="word">{isFirst ? 'WHEN' : 'AND'}</span>
      <div className="block code">
        <Content value={of} />
        <Quiet size="xs">The JSON view changes this part.</Quiet>
      </div>
    </Group>
  )

function Then({ at, sentence, roles, onChange }: CardProps) {
  const setStack = (isStacked: boolean) => {
    const { stack: _before, ...others } = sentence
    onChange(isStacked ? { ...others, stack: true } : others)
  }
  return (
    <Group gap="xs" align="center">
      <span className="word">THEN</span>
      <SegmentedControl
        size="xs"
        aria-label={`Sentence ${at + 1}: use or stack`}
        data={[
          { value: 'use', label: 'use' },
          { value: 'stack', label: 'STACK' },
        ]}
        value={sentence.stack === true ? 'stack' : 'use'}
        onChange={(chosen) => setStack(chosen === 'stack')}
      />
      <Autocomplete
        size="xs"
        flex="1 1 10rem"
        maw={320}
        aria-label={`Sentence ${at + 1}: role`}
        placeholder="a role"
        data-button="role"
        data={[...roles]}
        limit={OFFERED_MAX}
        value={sentence.role}
        onChange={(role) => onChange({ ...sentence, role })}
      />
    </Group>
  )
}

function Buttons({ at, isFirst, isLast, onMove, onRemove }: CardProps) {
  const name = `sentence ${at + 1}`
  return (
    <Group gap={4} wrap="nowrap">
      <ActionIcon
        variant="default"
        data-button="up"
        aria-label={`Move ${name} up`}
        title="Move up (Alt ↑)"
        aria-disabled={isFirst}
        onClick={() => onMove(-1)}
      >
        ↑
      </ActionIcon>
      <ActionIcon
        variant="default"
        data-button="down"
        aria-label={`Move ${name} down`}
        title="Move down (Alt ↓)"
        aria-disabled={isLast}
        onClick={() => onMove(1)}
      >
        ↓
      </ActionIcon>
      <ActionIcon variant="default" aria-label={`Remove ${name}`} title="Remove" onClick={onRemove}>
        ✕
      </ActionIcon>
    </Group>
  )
}
