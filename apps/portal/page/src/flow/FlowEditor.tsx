import { Alert, Button, Group, SegmentedControl, Skeleton, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { FlowInside } from '@treeos/client'
import { lazy, Suspense, useState } from 'react'
import { useAct } from '../api/deed.ts'
import { Trans, t } from '../language/index.ts'
import { Inert, Quiet } from '../parts/index.ts'
import { Findings, Refused } from '../roles/Deed.tsx'
import { DraftNote, TRIAL_ID } from '../roles/DraftNote.tsx'
import { checkQuery, flowQuery, type LintResult, rolesQuery } from '../roles/queries.ts'
import { Versions } from '../roles/Versions.tsx'
import { orderedJson } from '../text/ordered-json.ts'
import { TrialCard } from '../trial/TrialCard.tsx'
import { Difference } from '../words/Difference.tsx'
import { testFields } from './fields.ts'
import { ModelCard } from './ModelCard.tsx'
import { pictureOf } from './marks.ts'
import { Sentences } from './Sentences.tsx'
import { flowOf, sentencesOf, unsayable } from './sentences.ts'
import { useFlowDraft } from './useFlowDraft.ts'
import { useFlowMarks } from './useFlowMarks.ts'
import { type MarkedMoment, useWhatIf } from './useWhatIf.ts'
import { WhatIf } from './WhatIf.tsx'

/** Only who opens the JSON view loads the editor for it. */
const JsonEditor = lazy(() => import('./JsonEditor.tsx'))
const LINT_MS = 300
const VIEWS = [
  { value: 'sentences', label: t('Sentences') },
  { value: 'json', label: t('JSON') },
]

interface FlowEditorProps {
  readonly name: string
  readonly inside: FlowInside
}

const pretty = (value: unknown): string => orderedJson(value, 2)

/** A flow as sentences or as JSON, what the check says of it, and what it would have changed. */
export function FlowEditor({ name, inside }: FlowEditorProps) {
  const { flow: published, isEnded, isOpen, moments, versions } = inside
  const draft = useFlowDraft(name, published)
  const { isDraft, broken } = draft
  const [view, setView] = useState('sentences')
  const [text] = useDebouncedValue(draft.text, LINT_MS)
  const { data: checked } = useQuery(checkQuery('flow', text))
  const trying = useWhatIf(name, moments)
  const before = useFlowMarks(name, published, isOpen ? moments : 0)
  const { compared } = trying
  const after = compared?.of === JSON.stringify(draft.value) ? compared.judged : []
  const publishing = useAct(draft.drop, flowQuery(name).queryKey)
  const publish = (flow: unknown) =>
    publishing.mutate({ verb: 'do', target: `@${name}`, operation: 'set-roleflow', args: { flow } })
  return (
    <Stack>
      <Group justify="space-between" gap="xs">
        <SegmentedControl
          aria-label={t('View')}
          data={VIEWS}
          value={view}
          disabled={broken !== null}
          onChange={setView}
        />
        <DraftNote of="flow" draft={draft} isTryable={isOpen} />
      </Group>
      {isEnded ? (
        <Alert p="xs">{t('@{{name}} is ended: it lives no further moment.', { name })}</Alert>
      ) : null}
      <View
        isJson={view === 'json'}
        name={name}
        draft={draft}
        before={before ?? []}
        after={after}
        checked={checked}
        defaultRole={inside.defaultRole}
        published={published}
      />
      {isOpen ? (
        <WhatIf name={name} flow={draft.value} last={moments} isBroken={broken !== null} of={trying} />
      ) : null}
      <Published error={publishing.error} result={publishing.data?.result} />
      <Group>
        <Button
          loading={publishing.isPending}
          disabled={!isDraft || broken !== null}
          onClick={() => publish(draft.value)}
        >
          {t('Publish')}
        </Button>
        <Button variant="default" disabled={!isDraft && broken === null} onClick={draft.drop}>
          {t('Discard the draft')}
        </Button>
      </Group>
      {isOpen ? (
        <>
          <TrialCard
            id={TRIAL_ID}
            being={name}
            candidate={{ flow: draft.value }}
            isOff={broken !== null || (checked?.errors.length ?? 0) > 0}
          />
          <ModelCard name={name} />
        </>
      ) : (
        <Quiet>
          {t(
            'Its past is not open to you, so a draft cannot be tried on its moments, and its versions are not shown.',
          )}
        </Quiet>
      )}
      <Versions
        versions={versions.map(({ flow, ...rest }) => ({ ...rest, text: pretty(flow) }))}
        draft={isDraft ? pretty(draft.value) : null}
        onRestore={(seq) => publish(versions.find((one) => one.seq === seq)?.flow)}
        isRestoring={publishing.isPending}
      />
    </Stack>
  )
}

interface ViewProps extends Omit<SentenceDraftProps, 'errors'> {
  readonly isJson: boolean
  readonly checked: LintResult | undefined
}

/** What is written, and what is wrong with it. */
const View = ({ isJson, checked, ...sentences }: ViewProps) => {
  const { draft, published } = sentences
  return (
    <>
      {isJson ? (
        <Suspense fallback={<Skeleton height={240} aria-label={t('loading')} />}>
          <JsonEditor
            key={draft.revision}
            label={t('Role flow as JSON')}
            start={pretty(draft.value)}
            onChange={draft.writeJson}
          />
        </Suspense>
      ) : (
        <AsSentences {...sentences} errors={checked?.errors ?? []} />
      )}
      {draft.broken === null ? (
        <Findings checked={checked} of="flow" />
      ) : (
        <Alert color="red" p="xs" role="alert" title={t('This is not JSON')}>
          <Inert text={draft.broken} />
        </Alert>
      )}
      {draft.isDraft ? (
        <Difference
          title={t('Your draft against what is in force')}
          before={pretty(published)}
          after={pretty(draft.value)}
        />
      ) : null}
    </>
  )
}

interface SentenceDraftProps {
  /** of the being */
  readonly name: string
  readonly published: unknown
  /** past moments as the published flow judges them, and as the draft judges some of them */
  readonly before: readonly MarkedMoment[]
  readonly after: readonly MarkedMoment[]
  readonly draft: ReturnType<typeof useFlowDraft>
  readonly defaultRole: string | null
  readonly errors: readonly { readonly path: string }[]
}

function AsSentences({ name, draft, published, before, after, defaultRole, errors }: SentenceDraftProps) {
  const { data, error } = useQuery(rolesQuery)
  const unsaid = unsayable(draft.value)
  if (unsaid !== null)
    return (
      <Alert color="orange" title={t('This cannot be shown as sentences')}>
        {`${unsaid}. ${t('The JSON view shows it.')}`}
      </Alert>
    )
  const clauses = (flow: unknown) => (Array.isArray(flow) ? flow : [])
  const picture = pictureOf({ published: clauses(published), draft: clauses(draft.value), before, after })
  return (
    <>
      <Sentences
        key={draft.revision}
        name={name}
        picture={picture}
        start={sentencesOf(draft.value)}
        roles={(data?.roles ?? []).filter((role) => !role.deleted).map((role) => role.name)}
        fields={testFields(data?.signals ?? [])}
        faulty={new Set(errors.map(({ path }) => Number.parseInt(path.slice(1), 10)))}
        defaultRole={defaultRole}
        onChange={(sentences) => draft.write(flowOf(sentences))}
      />
      {error === null ? null : (
        <Quiet>
          <Trans
            text="Roles are not offered here: <why/>. <a>Roles</a> says more."
            parts={{ why: <Inert text={error.message} />, a: <Link to="/roles" /> }}
          />
        </Quiet>
      )}
    </>
  )
}

interface FlowSavedProps {
  readonly error: Error | null
  /** of `set-roleflow`; undefined before */
  readonly result: unknown
}

/** What became of `set-roleflow`. */
function Published({ error, result }: FlowSavedProps) {
  const clauses =
    typeof result === 'object' && result !== null && 'clauses' in result ? result.clauses : undefined
  return (
    <>
      <Refused error={error} />
      {typeof clauses !== 'number' ? null : (
        <Alert color="leaf" p="xs" role="status">
          {t('Published, with {{count}} sentences. The next moment wears it.', { count: clauses })}
        </Alert>
      )}
    </>
  )
}
