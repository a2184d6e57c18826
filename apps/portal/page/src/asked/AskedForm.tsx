import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { useUnsent } from '../api/useUnsent.ts'
import { Block, Inert, Quiet, Time, Trouble, useSettled } from '../parts/index.ts'
import type { WaitingCall } from './waiting-call.ts'

type WaitingCallBody = Readonly<Record<string, unknown>>

/** An answer of a person. */
export interface PersonAnswer {
  readonly answer: 'approve' | 'deny'
  readonly why?: string
}

/** What a being wants to do, apart from anything that it wrote. */
export function AskedForm({
  asked,
  from,
  onAnswer,
  isPending,
  error,
  unsent,
}: {
  readonly asked: WaitingCall
  readonly from: string
  readonly onAnswer: (answered: PersonAnswer) => void
  readonly isPending: boolean
  readonly error: Error | null
  /** keeps what is not sent; left out where nobody is signed in */
  readonly unsent?: ReturnType<typeof useUnsent>
}) {
  const [why, setWhy] = useState(unsent?.read() ?? '')
  const isSettled = useSettled()
  const { verb, operation, target: _on, args, content, ...rest } = asked.call as WaitingCallBody
  const said = { args, content }
  const given = args ?? content ?? null
  const others = {
    ...Object.fromEntries(Object.entries(said).filter(([, one]) => one !== undefined && one !== given)),
    ...rest,
  }
  return (
    <Stack gap="xs">
      <Text>
        {from} wants to {String(verb)} <Inert text={String(operation ?? '')} />
        {' on '}
        <Inert text={asked.on} />
      </Text>
      {asked.isOutside && <Text c="orange">It holds words from outside, which may have asked for this.</Text>}
      <Block value={given} />
      {Object.keys(others).length === 0 ? null : (
        <>
          <Text size="sm">It also says:</Text>
          <Block value={others} />
        </>
      )}
      <Quiet>
        It wears {asked.roles.join(' and ')}
        {asked.whom === null ? '' : `, and was woken by ${asked.whom}`}
        {asked.driver === null ? '' : `, and is driven by ${asked.driver}`}. The rule {asked.rule} asks you,
        until <Time iso={asked.expiresAt} />.
      </Quiet>
      <TextInput
        label="Why not (told to whoever asked)"
        value={why}
        maxLength={1000}
        onChange={({ currentTarget: { value } }) => {
          setWhy(value)
          unsent?.write(value)
        }}
      />
      <Group gap="sm">
        <Button loading={isPending} disabled={!isSettled} onClick={() => onAnswer({ answer: 'approve' })}>
          Approve
        </Button>
        <Button
          variant="default"
          loading={isPending}
          disabled={!isSettled}
          onClick={() => onAnswer({ answer: 'deny', ...(why === '' ? {} : { why }) })}
        >
          Deny
        </Button>
      </Group>
      <Trouble error={error} />
    </Stack>
  )
}
