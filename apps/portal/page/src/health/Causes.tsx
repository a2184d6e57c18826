import { Group, Text } from '@mantine/core'
import type { SpendingReport as Spent } from '@treeos/client'
import { t } from '../language/index.ts'
import { Card, Inert, MomentLink, Quiet, Time } from '../parts/index.ts'
import { causesToMend } from './advice.ts'

/** So many stand beside what was spent. */
const CAUSES_SHOWN = 8
const NEWEST_SHOWN = 5

/** Failures by what mends them: how many, what to do, and the newest of each as a link. */
export function Causes({ of }: { readonly of: Spent }) {
  const causes = causesToMend(of.causes)
  return (
    <Card isPart title={t('Failures by cause')}>
      {causes.length === 0 ? (
        <Text size="sm">{t('Nothing failed.')}</Text>
      ) : (
        <ul className="list" aria-label={t('Causes')}>
          {causes.slice(0, CAUSES_SHOWN).map((cause) => (
            <li key={cause.key} className="cause">
              <Cause cause={cause} failures={of.failures} />
            </li>
          ))}
        </ul>
      )}
      {causes.length > CAUSES_SHOWN ? (
        <Quiet size="xs">{t('and {{count}} rarer causes', { count: causes.length - CAUSES_SHOWN })}</Quiet>
      ) : null}
    </Card>
  )
}

interface CauseProps {
  readonly cause: ReturnType<typeof causesToMend>[number]
  readonly failures: Spent['failures']
}

function Cause({ cause, failures }: CauseProps) {
  const { reason, advice, count, newest, messages } = cause
  const same = failures.filter((one) => one.reason === reason && messages.has(one.message))
  return (
    <>
      <Group gap="xs" wrap="nowrap" align="baseline">
        <span className="cause-count">{count}</span>
        <div className="grows">
          <Text size="sm">
            <b>{reason ?? t('no reason')}</b> <span className="quiet">{t('newest:')} </span>
            <MomentLink being={newest.being} n={newest.n}>
              <Inert text={newest.being} /> <Time iso={newest.at} />
            </MomentLink>
          </Text>
          <Text size="sm">{advice}</Text>
          {newest.message === null ? null : (
            <Text size="sm" className="quiet" lineClamp={2}>
              <Inert text={newest.message} />
            </Text>
          )}
        </div>
      </Group>
      {same.length < 2 ? null : (
        <details>
          <summary>{t('the newest {{shown}}', { shown: Math.min(same.length, NEWEST_SHOWN) })}</summary>
          {same.slice(0, NEWEST_SHOWN).map(({ being, n, at, role }) => (
            <Text key={`${being} ${n}`} size="sm">
              <MomentLink being={being} n={n}>
                <Inert text={`${being}${role === null ? '' : ` ${t('as {{role}}', { role })}`}`} />{' '}
                <Time iso={at} />
              </MomentLink>
            </Text>
          ))}
        </details>
      )}
    </>
  )
}
