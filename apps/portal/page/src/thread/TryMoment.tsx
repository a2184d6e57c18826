import { Group, Stack, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../language/index.ts'
import { Answer, Quiet } from '../parts/index.ts'
import { roleQuery } from '../roles/queries.ts'
import type { Spec } from '../roles/spec.ts'
import { TrialCard } from '../trial/TrialCard.tsx'

interface TryMomentProps {
  /** the being */
  readonly name: string
  /** ISO 8601 */
  readonly openedAt: string
  /** the primary role that it wore */
  readonly role: string
}

/** A moment asked again with another prompt of its role; a whole role, flow or model is changed where it is kept. */
export function TryMoment({ name, openedAt, role }: TryMomentProps) {
  const found = useQuery(roleQuery(role))
  return (
    <Stack gap="xs">
      <Answer of={found}>
        {({ versions }) => {
          const spec = versions.map((one) => one.spec as Spec | null).find((one) => one !== null)
          return typeof spec?.prompt === 'string' ? (
            <TryPrompt name={name} openedAt={openedAt} spec={spec} prompt={spec.prompt} />
          ) : (
            <Quiet>{t('The prompt of its role is code, or not open to you.')}</Quiet>
          )
        }}
      </Answer>
      <Group gap="sm">
        <Link to="/roles" search={{ role, edit: true }}>
          {t('Change its role')}
        </Link>
        <Link to="/beings/$name/flow" params={{ name }}>
          {t('Another flow or model')}
        </Link>
      </Group>
    </Stack>
  )
}

interface TryPromptProps extends Omit<TryMomentProps, 'role'> {
  readonly spec: Spec
  readonly prompt: string
}

function TryPrompt({ name, openedAt, spec, prompt: published }: TryPromptProps) {
  const [prompt, setPrompt] = useState(published)
  return (
    <>
      <Textarea
        label={t('What {{name}} tells it', { name: spec.name })}
        autosize
        minRows={4}
        maxRows={16}
        value={prompt}
        onChange={(event) => setPrompt(event.currentTarget.value)}
      />
      {prompt === published ? (
        <Text size="sm">{t('As it is now: a model may still say something else.')}</Text>
      ) : null}
      <TrialCard
        title={t('Ask this moment again')}
        being={name}
        only={openedAt}
        candidate={{ roles: [{ ...spec, prompt }] }}
      />
    </>
  )
}
