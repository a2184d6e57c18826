import { Text } from '@mantine/core'
import { Trans, t } from '../language/index.ts'
import { Block, Inert, Quiet, Time } from '../parts/index.ts'
import { CallArguments } from './CallArguments.tsx'
import { SameCalls, type SameCallsProps } from './SameCalls.tsx'
import type { WaitingCall } from './waiting-call.ts'

interface AskedTextProps {
  readonly asked: WaitingCall
  readonly from: string
  readonly same: SameCallsProps | undefined
}

/** As they stand after “wants to”. */
const VERBS: Readonly<Record<string, string>> = {
  do: t('do'),
  be: t('be'),
  summon: t('summon'),
  see: t('see'),
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
        <Trans
          text="{{from}} wants to {{verb}} <operation/> on <target/>"
          values={{ from, verb: VERBS[String(verb)] ?? String(verb) }}
          parts={{ operation: <Inert text={String(operation ?? '')} />, target: <Inert text={asked.on} /> }}
        />
      </Text>
      {asked.isOutside && (
        <Text c="orange">{t('It holds words from outside, which may have asked for this.')}</Text>
      )}
      <CallArguments given={given} />
      {same === undefined ? null : <SameCalls {...same} />}
      {Object.keys(others).length === 0 ? null : (
        <>
          <Text size="sm">{t('It also says:')}</Text>
          <Block value={others} />
        </>
      )}
      <Quiet>
        {t('It wears {{roles}}', { roles: asked.roles.join(` ${t('and')} `) })}
        {asked.whom === null ? '' : t(', and was woken by {{whom}}', { whom: asked.whom })}
        {asked.driver === null ? '' : t(', and is driven by {{driver}}', { driver: asked.driver })}
        {'. '}
        <Trans
          text="The rule {{rule}} asks you, until <time/>."
          values={{ rule: asked.rule }}
          parts={{ time: <Time iso={asked.expiresAt} /> }}
        />
      </Quiet>
    </>
  )
}
