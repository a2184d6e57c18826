import { Select, SimpleGrid, Switch, TagsInput } from '@mantine/core'
import type { Spec } from './spec.ts'

interface MoreProps {
  readonly role: Spec
  /** undefined leaves the field out, so that its default holds */
  readonly set: (field: string, value: unknown) => void
  readonly errorOf: (field: string) => string | undefined
}

const CHOICES = [
  ['requiredCognition', 'Only for', 'any mind', ['llm', 'human', 'scripted']],
  ['defaultOrientation', 'Orientation', 'forward', ['forward', 'half', 'inward']],
  ['replyTo', 'Replies to', 'asker', ['asker', 'chain-initial']],
  ['respondMode', 'Responds', 'async', ['async', 'none']],
  ['views', 'Sees', 'default', ['default', 'only']],
  ['layout', 'Prompt', 'as-told', ['as-told', 'stable-first']],
  ['prose', 'Prose', 'see', ['see', 'answers']],
] as const
/** Where the value of a field is no text. */
const SELF_CONTINUES = {
  'after each act': true,
  'until it has answered': 'until-answered',
  no: false,
} as const

/** Fields that most roles leave out. */
export function MoreFields({ role, set, errorOf }: MoreProps) {
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
      {CHOICES.map(([field, label, byDefault, data]) => (
        <Select
          key={field}
          label={label}
          placeholder={byDefault}
          data={[...data]}
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
      <Switch
        label="Has to call a tool when asked"
        checked={role.forceToolCall === true}
        onChange={(event) => set('forceToolCall', event.currentTarget.checked ? true : undefined)}
      />
    </SimpleGrid>
  )
}
