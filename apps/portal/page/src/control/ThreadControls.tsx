import { Accordion, Group, Select, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { sessionQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { Composer } from '../overlays/Composer.tsx'
import { ThreadOverlay } from '../overlays/ThreadOverlay.tsx'
import { ConfirmedAct } from './ConfirmedAct.tsx'

interface ThreadControlsProps {
  readonly id: string
  readonly state: string
  readonly participants: readonly string[]
}

/** Goes on with a thread, shapes its next moments, or ends it. Who has no part in it may do none of that. */
export function ThreadControls({ id, state, participants }: ThreadControlsProps) {
  const { data: session } = useQuery(sessionQuery)
  const others = participants.filter((one) => one !== session?.stance)
  const [chosen, choose] = useState<string | null>(null)
  const whom = chosen ?? others[0] ?? null
  if (session === undefined || state === 'severed' || !participants.includes(session.stance)) return null
  return (
    <Stack gap="sm" maw={720} className="on-screen">
      {whom === null ? null : (
        <section className="card" aria-label={t('Say more')}>
          <Stack gap="sm">
            {others.length < 2 ? null : (
              <Select
                label={t('To')}
                allowDeselect={false}
                data={others}
                value={whom}
                onChange={(next) => choose(next)}
              />
            )}
            <Composer key={whom} target={whom} thread={id} />
          </Stack>
        </section>
      )}
      <Accordion variant="contained">
        <Accordion.Item value="overlay">
          <Accordion.Control>{t('Overlay of this thread')}</Accordion.Control>
          <Accordion.Panel>
            <ThreadOverlay id={id} />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
      {state === 'complete' ? null : (
        <Group>
          <ConfirmedAct
            label={t('Cut this thread')}
            asks={t('Nothing that came or will come of it opens a moment any more. What was said stays.')}
            call={{ verb: 'do', operation: 'cut-thread', target: `thread:${id}`, args: {} }}
          />
        </Group>
      )}
    </Stack>
  )
}
