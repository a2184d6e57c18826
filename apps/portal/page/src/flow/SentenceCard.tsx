import { Autocomplete, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { t } from '../language/index.ts'
import { Conditions } from './Conditions.tsx'
import type { Condition, Sentence } from './sentences.ts'

interface SentenceCardProps {
  /** place in the flow, from 0 */
  readonly at: number
  readonly sentence: Sentence
  readonly roles: readonly string[]
  readonly fields: readonly string[]
  readonly onChange: (sentence: Sentence) => void
}

const OFFERED_MAX = 50
/** A sentence without any test has no `when`. */
const testsOrNone = ({ tests }: Condition): Sentence['tests'] => (tests.length === 0 ? null : tests)

/** The fields of `WHEN field operator value AND … THEN use / STACK role`. */
export function SentenceCard(props: SentenceCardProps) {
  const { at, sentence, fields, onChange } = props
  const { groups, rest } = sentence
  const tests = sentence.tests ?? []
  const isAlways = tests.length === 0 && groups.length === 0 && Object.keys(rest).length === 0
  return (
    <Stack gap={6}>
      {isAlways ? (
        <Text size="sm">
          <span className="word">{t('ALWAYS')}</span>
        </Text>
      ) : null}
      <Conditions
        label={t('Sentence {{n}}', { n: at + 1 })}
        of={{ tests, groups, rest }}
        fields={fields}
        onChange={(changed) => onChange({ ...sentence, ...changed, tests: testsOrNone(changed) })}
      />
      <Then {...props} />
    </Stack>
  )
}

function Then({ at, sentence, roles, onChange }: SentenceCardProps) {
  const setStack = (isStacked: boolean) => {
    const { stack: _before, ...others } = sentence
    onChange(isStacked ? { ...others, stack: true } : others)
  }
  return (
    <Group gap="xs" align="center">
      <span className="word">{t('THEN')}</span>
      <SegmentedControl
        size="xs"
        aria-label={t('Sentence {{n}}: use or stack', { n: at + 1 })}
        data={[
          { value: 'use', label: t('use') },
          { value: 'stack', label: t('STACK') },
        ]}
        value={sentence.stack === true ? 'stack' : 'use'}
        onChange={(chosen) => setStack(chosen === 'stack')}
      />
      <Autocomplete
        size="xs"
        flex="1 1 10rem"
        maw={320}
        aria-label={t('Sentence {{n}}: role', { n: at + 1 })}
        placeholder={t('a role')}
        data-button="role"
        data={[...roles]}
        limit={OFFERED_MAX}
        value={sentence.role}
        onChange={(role) => onChange({ ...sentence, role })}
      />
    </Group>
  )
}
