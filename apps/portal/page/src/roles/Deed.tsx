import { Alert, List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Refusal } from '../api/client.ts'
import { momentQuery } from '../api/queries.ts'
import { Trans, t } from '../language/index.ts'
import { Inert, Quiet } from '../parts/index.ts'
import type { Fault, LintResult } from './queries.ts'

/** Why an act was refused, with the rules by which the gates decided. */
export function Refused({ error }: { readonly error: Error | null }) {
  if (error === null) return null
  const moment = error instanceof Refusal ? momentIn(error.detail) : null
  return (
    <Alert color="red" p="xs" role="alert" title={error instanceof Refusal ? error.code : t('It failed')}>
      <Inert text={error.message} />
      {moment === null ? null : <GatesOfVersion {...moment} />}
    </Alert>
  )
}

interface RoleVersionName {
  readonly name: string
  readonly n: number
}

/** The moment that a refusal tells of, by its id `being/generation/n`. */
function momentIn(detail: unknown): RoleVersionName | null {
  if (typeof detail !== 'object' || detail === null || !('moment' in detail)) return null
  const [name, , n] = String(detail.moment).split('/')
  return name === undefined || n === undefined ? null : { name, n: Number(n) }
}

function GatesOfVersion({ name, n }: RoleVersionName) {
  const { data } = useQuery(momentQuery(name, n))
  const by = data?.explained?.gates.by ?? []
  return (
    <Text size="sm" mt={4}>
      {by.length === 0 ? null : (
        <>
          <Trans text="Decided by: <rules/>." parts={{ rules: <Inert text={by.join(' · ')} /> }} />{' '}
        </>
      )}
      <Link to="/beings/$name" params={{ name }} search={{ n }}>
        {t('The refused moment')}
      </Link>
    </Text>
  )
}

/** What the server found in a draft, errors before warnings. */
export function Findings({
  checked,
  of,
}: {
  readonly checked: LintResult | undefined
  readonly of: 'role' | 'flow'
}) {
  if (checked === undefined) return null
  const { errors, warnings } = checked
  return (
    <div role="status" aria-label={of === 'role' ? t('Check of the role') : t('Check of the flow')}>
      {errors.length === 0 && warnings.length === 0 ? (
        <Quiet>{t('The check finds nothing wrong.')}</Quiet>
      ) : null}
      <LintFaults
        title={t('It cannot be published: {{errors}}', {
          errors: t('{{count}} errors', { count: errors.length }),
        })}
        color="red"
        faults={errors}
      />
      <LintFaults
        title={t('{{count}} warnings', { count: warnings.length })}
        color="orange"
        faults={warnings}
      />
    </div>
  )
}

function LintFaults(props: {
  readonly title: string
  readonly color: string
  readonly faults: readonly Fault[]
}) {
  if (props.faults.length === 0) return null
  return (
    <Alert color={props.color} p="xs" title={props.title} mt={6}>
      <List size="sm" spacing={2}>
        {props.faults.slice(0, 20).map(({ path, message }) => (
          <List.Item key={`${path} ${message}`}>
            {path === '' ? null : (
              <>
                <span className="code">
                  <Inert text={path} />
                </span>
                {': '}
              </>
            )}
            <Inert text={message} />
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
