import { Badge, Group, Stack, Table, Text } from '@mantine/core'
import type { ReplayComparison } from '../../../src/machine.ts'
import { t } from '../language/index.ts'
import { BeingLink, Code, MomentLink, Quiet } from '../parts/index.ts'

export type AgreementProps = ReplayComparison & { readonly more: number }

/** Whether what was run again agrees with the record, and where it does not. */
export function Agreement({
  beings,
  moments,
  identical,
  mismatches,
  more,
  olderPrompts = 0,
}: AgreementProps) {
  const all = t('{{count}} moments of {{beings}}', {
    count: moments,
    beings: t('{{count}} beings', { count: beings }),
  })
  return (
    <Stack gap="xs" role="status">
      <Group gap="xs">
        <Badge color={identical ? 'leaf' : 'red'}>{identical ? t('identical') : t('differs')}</Badge>
        <Text size="sm">
          {identical
            ? t('{{all}}: the chain, Temporal and the record agree.', { all })
            : `${all}: ${t('{{count}} values differ', { count: mismatches.length + more })}.`}
        </Text>
      </Group>
      {olderPrompts === 0 ? null : (
        <Quiet size="xs">
          {t('An older version wrote {{olderPrompts}} of the prompts, so their text was not compared.', {
            olderPrompts,
          })}
        </Quiet>
      )}
      {identical ? null : (
        <Table.ScrollContainer minWidth={480}>
          <Table
            className="facts"
            data={{
              head: [t('Moment'), t('Value'), t('In the record'), t('From the chain'), t('From Temporal')],
              body: mismatches.map(({ being, n, field, ...values }) => [
                <>
                  <BeingLink stance={`@${being}`} />{' '}
                  {n === 0 ? null : (
                    <MomentLink being={being} n={n}>
                      {n}
                    </MomentLink>
                  )}
                </>,
                field,
                ...[values.recorded, values.chain, values.temporal].map((value) =>
                  value === null ? null : <Code value={value} />,
                ),
              ]),
            }}
          />
        </Table.ScrollContainer>
      )}
      {more === 0 ? null : <Quiet size="xs">{t('{{more}} more are not shown.', { more })}</Quiet>}
    </Stack>
  )
}
