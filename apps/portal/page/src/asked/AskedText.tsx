import { Text } from '@mantine/core'
import { Block, Inert, Quiet, Time } from '../parts/index.ts'
import { CallArguments } from './CallArguments.tsx'
import { SameCalls, type SameCallsProps } from './SameCalls.tsx'
import type { WaitingCall } from './waiting-call.ts'

interface AskedTextProps {
  readonly asked: WaitingCall
  readonly from: string
  readonly same: SameCallsProps | undefined
}

/** What a being wants to do, apart from anything that it wrote. */
export function AskedText({ asked, from, same }: AskedTextProps) {
  const {
    verb,
    operation,
    target: _on,
    args,
    content,
    ...rest
  } = asked.call as Readonly<Record<string, unknown>>
  const said = { args, content }
  const given = args ?? content ?? null
  const others = {
    ...Object.fromEntries(Object.entries(said).filter(([, one]) => one !== undefined && one !== given)),
    ...rest,
  }
  return (
    <>
      <Text size="xl" fw={600}>
        {from} wants to {String(verb)} <Inert text={String(operation ?? '')} />
        {' on '}
        <Inert text={asked.on} />
      </Text>
      {asked.isOutside && <Text c="orange">It holds words from outside, which may have asked for this.</Text>}
      <CallArguments given={given} />
      {same === undefined ? null : <SameCalls {...same} />}
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
    </>
  )
}
