import { Badge, Group, Stack, Text } from '@mantine/core'
import { t } from '../language/index.ts'
import { Inert, Quiet } from '../parts/index.ts'
import { type HiddenPlace, valueText } from '../words/value-text.ts'
import { type ClauseResult, isWorn } from './clause-result.ts'

interface ClauseTest {
  readonly path: string
  readonly operator: string
  readonly expected: unknown
  readonly actual?: unknown
  readonly hidden?: HiddenPlace
  readonly result: boolean
}
interface ClauseGroup {
  readonly operator: 'and' | 'or' | 'not'
  readonly result: boolean
  readonly nodes: readonly ClauseTrace[]
}
type ClauseTrace = ClauseTest | ClauseGroup

/** As the server sends it: the type of its answer does not follow trees to their end. */
export interface Clause {
  readonly index: number
  readonly role: string | null
  readonly stack: boolean
  readonly result: ClauseResult
  readonly reason: string
  readonly tree: ClauseTrace | null
}

/** Each clause of the flow, with what it expected and what was so. */
export const Clauses = ({ clauses }: { readonly clauses: readonly Clause[] }) =>
  clauses.length === 0 ? (
    <Quiet>{t('Its flow has no clauses: it wore its default role.')}</Quiet>
  ) : (
    <Stack gap="xs" component="ol" m={0} pl={0}>
      {clauses.map(({ index, role, stack, result, reason, tree }) => (
        <li key={index} className="clause">
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text size="sm">
              <span className="quiet">{index + 1}</span>&ensp;{stack ? t('stack') : t('use')}{' '}
              <b>{role ?? '?'}</b>
            </Text>
            <Badge color={isWorn(result) ? 'leaf' : 'gray'}>{result}</Badge>
          </Group>
          {tree === null ? null : <TraceLines trace={tree} />}
          <Quiet size="xs">
            <Inert text={reason} />
          </Quiet>
        </li>
      ))}
    </Stack>
  )

function TraceLines({ trace, depth = 0 }: { readonly trace: ClauseTrace; readonly depth?: number }) {
  if ('nodes' in trace)
    return (
      <>
        <TraceRow depth={depth} result={trace.result} text={trace.operator} />
        {trace.nodes.map((node, i) => (
          <TraceLines key={i} trace={node} depth={depth + 1} />
        ))}
      </>
    )
  const { path, operator, expected, result } = trace
  return (
    <TraceRow
      depth={depth}
      result={result}
      text={t('{{path}} {{operator}} {{expected}}, was {{value}}', {
        path,
        operator,
        expected: JSON.stringify(expected),
        value: valueText(trace.actual, trace.hidden),
      })}
    />
  )
}

interface TraceRowProps {
  readonly depth: number
  readonly result: boolean
  readonly text: string
}

const TraceRow = ({ depth, result, text }: TraceRowProps) => (
  <Text pl={12 * depth} className="code">
    {/* The mark alone would be colour or shape only; the word is for those who do not see it. */}
    <Text span inherit c={result ? 'leaf' : 'dimmed'} aria-label={result ? t('true') : t('false')} role="img">
      {result ? '✓' : '✗'}
    </Text>{' '}
    <Inert text={text} />
  </Text>
)
