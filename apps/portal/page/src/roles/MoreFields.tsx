import { NumberInput, Select, SimpleGrid, Switch, TagsInput } from '@mantine/core'
import { t } from '../language/index.ts'
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
    t('Who can wear it'),
    t('any mind'),
    { llm: t('a model'), human: t('a person'), scripted: t('a script') },
  ],
  [
    'defaultOrientation',
    t('What it looks at'),
    t('the world'),
    { forward: t('the world'), half: t('half the world, half itself'), inward: t('itself') },
  ],
  [
    'respondMode',
    t('Whether it answers'),
    t('when it has something to say'),
    { async: t('when it has something to say'), none: t('never') },
  ],
  [
    'onAnswers',
    t('When it acts, having asked others'),
    t('on each answer'),
    { each: t('on each answer'), all: t('once all answers are in') },
  ],
  [
    'views',
    t('What its prompt shows'),
    t('what is around it, and its views'),
    { default: t('what is around it, and its views'), only: t('its views alone') },
  ],
  [
    'layout',
    t('Order of its prompt'),
    t('as it is told'),
    { 'as-told': t('as it is told'), 'stable-first': t('what seldom changes first') },
  ],
  [
    'prose',
    t('Words without an act'),
    t('are kept, and reach nobody'),
    { see: t('are kept, and reach nobody'), answers: t('are its answer') },
  ],
] as const
/** Where the value of a field is not text. */
const SELF_CONTINUES: Readonly<Record<string, unknown>> = {
  [t('after each act')]: true,
  [t('until it has answered')]: 'until-answered',
  [t('no')]: false,
}

/** Fields that most roles leave out. */
export function MoreFields({ role, set, errorOf }: RoleMoreProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <TagsInput
        label={t('Woken by')}
        description={t('message unless given; an empty list wakes never')}
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
        label={t('Goes on by itself')}
        placeholder={t('no')}
        data={Object.keys(SELF_CONTINUES)}
        clearable
        value={Object.entries(SELF_CONTINUES).find(([, value]) => value === role.selfContinue)?.[0] ?? null}
        onChange={(chosen) => set('selfContinue', SELF_CONTINUES[chosen ?? ''])}
        error={errorOf('selfContinue')}
      />
      <NumberInput
        label={t('Steps for one question')}
        description={t('after acts, looks and refusals')}
        placeholder="16"
        min={0}
        max={200}
        allowDecimal={false}
        value={(role.steps as number | undefined) ?? ''}
        onChange={(steps) => set('steps', steps === '' ? undefined : steps)}
        error={errorOf('steps')}
      />
      <Switch
        label={t('Has to call a tool when asked')}
        checked={role.forceToolCall === true}
        onChange={(event) => set('forceToolCall', event.currentTarget.checked ? true : undefined)}
      />
    </SimpleGrid>
  )
}
