import { Group, Stack, Text } from '@mantine/core'
import { Fragment } from 'react'
import { t } from '../language/index.ts'
import { Inert } from '../parts/index.ts'
import { type ListEntry, textOfEntry } from './entries.ts'
import { entryLabel } from './entry-label.ts'
import type { Spec } from './spec.ts'
import { sentencesOfRole } from './spec-words.ts'

const LIST_LABELS = {
  canSee: t('may see'),
  canDo: t('may do'),
  canSummon: t('may speak to'),
  canBe: t('may be'),
  see: t('is shown'),
}
/** What a role permits and says. */
export function SpecCard({ spec }: { readonly spec: Spec }) {
  const { prompt } = spec
  const sentences = sentencesOfRole(spec)
  return (
    <section className="card" aria-label={t('The role')}>
      <Stack gap="sm">
        <dl className="fields">
          {Object.entries(LIST_LABELS).map(([field, words]) => (
            <Fragment key={field}>
              <dt>{words}</dt>
              <dd>
                <Chips entries={(spec[field] ?? []) as readonly ListEntry[]} />
              </dd>
            </Fragment>
          ))}
        </dl>
        {sentences.length === 0 ? null : (
          <div>
            {sentences.map((sentence) => (
              <Text key={sentence} size="sm">
                <Inert text={sentence} />
              </Text>
            ))}
          </div>
        )}
        <div>
          <Text size="sm" fw={600} mb={4}>
            {t('Its prompt')}
          </Text>
          <Text component="div" size="sm" className="block">
            {typeof prompt !== 'string' ? (
              <span className="quiet">{t('It is code: {{code}}', { code: JSON.stringify(prompt) })}</span>
            ) : prompt === '' ? (
              <span className="quiet">{t('It says nothing.')}</span>
            ) : (
              <Inert text={prompt} />
            )}
          </Text>
        </div>
      </Stack>
    </section>
  )
}

const Chips = ({ entries }: { readonly entries: readonly ListEntry[] }) =>
  entries.length === 0 ? (
    <span className="quiet">{t('nothing')}</span>
  ) : (
    <Group gap={4}>
      {entries.map((entry) => (
        <span key={textOfEntry(entry)} className="chip" title={textOfEntry(entry)}>
          <Inert text={entryLabel(entry)} />
        </span>
      ))}
    </Group>
  )
