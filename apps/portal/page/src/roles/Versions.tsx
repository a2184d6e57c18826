import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Trans, t } from '../language/index.ts'
import { BeingLink, Card, Quiet, Time } from '../parts/index.ts'
import { noteText } from '../trial/trial-text.ts'
import { Difference } from '../words/Difference.tsx'
import type { TrialNote } from './spec.ts'

interface Version {
  readonly seq: number
  readonly at: string
  readonly by: string | null
  /** null: it was deleted then, or is erased */
  readonly text: string | null
  /** what its author says of its trial */
  readonly trial?: TrialNote | null
}

interface VersionsProps {
  /** newest first */
  readonly versions: readonly Version[]
  /** what is being written now, to compare with */
  readonly draft: string | null
  /** left out where nobody may set it again */
  readonly onRestore?: ((seq: number) => void) | undefined
  readonly isRestoring: boolean
}

/**
 * Earlier states from the record, each compared with the one before it or with the draft, to be set again.
 */
export function Versions({ versions, draft, onRestore, isRestoring }: VersionsProps) {
  const [chosen, choose] = useState<number | null>(null)
  if (versions.length === 0) return null
  return (
    <Card title={t('Versions')} gap={4}>
      <Stack gap={0} component="ol" m={0} pl={0} className="versions">
        {versions.map(({ seq, at, by, text, trial = null }, i) => (
          <li key={seq}>
            <Group justify="space-between" gap="xs" wrap="nowrap">
              <Text size="sm">
                <Trans
                  text={text === null ? '<time/> deleted by <author/>' : '<time/> written by <author/>'}
                  parts={{
                    time: <Time iso={at} />,
                    author:
                      by === null ? <span>{t('the code of an extension')}</span> : <BeingLink stance={by} />,
                  }}
                />
                {i === 0 ? `, ${t('in force')}` : ''}
              </Text>
              <Group gap={6} wrap="nowrap">
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-expanded={chosen === seq}
                  onClick={() => choose(chosen === seq ? null : seq)}
                >
                  {chosen === seq ? t('Hide') : t('Compare')}
                </Button>
                {onRestore === undefined || text === null || i === 0 ? null : (
                  <Button
                    size="compact-xs"
                    variant="default"
                    loading={isRestoring}
                    onClick={() => onRestore(seq)}
                  >
                    {t('Restore')}
                  </Button>
                )}
              </Group>
            </Group>
            {trial === null ? null : (
              <Quiet size="xs">{t('Tried before. {{note}}', { note: noteText(trial) })}</Quiet>
            )}
            {chosen === seq ? (
              <Stack gap="xs" my="xs">
                <Difference
                  title={t('Against the version before it')}
                  before={versions[i + 1]?.text ?? ''}
                  after={text ?? ''}
                />
                {draft === null ? null : (
                  <Difference title={t('Your draft against it')} before={text ?? ''} after={draft} />
                )}
              </Stack>
            ) : null}
          </li>
        ))}
      </Stack>
    </Card>
  )
}
