import { ActionIcon, Button, Group as Row, Stack } from '@mantine/core'
import { t } from '../language/index.ts'
import { Content, Quiet } from '../parts/index.ts'
import { Hidden } from '../roles/Hidden.tsx'
import type { Condition, ConditionGroup, SentenceTest } from './sentences.ts'
import { TestRow } from './TestRow.tsx'

interface ConditionsProps {
  /** names it for who reads by ear, as `Sentence 2` */
  readonly label: string
  readonly of: Condition
  readonly fields: readonly string[]
  readonly onChange: (condition: Condition) => void
}

const EMPTY_TEST: SentenceTest = { field: '', operator: 'eq', value: '', isBare: true }
const EMPTY_CONDITION: Condition = { tests: [EMPTY_TEST], groups: [], rest: {} }
const GROUP_LABELS: Readonly<Record<ConditionGroup['word'], string>> = {
  and: t('ALL OF'),
  or: t('ANY OF'),
  not: t('NOT'),
}
/** Each kind of group: the label of its button, and the number of conditions in a new group. */
const NEW_GROUPS = [
  { word: 'or', says: t('Or one of several'), begins: 2 },
  { word: 'not', says: t('And not'), begins: 1 },
] as const

/**
 * The conditions of a clause, which must all hold: single tests, and groups. Of a group all, at least one, or
 * none must hold.
 */
export function Conditions({ label, of, fields, onChange }: ConditionsProps) {
  const { tests, groups, rest } = of
  const isEmpty = tests.length === 0 && groups.length === 0 && Object.keys(rest).length === 0
  const setTests = (next: readonly SentenceTest[]) => onChange({ ...of, tests: next })
  const setGroups = (next: readonly ConditionGroup[]) => onChange({ ...of, groups: next })
  return (
    <Stack gap={6}>
      {tests.map((test, i) => (
        <TestRow
          key={`${tests.length} ${i}`} // its field of a value keeps what was typed, so no row becomes another one
          word={i === 0 ? t('WHEN') : t('AND')}
          label={t('{{label}}, condition {{n}}', { label, n: i + 1 })}
          test={test}
          fields={fields}
          onChange={(changed) => setTests(tests.with(i, changed))}
          onRemove={() => setTests(tests.toSpliced(i, 1))}
        />
      ))}
      {groups.map((group, i) => (
        <Together
          key={group.word}
          isFirst={tests.length === 0 && i === 0}
          label={label}
          group={group}
          fields={fields}
          onChange={(changed) => setGroups(groups.with(i, changed))}
          onRemove={() => setGroups(groups.toSpliced(i, 1))}
        />
      ))}
      <Rest of={rest} />
      <Row gap={4}>
        <Button size="compact-xs" variant="subtle" onClick={() => setTests([...tests, EMPTY_TEST])}>
          {isEmpty ? t('Add a condition') : t('And another condition')}
        </Button>
        {NEW_GROUPS.filter(({ word }) => !groups.some((group) => group.word === word) && !(word in rest)).map(
          ({ word, says, begins }) => (
            <Button
              key={word}
              size="compact-xs"
              variant="subtle"
              onClick={() => setGroups([...groups, { word, of: Array(begins).fill(EMPTY_CONDITION) }])}
            >
              {says}
            </Button>
          ),
        )}
      </Row>
      <Hidden text={tests.map(({ field, value }) => `${field} ${String(value)}`).join(' ')} />
    </Stack>
  )
}

interface TogetherProps extends Pick<ConditionsProps, 'label' | 'fields'> {
  readonly isFirst: boolean
  readonly group: ConditionGroup
  readonly onChange: (group: ConditionGroup) => void
  readonly onRemove: () => void
}

/** `AND ANY OF …, OR …`, each a condition of its own. */
function Together({ isFirst, label, group, fields, onChange, onRemove }: TogetherProps) {
  const { word, of } = group
  const name = `${label}, ${GROUP_LABELS[word].toLowerCase()}`
  const set = (next: readonly Condition[]) => (next.length === 0 ? onRemove() : onChange({ word, of: next }))
  return (
    <fieldset className="together">
      <legend>
        <span className="word">
          {isFirst ? t('WHEN') : t('AND')} {GROUP_LABELS[word]}
        </span>{' '}
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Remove: {{name}}', { name })}
          onClick={onRemove}
        >
          ✕
        </ActionIcon>
      </legend>
      {of.map((condition, i) => (
        <div key={`${of.length} ${i}`} className="branch">
          {i === 0 ? null : <span className="word">{word === 'or' ? t('OR') : t('AND')}</span>}
          <Conditions
            label={`${name} ${i + 1}`}
            of={condition}
            fields={fields}
            onChange={(changed) => set(of.with(i, changed))}
          />
          {of.length < 2 ? null : (
            <Button size="compact-xs" variant="subtle" color="gray" onClick={() => set(of.toSpliced(i, 1))}>
              {t('Remove this one')}
            </Button>
          )}
        </div>
      ))}
      {word === 'not' ? null : (
        <Button size="compact-xs" variant="subtle" onClick={() => set([...of, EMPTY_CONDITION])}>
          {word === 'or' ? t('Or else') : t('And also')}
        </Button>
      )}
    </fieldset>
  )
}

/** What is malformed, or lies too deep. */
const Rest = ({ of }: { readonly of: Condition['rest'] }) =>
  Object.keys(of).length === 0 ? null : (
    <div className="block code">
      <Content value={of} />
      <Quiet size="xs">{t('The JSON view changes this part.')}</Quiet>
    </div>
  )
