import { Button, Group, Stack, Text } from '@mantine/core'
import { diffLines } from 'diff'
import { useState } from 'react'
import { BeingLink } from '../shell/links.tsx'
import { Time } from '../shell/Time.tsx'
import { Inert } from '../text/Inert.tsx'

export interface Version {
  readonly seq: number
  readonly at: string
  readonly by: string | null
  /** null: it was deleted then, or is erased */
  readonly text: string | null
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

/** Earlier states from the record, each compared with the one before it or with the draft, to be set again. */
export function Versions({ versions, draft, onRestore, isRestoring }: VersionsProps) {
  const [chosen, choose] = useState<number | null>(null)
  if (versions.length === 0) return null
  return (
    <section className="card" aria-label="Versions">
      <Text size="sm" fw={600} mb={4}>
        Versions
      </Text>
      <Stack gap={0} component="ol" m={0} pl={0} className="versions">
        {versions.map(({ seq, at, by, text }, i) => (
          <li key={seq}>
            <Group justify="space-between" gap="xs" wrap="nowrap">
              <Text size="sm">
                <Time iso={at} /> {text === null ? 'deleted' : 'written'}
                {' by '}
                {by === null ? 'the code of an extension' : <BeingLink stance={by} />}
                {i === 0 ? ', in force' : ''}
              </Text>
              <Group gap={6} wrap="nowrap">
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-expanded={chosen === seq}
                  onClick={() => choose(chosen === seq ? null : seq)}
                >
                  {chosen === seq ? 'Hide' : 'Compare'}
                </Button>
                {onRestore === undefined || text === null || i === 0 ? null : (
                  <Button
                    size="compact-xs"
                    variant="default"
                    loading={isRestoring}
                    onClick={() => onRestore(seq)}
                  >
                    Restore
                  </Button>
                )}
              </Group>
            </Group>
            {chosen === seq ? (
              <Stack gap="xs" my="xs">
                <Difference
                  title="Against the version before it"
                  before={versions[i + 1]?.text ?? ''}
                  after={text ?? ''}
                />
                {draft === null ? null : (
                  <Difference title="Your draft against it" before={text ?? ''} after={draft} />
                )}
              </Stack>
            ) : null}
          </li>
        ))}
      </Stack>
    </section>
  )
}

interface DifferenceProps {
  readonly title: string
  readonly before: string
  readonly after: string
}

const MARKS = { added: '+', removed: '−', same: ' ' } as const
const WORDS = { added: 'added', removed: 'removed', same: '' } as const

export function Difference({ title, before, after }: DifferenceProps) {
  if (before === after)
    return (
      <Text size="xs" className="quiet">
        {title}: the same
      </Text>
    )
  const lines = diffLines(before, after).flatMap(({ value, added, removed }) => {
    const kind = added ? ('added' as const) : removed ? ('removed' as const) : ('same' as const)
    return value
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => ({ kind, line }))
  })
  return (
    <figure className="difference">
      <figcaption>
        <Text size="xs" className="quiet">
          {title}
        </Text>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys have to reach what scrolls */}
      <section className="block code" tabIndex={0} aria-label={title}>
        {lines.map(({ kind, line }, i) => (
          <div key={i} data-kind={kind}>
            <span aria-hidden>{MARKS[kind]} </span>
            {kind === 'same' ? null : <span className="spoken">{WORDS[kind]}: </span>}
            <Inert text={line} />
          </div>
        ))}
      </section>
    </figure>
  )
}
