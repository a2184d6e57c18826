import '../roles/roles.css'
import { Alert, Button, Group, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Findings, Refused } from '../roles/Deed.tsx'
import { checkQuery, flowQuery, rolesQuery, useAct } from '../roles/queries.ts'
import { useDraft } from '../roles/useDraft.ts'
import { Difference, Versions } from '../roles/Versions.tsx'
import { BeingLink } from '../shell/links.tsx'
import { Answer } from '../shell/states.tsx'
import { Inert } from '../text/Inert.tsx'
import { orderedJson } from '../text/ordered.ts'
import { fieldsOf } from './fields.ts'
import { Sentences } from './Sentences.tsx'
import { flowOf, sentencesOf, unsayable } from './sentences.ts'
import { WhatIf } from './WhatIf.tsx'

/** Only who opens the JSON view loads the editor for it. */
const JsonEditor = lazy(() => import('./JsonEditor.tsx'))
const LINT_MS = 300

/** The flow of a being: when it takes which role. */
export function Flow() {
  const { name } = useParams({ from: '/signed-in/beings/$name/flow' })
  const flow = useQuery(flowQuery(name))
  return (
    <Stack gap="md">
      <div>
        <Title order={1}>
          <Inert text={`Flow of @${name}`} />
        </Title>
        <Text size="sm" className="quiet">
          The first sentence that holds gives the role; every STACK sentence that holds adds one.{' '}
          <BeingLink stance={`@${name}`} />
        </Text>
      </div>
      <Answer of={flow}>{(inside) => <Editor key={name} name={name} inside={inside as Inside} />}</Answer>
    </Stack>
  )
}

interface Inside {
  readonly flow: unknown
  readonly defaultRole: string | null
  readonly isEnded: boolean
  readonly isOpen: boolean
  readonly moments: number
  readonly versions: readonly {
    readonly seq: number
    readonly at: string
    readonly by: string | null
    readonly flow: unknown
  }[]
}

const pretty = (value: unknown): string => orderedJson(value, 2)

/**
 * The views keep what is written in them. They begin anew when the flow becomes another one in any other way: the draft is
 * dropped, or another flow is published.
 * @returns a number that changes then, and a way to write that does not change it
 */
function useRevision(current: string, put: (flow: unknown) => void): [number, (flow: unknown) => void] {
  const [revision, setRevision] = useState(0)
  const shown = useRef(current)
  useEffect(() => {
    if (shown.current === current) return
    shown.current = current
    setRevision((n) => n + 1)
  }, [current])
  const write = (flow: unknown) => {
    shown.current = orderedJson(flow)
    put(flow)
  }
  return [revision, write]
}

function Editor({ name, inside }: { readonly name: string; readonly inside: Inside }) {
  const { flow: published, defaultRole, isEnded, isOpen, moments, versions } = inside
  const draft = useDraft<unknown>('flow', name, published, [])
  const [view, setView] = useState<'sentences' | 'json'>('sentences')
  const [broken, setBroken] = useState<string | null>(null)
  const roles = useQuery(rolesQuery)
  const current = orderedJson(draft.value)
  const [revision, write] = useRevision(current, draft.write)
  const [text] = useDebouncedValue(current, LINT_MS)
  const { data: checked } = useQuery(checkQuery('flow', text))
  const publishing = useAct(draft.drop)
  const publish = (flow: unknown) =>
    publishing.mutate({ verb: 'do', target: `@${name}`, action: 'set-roleflow', args: { flow } })
  const drop = () => {
    draft.drop()
    setBroken(null)
  }
  const onJson = (written: string) => {
    try {
      write(JSON.parse(written))
      setBroken(null)
    } catch (error) {
      setBroken(error instanceof Error ? error.message : 'it is not JSON')
    }
  }
  const unsaid = unsayable(draft.value)
  const faulty = new Set((checked?.errors ?? []).map(({ path }) => Number.parseInt(path.slice(1), 10)))
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <SegmentedControl
          aria-label="View"
          data={[
            { value: 'sentences', label: 'Sentences' },
            { value: 'json', label: 'JSON' },
          ]}
          value={view}
          disabled={broken !== null}
          onChange={(chosen) => setView(chosen === 'json' ? 'json' : 'sentences')}
        />
        <Text size="sm" className="quiet">
          {draft.isDraft
            ? 'This draft is kept in this browser only, for you, until you publish it.'
            : 'In force. What you change is a draft in this browser only, until you publish it.'}
        </Text>
      </Group>
      {isEnded ? <Alert p="xs">@{name} is ended: it lives no further moment.</Alert> : null}
      {draft.isOvertaken ? (
        <Alert color="orange" p="xs">
          Another flow was published since you began this draft. Publishing yours replaces it.
        </Alert>
      ) : null}
      {view === 'json' ? (
        <Suspense fallback={<Skeleton height={240} aria-label="loading" />}>
          <JsonEditor
            key={revision}
            label="Role flow as JSON"
            start={pretty(draft.value)}
            onChange={onJson}
          />
        </Suspense>
      ) : unsaid === null ? (
        <Sentences
          key={revision}
          start={sentencesOf(draft.value)}
          roles={(roles.data?.roles ?? []).filter((role) => !role.deleted).map((role) => role.name)}
          fields={fieldsOf(roles.data?.signals ?? [])}
          faulty={faulty}
          defaultRole={defaultRole}
          onChange={(sentences) => write(flowOf(sentences))}
        />
      ) : (
        <Alert color="orange" title="This cannot be shown as sentences">
          {unsaid}. The JSON view shows it.
        </Alert>
      )}
      {broken === null ? (
        <Findings checked={checked} of="flow" />
      ) : (
        <Alert color="red" p="xs" role="alert" title="This is not JSON">
          <Inert text={broken} />
        </Alert>
      )}
      {draft.isDraft ? (
        <Difference
          title="Your draft against what is in force"
          before={pretty(published)}
          after={pretty(draft.value)}
        />
      ) : null}
      <Refused error={publishing.error} />
      <Warned answer={publishing.data} />
      <Group>
        <Button
          loading={publishing.isPending}
          disabled={!draft.isDraft || broken !== null}
          onClick={() => publish(draft.value)}
        >
          Publish
        </Button>
        <Button variant="default" disabled={!draft.isDraft && broken === null} onClick={drop}>
          Discard the draft
        </Button>
      </Group>
      {isOpen ? (
        <WhatIf name={name} flow={draft.value} last={moments} isBroken={broken !== null} />
      ) : (
        <Text size="sm" className="quiet">
          Its past is not open to you, so a draft cannot be tried on its moments, and its versions are not
          shown.
        </Text>
      )}
      <Versions
        versions={versions.map(({ flow, ...rest }) => ({ ...rest, text: pretty(flow) }))}
        draft={draft.isDraft ? pretty(draft.value) : null}
        onRestore={(seq) => publish(versions.find((one) => one.seq === seq)?.flow)}
        isRestoring={publishing.isPending}
      />
      {roles.error === null ? null : (
        <Text size="sm" className="quiet">
          Roles are not offered here: <Inert text={roles.error.message} />. <Link to="/roles">Roles</Link>{' '}
          says more.
        </Text>
      )}
    </Stack>
  )
}

/** The answer of `set-roleflow`. */
function Warned({ answer }: { readonly answer: unknown }) {
  if (typeof answer !== 'object' || answer === null || !('clauses' in answer)) return null
  return (
    <Alert color="leaf" p="xs" role="status">
      Published, with {String(answer.clauses)} {answer.clauses === 1 ? 'sentence' : 'sentences'}. The next
      moment wears it.
    </Alert>
  )
}
