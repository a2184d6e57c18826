import { Accordion, Alert, Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { Answer } from '../shell/states.tsx'
import { Inert } from '../text/Inert.tsx'
import { Findings, Refused } from './Deed.tsx'
import { EntryPicker } from './EntryPicker.tsx'
import type { Entry } from './entries.ts'
import { Hidden } from './Hidden.tsx'
import { MoreFields } from './MoreFields.tsx'
import { checkQuery, type Fault, roleQuery, useAct } from './queries.ts'
import { roleText } from './role-text.ts'
import { type Spec, setRole } from './spec.ts'
import { useDraft } from './useDraft.ts'
import { Difference } from './Versions.tsx'

const LINT_MS = 300
const NEW: Spec = { name: '', canSee: [], canDo: [], canSummon: [], canBe: [], see: [], prompt: '' }

/** What the pickers offer. */
export interface Offered {
  readonly operations: readonly { readonly name: string }[]
  readonly beOps: readonly { readonly name: string }[]
  readonly see: readonly string[]
  readonly relations: readonly string[]
  readonly resolvers: readonly string[]
}

interface EditorProps {
  /** null writes a new role */
  readonly name: string | null
  readonly catalogs: Offered
}

/** Writes a role, or changes one. What an extension brought is copied under a name of its own. */
export function RoleEditor({ name, catalogs }: EditorProps) {
  if (name === null) return <Form published={null} source={NEW} catalogs={catalogs} of="new" />
  return <Existing name={name} catalogs={catalogs} />
}

function Existing({ name, catalogs }: { readonly name: string; readonly catalogs: Offered }) {
  const role = useQuery(roleQuery(name))
  return (
    <Answer of={role}>
      {({ origin, versions }) => {
        const spec = (versions as unknown as readonly { spec: Spec | null }[]).find(
          (one) => one.spec !== null,
        )?.spec
        if (spec === undefined || spec === null)
          return <Alert title="Its text is not open to you">So it cannot be edited here.</Alert>
        if (origin === 'live') return <Form published={spec} source={spec} catalogs={catalogs} of={name} />
        const { prompt } = spec
        const copy = {
          ...spec,
          name: `${name.replace(/^.*:/, '')}-copy`,
          prompt: typeof prompt === 'string' ? prompt : '',
        }
        return <Form published={null} source={copy} catalogs={catalogs} of={`copy of ${name}`} />
      }}
    </Answer>
  )
}

interface FormProps {
  /** what is in force; null for a role that is new */
  readonly published: Spec | null
  readonly source: Spec
  readonly catalogs: Offered
  /** names the draft */
  readonly of: string
}

function Form({ published, source, catalogs, of }: FormProps) {
  const navigate = useNavigate()
  const draft = useDraft<Spec>('role', of, published, source)
  const role = draft.value
  const [text] = useDebouncedValue(JSON.stringify(role), LINT_MS)
  const { data: checked } = useQuery(checkQuery('role', text))
  const publishing = useAct(() => {
    draft.drop()
    void navigate({ to: '/roles', search: { role: role.name } })
  })
  const set = (field: string, value: unknown) => {
    const { [field]: _before, ...rest } = role
    draft.write((value === undefined ? rest : { ...role, [field]: value }) as Spec)
  }
  const errorOf = (field: string) => faultOf(checked?.errors ?? [], field)
  const list = (field: string) => ({
    entries: (role[field] ?? []) as readonly Entry[],
    error: errorOf(field),
    onChange: (entries: Entry[]) => set(field, entries),
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    publishing.mutate(setRole(role))
  }
  const relations = catalogs.relations.map((rel) => JSON.stringify({ rel }))
  const resolvers = catalogs.resolvers.map((resolver) => JSON.stringify({ resolver }))
  return (
    <form onSubmit={onSubmit} className="card" aria-label="Role">
      <Stack gap="md">
        <Title order={2}>{published === null ? 'New role' : <Inert text={`Edit ${published.name}`} />}</Title>
        <Text size="sm" className="quiet">
          {draft.isDraft
            ? 'This draft is kept in this browser only, for you, until you publish it.'
            : 'What you write is kept as a draft in this browser only, until you publish it.'}
        </Text>
        {draft.isOvertaken ? (
          <Alert color="orange" p="xs">
            Somebody published another version since you began this draft. Publishing yours replaces it.
          </Alert>
        ) : null}
        <TextInput
          label="Name"
          description="Lower case, words joined by a hyphen. It never changes."
          required
          withAsterisk={false}
          disabled={published !== null}
          error={role.name === '' ? undefined : errorOf('name')}
          value={role.name}
          onChange={(event) => set('name', event.currentTarget.value)}
        />
        <TextInput
          label="Description"
          description="For people; it is never part of a prompt."
          error={errorOf('description')}
          value={String(role.description ?? '')}
          onChange={(event) =>
            set('description', event.currentTarget.value === '' ? undefined : event.currentTarget.value)
          }
        />
        <Textarea
          label="Prompt"
          description="Who its wearer is, and what it is for. What it may reach is told by itself."
          autosize
          minRows={5}
          maxRows={24}
          error={errorOf('prompt')}
          value={String(role.prompt ?? '')}
          onChange={(event) => set('prompt', event.currentTarget.value)}
        />
        <Hidden text={`${role.description ?? ''} ${role.prompt ?? ''}`} />
        <EntryPicker
          label="May see"
          description="Spaces, beings and things, or relations such as parent"
          addresses="all"
          offered={['~', '{"pattern":"*"}', ...relations, ...resolvers]}
          {...list('canSee')}
        />
        <EntryPicker
          label="May do"
          description="Operations"
          offered={[...catalogs.operations.map(({ name }) => name), '{"pattern":"*"}', ...resolvers]}
          {...list('canDo')}
        />
        <EntryPicker
          label="May speak to"
          description="Beings, or relations such as asker"
          addresses="beings"
          offered={[...relations, '{"pattern":"@*"}', ...resolvers]}
          {...list('canSummon')}
        />
        <EntryPicker
          label="May be"
          description="Operations of identity, such as birth; most roles leave it empty"
          offered={catalogs.beOps.map(({ name }) => name)}
          {...list('canBe')}
        />
        <EntryPicker
          label="Is shown"
          description="Views that every prompt holds"
          offered={catalogs.see}
          {...list('see')}
        />
        <Accordion variant="contained">
          <Accordion.Item value="more">
            <Accordion.Control>What wakes it, and how it answers</Accordion.Control>
            <Accordion.Panel>
              <MoreFields role={role} set={set} errorOf={errorOf} />
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
        <Findings checked={role.name === '' ? undefined : checked} of="role" />
        {published === null || !draft.isDraft ? null : (
          <Difference
            title="Your draft against what is in force"
            before={roleText(published)}
            after={roleText(role)}
          />
        )}
        <Refused error={publishing.error} />
        <Group>
          <Button
            type="submit"
            loading={publishing.isPending}
            disabled={role.name === '' || (published !== null && !draft.isDraft)}
          >
            Publish
          </Button>
          <Button
            variant="default"
            onClick={() => {
              draft.drop()
              void navigate({ to: '/roles', search: published === null ? {} : { role: published.name } })
            }}
          >
            {draft.isDraft ? 'Discard the draft' : 'Back'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The message of a fault of this field or of a part of it. */
const faultOf = (faults: readonly Fault[], field: string): string | undefined =>
  faults.find(({ path }) => path === field || path.startsWith(`${field}[`) || path.startsWith(`${field}.`))
    ?.message
