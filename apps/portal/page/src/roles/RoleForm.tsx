import { Accordion, Button, Group, Stack, Textarea, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useAct } from '../api/deed.ts'
import { t } from '../language/index.ts'
import { Inert } from '../parts/index.ts'
import { KeptTrial } from '../trial/KeptTrial.tsx'
import { TrialCard } from '../trial/TrialCard.tsx'
import { Difference } from '../words/Difference.tsx'
import { Findings, Refused } from './Deed.tsx'
import { DraftNote, TRIAL_ID } from './DraftNote.tsx'
import { EntryPicker } from './EntryPicker.tsx'
import type { ListEntry } from './entries.ts'
import { Hidden } from './Hidden.tsx'
import { MoreFields } from './MoreFields.tsx'
import { checkQuery, type Fault, roleQuery } from './queries.ts'
import { roleText } from './role-text.ts'
import { type Spec, setRole, type TrialNote } from './spec.ts'
import { useDraft } from './useDraft.ts'

const LINT_MS = 300

/** What the pickers offer. */
export interface OfferedEntries {
  readonly operations: readonly { readonly name: string }[]
  readonly beOps: readonly { readonly name: string }[]
  readonly see: readonly string[]
  readonly relations: readonly string[]
  readonly resolvers: readonly string[]
}

interface RoleFormProps {
  /** what is in force; null for a role that is new */
  readonly published: Spec | null
  readonly source: Spec
  readonly catalogs: OfferedEntries
  /** names the draft */
  readonly of: string
  /** stances of beings that may have worn it */
  readonly wearers?: readonly string[]
}

/** The fields of a role. They are kept as a draft, and the server checks them as they are written. */
export function RoleForm({ published, source, catalogs, of, wearers = [] }: RoleFormProps) {
  const navigate = useNavigate()
  const draft = useDraft<Spec>('role', of, published, source)
  const role = draft.value
  const [text] = useDebouncedValue(JSON.stringify(role), LINT_MS)
  const { data: checked } = useQuery(checkQuery('role', text))
  const leave = (search: { readonly role?: string }) => {
    draft.drop()
    void navigate({ to: '/roles', search })
  }
  const publishing = useAct(() => leave({ role: role.name }), roleQuery(role.name).queryKey)
  const [draftTrial, setDraftTrial] = useState<{ readonly of: string; readonly note: TrialNote } | null>(null)
  const hasTrial = draftTrial !== null && draftTrial.of === JSON.stringify(role)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    publishing.mutate(setRole(role, hasTrial ? draftTrial.note : null))
  }
  return (
    <Stack>
      <form onSubmit={onSubmit} className="card" aria-label={t('Role')}>
        <Stack>
          <Title order={2}>
            {published === null ? (
              t('New role')
            ) : (
              <Inert text={t('Edit {{name}}', { name: published.name })} />
            )}
          </Title>
          <DraftNote of="role" draft={draft} isTryable={published !== null} />
          <Fields
            role={role}
            write={draft.write}
            checked={checked?.errors ?? []}
            published={published}
            catalogs={catalogs}
          />
          <Findings checked={role.name === '' ? undefined : checked} of="role" />
          {published === null || !draft.isDraft ? null : (
            <Difference
              title={t('Your draft against what is in force')}
              before={roleText(published)}
              after={roleText(role)}
            />
          )}
          <Refused error={publishing.error} />
          {hasTrial ? <KeptTrial note={draftTrial.note} drop={() => setDraftTrial(null)} /> : null}
          <Group>
            <Button
              type="submit"
              loading={publishing.isPending}
              disabled={role.name === '' || (published !== null && !draft.isDraft)}
            >
              {t('Publish')}
            </Button>
            <Button
              variant="default"
              onClick={() => leave(published === null ? {} : { role: published.name })}
            >
              {draft.isDraft ? t('Discard the draft') : t('Back')}
            </Button>
          </Group>
        </Stack>
      </form>
      {published === null ? null : (
        <TrialCard
          id={TRIAL_ID}
          role={role.name}
          beings={wearers}
          candidate={{ roles: [role] }}
          isOff={(checked?.errors.length ?? 0) > 0}
          onTrial={({ scores: _, ...note }) => setDraftTrial({ of: JSON.stringify(role), note })}
        />
      )}
    </Stack>
  )
}

