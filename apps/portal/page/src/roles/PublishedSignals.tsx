import { Group, Stack, Text } from '@mantine/core'
import { t } from '../language/index.ts'
import { BeingLink, Content, Empty, Inert, Quiet } from '../parts/index.ts'
import type { Namespace } from './PublishForm.tsx'

export type SignalValues = Readonly<Record<string, unknown>> | null

interface PublishedSignalsProps {
  readonly namespaces: readonly Namespace[]
  readonly values: SignalValues
  readonly onChoose: (namespace: string, key: string, value: unknown) => void
}

const SIGNALS_MAX = 500

/** The signals that are published now, by namespace. */
export function PublishedSignals({ namespaces, values, onChoose }: PublishedSignalsProps) {
  const all = namespaces.map((one) => ({ ...one, signals: leavesOf(values?.[one.namespace]) }))
  const shown = all.filter(({ signals }) => signals.length > 0)
  if (shown.length === 0)
    return (
      <Empty title={t('Nothing is published')}>
        {t('Publish a signal: each being whose flow reads it wakes.')}
      </Empty>
    )
  return (
    <Stack>
      {shown.map(({ namespace, owner, signals }) => (
        <section key={namespace} className="list" aria-label={t('Signals of {{namespace}}', { namespace })}>
          <Group justify="space-between" p="xs" gap="xs">
            <Text size="sm" fw={600}>
              <Inert text={namespace} />
            </Text>
            <Quiet size="xs">{owner === null ? t('nobody owns it') : <BeingLink stance={owner} />}</Quiet>
          </Group>
          {signals.slice(0, SIGNALS_MAX).map(({ key, value }) => (
            <button key={key} type="button" className="row" onClick={() => onChoose(namespace, key, value)}>
              <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
                <Text size="sm" className="code">
                  <Inert text={`world.${namespace}.${key}`} />
                </Text>
                <Text size="sm" className="code" ta="right">
                  <Content value={value} />
                </Text>
              </Group>
            </button>
          ))}
          {signals.length > SIGNALS_MAX ? (
            <Quiet size="xs" p="xs">
              {t('{{length}} more are not shown.', { length: signals.length - SIGNALS_MAX })}
            </Quiet>
          ) : null}
        </section>
      ))}
    </Stack>
  )
}

interface Leaf {
  readonly key: string
  readonly value: unknown
}

/** The values of a namespace by their dotted keys. */
function leavesOf(value: unknown, key = ''): Leaf[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return key === '' || value === undefined ? [] : [{ key, value }]
  return Object.entries(value).flatMap(([name, below]) =>
    leavesOf(below, key === '' ? name : `${key}.${name}`),
  )
}
