import { Alert, Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../language/index.ts'
import { Inert } from './Inert.tsx'
import { Quiet, SmallButton } from './small.ts'

interface QueryState<T> {
  readonly data: T | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
}
interface QueryStateProps<T> {
  readonly of: QueryState<T>
  readonly children: (data: T) => ReactNode
}

/**
 * What a query found; until then a sign that it is asked, and after a refusal why, with a way to try again.
 */
export function Answer<T>({ of, children }: QueryStateProps<T>) {
  if (of.data !== undefined) return children(of.data)
  if (of.error !== null)
    return (
      <Alert color="red" title={t('This cannot be shown')} role="alert">
        <Stack gap="sm" align="flex-start">
          <Inert text={of.error.message} />
          <SmallButton onClick={() => of.refetch()}>{t('Try again')}</SmallButton>
        </Stack>
      </Alert>
    )
  return (
    <Stack gap="sm" aria-busy="true" aria-label={t('loading')}>
      {[64, 48, 56].map((height) => (
        <Skeleton key={height} height={height} />
      ))}
    </Stack>
  )
}

/** Nothing is there, and what would bring something. */
export const Empty = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className="card">
    <Text fw={600}>{title}</Text>
    <Quiet>{children}</Quiet>
  </div>
)

export const Trouble = ({ error }: { readonly error: Error | null }) =>
  error === null ? null : (
    <Alert color="red" p="xs" role="alert">
      <Inert text={error.message} />
    </Alert>
  )

export const Done = ({ is }: { readonly is: boolean }) =>
  is ? (
    <Text size="sm" role="status">
      {t('Done.')}
    </Text>
  ) : null
