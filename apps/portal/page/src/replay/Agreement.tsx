import { Badge, Group, Stack, Table, Text } from '@mantine/core'
import type { ReplayComparison } from '../../../src/machine.ts'
import { BeingLink, Code, MomentLink, plural, Quiet } from '../parts/index.ts'

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
  const all = `${plural(moments, 'moment')} of ${plural(beings, 'being')}`
  return (
    <Stack gap="xs" role="status">
      <Group gap="xs">
        <Badge color={identical ? 'leaf' : 'red'}>{identical ? 'identical' : 'differs'}</Badge>
        <Text size="sm">
          {identical
            ? `${all}: the chain, Temporal and the record agree.`
            : `${all}: ${plural(mismatches.length + more, 'value differs', 'values differ')}.`}
        </Text>
      </Group>
      {olderPrompts === 0 ? null : (
        <Quiet size="xs">
          An older version wrote {olderPrompts} of the prompts, so their text was not compared.
        </Quiet>
      )}
      {identical ? null : (
        <Table.ScrollContainer minWidth={480}>
          <Table
            className="facts"
            data={{
              head: ['Moment', 'Value', 'In the record', 'From the chain', 'From Temporal'],
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
      {more === 0 ? null : <Quiet size="xs">{more} more are not shown.</Quiet>}
    </Stack>
  )
}