interface FieldsProps extends Pick<RoleFormProps, 'published' | 'catalogs'> {
  readonly role: Spec
  readonly write: (role: Spec) => void
  readonly checked: readonly Fault[]
}

function Fields({ role, write, checked, published, catalogs }: FieldsProps) {
  const { prompt = '', description = '' } = role
  const set = (field: string, value: unknown) => {
    const { [field]: _before, ...rest } = role
    write((value === undefined ? rest : { ...role, [field]: value }) as Spec)
  }
  const errorOf = (field: string) => faultOf(checked, field)
  return (
    <>
      <TextInput
        label={t('Name')}
        description={t('Lower case, words joined by a hyphen. It never changes.')}
        required
        disabled={published !== null}
        error={role.name === '' ? undefined : errorOf('name')}
        value={role.name}
        onChange={(event) => set('name', event.currentTarget.value)}
      />
      <TextInput
        label={t('Description')}
        description={t('For people; it is never part of a prompt.')}
        error={errorOf('description')}
        value={String(description)}
        onChange={(event) => set('description', event.currentTarget.value || undefined)}
      />
      <Textarea
        label={t('Prompt')}
        description={t('Who its wearer is, and what it is for. What it may reach is told by itself.')}
        minRows={5}
        maxRows={24}
        error={errorOf('prompt')}
        value={String(prompt)}
        onChange={(event) => set('prompt', event.currentTarget.value)}
      />
      <Hidden text={`${description} ${prompt}`} />
      {pickersOf(catalogs).map(({ field, ...picker }) => (
        <EntryPicker
          key={field}
          {...picker}
          entries={(role[field] ?? []) as readonly ListEntry[]}
          error={errorOf(field)}
          onChange={(entries) => set(field, entries)}
        />
      ))}
      <Accordion variant="contained">
        <Accordion.Item value="more">
          <Accordion.Control>{t('What wakes it, and how it answers')}</Accordion.Control>
          <Accordion.Panel>
            <MoreFields role={role} set={set} errorOf={errorOf} />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </>
  )
}

/** The lists of a role. */
function pickersOf({ operations, beOps, see, ...catalogs }: OfferedEntries) {
  const relations = catalogs.relations.map((rel) => JSON.stringify({ rel }))
  const resolvers = catalogs.resolvers.map((resolver) => JSON.stringify({ resolver }))
  return [
    {
      field: 'canSee',
      label: t('May see'),
      description: t('Spaces, beings and things by name, or such as its maker'),
      addresses: 'all' as const,
      offered: ['~', '{"pattern":"*"}', ...relations, ...resolvers],
    },
    {
      field: 'canDo',
      label: t('May do'),
      description: t('Operations'),
      offered: [...operations.map(({ name }) => name), '{"pattern":"*"}', ...resolvers],
    },
    {
      field: 'canSummon',
      label: t('May speak to'),
      description: t('Beings by name, or such as whoever asks'),
      addresses: 'beings' as const,
      offered: [...relations, '{"pattern":"@*"}', ...resolvers],
    },
    {
      field: 'canBe',
      label: t('May be'),
      description: t('Operations of identity, such as birth; most roles leave it empty'),
      offered: beOps.map(({ name }) => name),
    },
    { field: 'see', label: t('Is shown'), description: t('Views that every prompt holds'), offered: see },
  ]
}

/** The message of a fault of this field or of a part of it. */
const faultOf = (faults: readonly Fault[], field: string): string | undefined =>
  faults.find(({ path }) => path === field || path.startsWith(`${field}[`) || path.startsWith(`${field}.`))
    ?.message
