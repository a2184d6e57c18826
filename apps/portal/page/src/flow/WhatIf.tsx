import { Alert, Badge, Group, Progress, Stack, Text } from '@mantine/core'
import { Trans, t } from '../language/index.ts'
import { Inert, MomentLink, Quiet, SmallButton, Time } from '../parts/index.ts'
import type { useWhatIf, WhatIfDifference } from './useWhatIf.ts'

interface WhatIfProps {
  readonly name: string
  readonly flow: unknown
  /** number of the last finished moment */
  readonly last: number
  readonly isBroken: boolean
  readonly of: ReturnType<typeof useWhatIf>
}

/** Which past moments would have been lived otherwise, under the draft: newest first, a few at a time. */
export function WhatIf({ name, flow, last, isBroken, of: { compared, run, stop } }: WhatIfProps) {
  const text = JSON.stringify(flow)
  const looked = compared === null ? 0 : last + 1 - compared.from
  const isOld = compared !== null && compared.of !== text
  return (
    <section className="card" aria-label={t('What if')}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <div>
            <Text size="sm" fw={600}>
              {t('What if')}
            </Text>
            <Quiet size="xs">
              {t(
                'Past moments that would have been lived otherwise, marked above with + and −. No model is asked, and nothing is written.',
              )}
            </Quiet>
          </div>
          {compared?.isRunning ? (
            <SmallButton onClick={stop}>{t('Stop')}</SmallButton>
          ) : (
            <SmallButton disabled={isBroken || last === 0} onClick={() => void run(text, null)}>
              {last === 0 ? t('It has no moments yet') : t('Compare past moments')}
            </SmallButton>
          )}
        </Group>
        {compared === null ? null : (
          <>
            {compared.isRunning ? (
              <Progress
                value={(100 * looked) / Math.max(1, last)}
                aria-label={t('moments compared')}
                size="sm"
              />
            ) : null}
            {isOld ? <Quiet size="xs">{t('The draft has changed since: compare again.')}</Quiet> : null}
            <Text size="sm" role="status">
              {compared.found.length === 0
                ? t('None of the last {{looked}} moments differ.', { looked })
                : t('{{count}} of the last {{looked}} moments differ.', {
                    count: compared.found.length,
                    looked,
                  })}
            </Text>
            {compared.error === null ? null : (
              <Alert color="red" p="xs" role="alert">
                <Inert text={compared.error} />
              </Alert>
            )}
            <Stack gap={0} component="ol" m={0} pl={0} className="versions">
              {compared.found.map((moment) => (
                <MomentLine key={moment.n} name={name} moment={moment} />
              ))}
            </Stack>
            {compared.isRunning || compared.from === 1 || isOld ? null : (
              <div>
                <SmallButton onClick={() => void run(text, compared)}>{t('Earlier moments')}</SmallButton>
              </div>
            )}
          </>
        )}
      </Stack>
    </section>
  )
}

function MomentLine({ name, moment }: { readonly name: string; readonly moment: WhatIfDifference }) {
  const { n, openedAt, was, would, differs, refused } = moment
  return (
    <li>
      <Group gap="xs">
        <Text size="sm">
          <MomentLink being={name} n={n}>
            {t('moment {{n}}', { n })}
          </MomentLink>{' '}
          <Time iso={openedAt} />
        </Text>
        <Text size="sm">
          <Inert text={wornText(was)} /> →{' '}
          <b>
            <Inert text={wornText(would)} />
          </b>
        </Text>
        {differs.map((part) => (
          <Badge key={part} size="sm" color="gray">
            {part}
          </Badge>
        ))}
      </Group>
      {refused === null ? null : (
        <Text size="xs" c="red">
          <Trans
            text="Its act would have been refused: <why/>"
            parts={{ why: <Inert text={refused.message} /> }}
          />
        </Text>
      )}
    </li>
  )
}

const wornText = ({ primary, stacked, skip }: WhatIfDifference['was']): string =>
  skip === undefined ? [primary ?? t('no role'), ...stacked].join(' + ') : t('no moment ({{skip}})', { skip })
