import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { useUnsent } from '../api/useUnsent.ts'
import { t } from '../language/index.ts'
import { Trouble, useSettled } from '../parts/index.ts'
import { useSingleKeyActs } from '../parts/single-keys.ts'
import { AskedText } from './AskedText.tsx'
import type { SameCallsProps } from './SameCalls.tsx'
import type { WaitingCall } from './waiting-call.ts'

/** An answer of a person. */
export interface PersonAnswer {
  readonly answer: 'approve' | 'deny'
  readonly why?: string
}

interface AskedFormProps {
  readonly asked: WaitingCall
  readonly from: string
  readonly onAnswer: (answered: PersonAnswer) => void
  readonly isPending: boolean
  readonly error: Error | null
  /** keeps what is not sent; left out where nobody is signed in */
  readonly unsent?: ReturnType<typeof useUnsent>
  /** y and n answer, too */
  readonly hasKeys?: boolean
  /** left out where equal calls are not known */
  readonly same?: SameCallsProps
}

/** What a being wants to do, with a yes and a no. */
export function AskedForm({ asked, from, same, unsent, hasKeys = false, ...answered }: AskedFormProps) {
  const { onAnswer, isPending, error } = answered
  const [why, setWhy] = useState(unsent?.read() ?? '')
  const isSettled = useSettled()
  const answer = (answer: PersonAnswer['answer']) => {
    if (!isSettled || isPending) return
    onAnswer({ answer, ...(answer === 'approve' || why === '' ? {} : { why }) })
  }
  useSingleKeyActs(hasKeys ? { y: { act: () => answer('approve') }, n: { act: () => answer('deny') } } : {})
  return (
    <Stack gap="xs">
      <AskedText asked={asked} from={from} same={same} />
      <TextInput
        label={t('Why not (told to whoever asked)')}
        value={why}
        maxLength={1000}
        onChange={({ currentTarget: { value } }) => {
          setWhy(value)
          unsent?.write(value)
        }}
      />
      <Group gap="sm">
        <Button loading={isPending} disabled={!isSettled} onClick={() => answer('approve')}>
          {t('Approve')}
        </Button>
        <Button variant="default" loading={isPending} disabled={!isSettled} onClick={() => answer('deny')}>
          {t('Deny')}
        </Button>
      </Group>
      <Trouble error={error} />
    </Stack>
  )
}
