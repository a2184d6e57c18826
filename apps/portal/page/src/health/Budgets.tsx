import { Progress, Table, Text } from '@mantine/core'
import { t } from '../language/index.ts'
import { BeingLink, Card, Quiet } from '../parts/index.ts'
import { useMoney } from '../words/useMoney.ts'
import { numberText } from './number-text.ts'
import type { Budget } from './queries.ts'

/** What beings have used of what they may use. */
export const Budgets = ({ budgets }: { readonly budgets: readonly Budget[] }) => (
  <Card isPart title={t('Use against budgets')}>
    {budgets.length === 0 ? (
      <Quiet>{t('Nothing was used yet that a budget counts.')}</Quiet>
    ) : (
      <Table.ScrollContainer minWidth={560}>
        <Table
          verticalSpacing={6}
          data={{
            head: [t('Being'), t('Tokens'), t('Money'), t('Moments in this minute'), t('Births')],
            body: budgets.map(({ stance, standard, limits, used, held }) => [
              <>
                {stance === null ? null : <BeingLink stance={stance} />}
                {standard ? <Quiet size="xs">{t('standard')}</Quiet> : null}
              </>,
              ...[
                {
                  what: 'tokens',
                  name: t('Tokens used'),
                  used: used.tokens,
                  held: held.tokens,
                  max: limits.tokens,
                  per: limits.per,
                },
                {
                  what: 'money',
                  name: t('Money used'),
                  used: used.money,
                  held: held.money,
                  max: limits.money,
                  per: limits.per,
                },
                {
                  what: 'moments',
                  name: t('Moments used'),
                  used: used.moments,
                  max: limits.momentsPerMinute,
                },
                { what: 'births', name: t('Births used'), used: used.births, max: limits.births },
              ].map((use) => <Use key={use.what} {...use} />),
            ]),
          }}
        />
      </Table.ScrollContainer>
    )}
  </Card>
)

interface UseProps {
  readonly what: string
  /** of the bar, for who does not see it */
  readonly name: string
  readonly used: number
  readonly held?: number
  readonly max: number | undefined
  readonly per?: string | undefined
}

const NEARLY = 0.8

/** How much was used of a limit. */
function Use({ what, name, used, held = 0, max, per }: UseProps) {
  const inCurrency = useMoney()
  const shown = what === 'money' ? inCurrency : numberText
  const share = max === undefined || max === 0 ? 0 : used / max
  const time = per === undefined ? '' : ` ${per === 'day' ? t('a day') : t('in total')}`
  return (
    <>
      <Text size="sm">
        {shown(used)}
        {max === undefined ? null : (
          <span className="quiet">
            {' '}
            {t('of {{limit}}', { limit: shown(max) })}
            {time}
          </span>
        )}
      </Text>
      {held === 0 ? null : <Quiet size="xs">{t('{{amount}} reserved', { amount: shown(held) })}</Quiet>}
      {max === undefined ? null : (
        <Progress
          size="sm"
          value={Math.min(100, 100 * share)}
          color={share >= 1 ? 'red' : share >= NEARLY ? 'orange' : 'leaf'}
          aria-label={name}
        />
      )}
    </>
  )
}
