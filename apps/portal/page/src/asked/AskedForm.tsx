import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Block, Inert, Quiet, Time, Trouble } from '../parts/index.ts'
import type { Asked } from './asked.ts'

type Call = Readonly<Record<string, unknown>>

/** An answer of a person. */
export interface Answered {
  readonly answer: 'approve' | 'deny'
  readonly why?: string
}

/** How long the buttons of a call stay off after it came into view. A second press may have been meant for the call that stood there before. */
const SETTLES_MS = 800

function useSettled(): boolean {
  const [isSettled, settle] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => settle(true), SETTLES_MS)
    return () => clearTimeout(timer)
  }, [])
  return isSettled
}

/** What a being wants to do, apart from anything that it wrote. */
export function AskedForm({
  asked,
  from,
  onAnswer,
  isPending,
  error,
}: {
  readonly asked: Asked
  readonly from: string
  readonly onAnswer: (answered: Answered) => void
  readonly isPending: boolean
  readonly error: Error | null
}) {
  const [why, setWhy] = useState('')
  const isSettled = useSettled()
  const { verb, action, operation, target: _on, args, payload, content, ...rest } = asked.call as Call
  const said = { args, payload, content }
  const given = args ?? payload ?? content ?? null
  const others = {
    ...Object.fromEntries(Object.entries(said).filter(([, one]) => one !== undefined && one !== given)),
    ...rest,
  }
  return (
    <Stack gap="xs">
      <Text>
        {from} wants to {String(verb)} <Inert text={String(action ?? operation ?? '')} />
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
        onChange={(event) => setWhy(event.currentTarget.value)}
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
