import { Button, Group, Select, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ask, Refusal } from '../api/client.ts'
import { eventsIn } from '../api/events.ts'
import { t } from '../language/index.ts'
import { Inert, Quiet, Trouble } from '../parts/index.ts'
import { Agreement, type AgreementProps } from './Agreement.tsx'

const ALL_BEINGS = t('all beings')

interface CompareProps {
  readonly me: string | null
  readonly beings: readonly string[]
}

/**
 * Runs moments again, from the chain and from Temporal, and says whether the record has the same: as
 * `treeos replay`.
 */
export function Compare({ me, beings }: CompareProps) {
  const [whose, setWhose] = useState<string | null>(null)
  const [progress, setProgress] = useState('')
  const stopping = useRef<AbortController | null>(null)
  useEffect(() => () => stopping.current?.abort(), [])
  const chosen = whose ?? me?.slice(1) ?? beings[0] ?? null
  const comparing = useMutation({
    mutationFn: () => {
      setProgress(t('reading the record'))
      stopping.current = new AbortController()
      return compareRecords(chosen === ALL_BEINGS ? null : chosen, stopping.current.signal, setProgress)
    },
  })
  const isStopped = stopping.current?.signal.aborted === true
  return (
    <section className="card" aria-label={t('Compare with the record')}>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <Select
            flex={1}
            label={t('Run the moments of … again, and compare')}
            searchable
            limit={100}
            allowDeselect={false}
            data={[...new Set([...(chosen === null ? [] : [chosen]), ...beings, ALL_BEINGS])]}
            value={chosen}
            onChange={setWhose}
          />
          {comparing.isPending ? (
            <Button variant="default" onClick={() => stopping.current?.abort()}>
              {t('Stop')}
            </Button>
          ) : (
            <Button variant="default" onClick={() => comparing.mutate()} disabled={chosen === null}>
              {t('Compare')}
            </Button>
          )}
        </Group>
        {comparing.isPending ? (
          <Quiet role="status">
            <Inert text={progress} />…
          </Quiet>
        ) : null}
        {isStopped ? null : <Trouble error={comparing.error} />}
        {comparing.data === undefined ? null : <Agreement {...comparing.data} />}
      </Stack>
    </section>
  )
}

async function compareRecords(
  being: string | null,
  signal: AbortSignal,
  onProgress: (line: string) => void,
): Promise<AgreementProps> {
  const query = being === null ? '' : `?being=${encodeURIComponent(being)}`
  const { body } = await ask(`/api/v1/replay${query}`, { signal })
  for await (const { event, data } of body === null ? [] : eventsIn(body)) {
    const said = JSON.parse(data)
    if (event === 'progress') onProgress(said)
    if (event === 'compared') return said
    if (event === 'refused') throw new Refusal(said.code, said.message)
  }
  throw new Refusal('SERVICE_UNAVAILABLE', t('the comparison ended before it said what it found: try again'))
}
