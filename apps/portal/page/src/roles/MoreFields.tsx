import { NumberInput, Select, SimpleGrid, Switch, TagsInput } from '@mantine/core'
import type { Spec } from './spec.ts'

interface RoleMoreProps {
  readonly role: Spec
  /** undefined leaves the field out, so that its default holds */
  readonly set: (field: string, value: unknown) => void
  readonly errorOf: (field: string) => string | undefined
}

/** For each field its label, what holds when nothing is chosen, and the words for each value. */
const FIELD_CHOICES = [
  [
    'requiredCognition',
    'Who can wear it',
    'any mind',
    { llm: 'a model', human: 'a person', scripted: 'a script' },
  ],
  [
    'defaultOrientation',
    'What it looks at',
    'the world',
    { forward: 'the world', half: 'half the world, half itself', inward: 'itself' },
  ],
  [
    'respondMode',
    'Whether it answers',
    'when it has something to say',
    { async: 'when it has something to say', none: 'never' },
  ],
  [
    'onAnswers',
    'When it acts, having asked others',
    'on each answer',
    { each: 'on each answer', all: 'once all answers are in' },
  ],
  [
    'views',
    'What its prompt shows',
    'what is around it, and its views',
    { default: 'what is around it, and its views', only: 'its views alone' },
  ],
  [
    'layout',
    'Order of its prompt',
    'as it is told',
    { 'as-told': 'as it is told', 'stable-first': 'what seldom changes first' },
  ],
  [
    'prose',
    'Words without an act',
    'are kept, and reach nobody',
    { see: 'are kept, and reach nobody', answers: 'are its answer' },
  ],
] as const
/** Where the value of a field is not text. */
const SELF_CONTINUES = {
  'after each act': true,
  'until it has answered': 'until-answered',
  no: false,
} as const

/** Fields that most roles leave out. */
export function MoreFields({ role, set, errorOf }: RoleMoreProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <TagsInput
        label="Woken by"
        description="message unless given; an empty list wakes never"
        placeholder={role.triggerOn === undefined ? 'message' : ''}
        data={['message', 'schedule', 'change', 'idle']}
        value={role.triggerOn === undefined ? [] : [...(role.triggerOn as readonly string[])]}
        onChange={(words) => set('triggerOn', words)}
        clearable
        onClear={() => set('triggerOn', undefined)}
        error={errorOf('triggerOn')}
      />
      {FIELD_CHOICES.map(([field, label, byDefault, data]) => (
        <Select
          key={field}
          label={label}
          placeholder={byDefault}
          data={Object.entries(data).map(([value, words]) => ({ value, label: words }))}
          clearable
          value={(role[field] as string | undefined) ?? null}
          onChange={(chosen) => set(field, chosen ?? undefined)}
          error={errorOf(field)}
        />
      ))}
      <Select
        label="Goes on by itself"
        placeholder="no"
        data={Object.keys(SELF_CONTINUES)}
        clearable
        value={Object.entries(SELF_CONTINUES).find(([, value]) => value === role.selfContinue)?.[0] ?? null}
        onChange={(chosen) =>
          set('selfContinue', SELF_CONTINUES[chosen as keyof typeof SELF_CONTINUES] as unknown)
        }
        error={errorOf('selfContinue')}
      />
      <NumberInput
        label="Steps for one question"
        description="after acts, looks and refusals"
        placeholder="16"
        min={0}
        max={200}
        allowDecimal={false}
        value={(role.steps as number | undefined) ?? ''}
        onChange={(steps) => set('steps', steps === '' ? undefined : steps)}
        error={errorOf('steps')}
      />
      <Switch
        label="Has to call a tool when asked"
        checked={role.forceToolCall === true}
        onChange={(event) => set('forceToolCall', event.currentTarget.checked ? true : undefined)}
      />
    </SimpleGrid>
  )
}
