import { Badge, Group, Text } from '@mantine/core'
import type { TrialLine } from '@treeos/trials/forms'
import { Trans, t } from '../language/index.ts'
import { BeingLink, Inert, MomentLink, Quiet, Time } from '../parts/index.ts'
import { wordsOf } from '../words/tell.ts'
import { byDifference, costText, decisionText, trialEnd, verdictText } from './trial-text.ts'
import './trial.css'

/** Each moment as it was and as it would be; those that differ first. */
export const TrialRows = ({ lines }: { readonly lines: readonly TrialLine[] }) =>
  lines.length === 0 ? null : (
    <ol className="versions trial" aria-label={t('Moments asked again')}>
      {byDifference(lines).map((line) => (
        <TrialRow key={line.moment} line={line} />
      ))}
    </ol>
  )

function TrialRow({ line }: { readonly line: TrialLine }) {
  const { being, n, openedAt, question, was, would, same } = line
  return (
    <li data-same={same}>
      <Group gap="xs">
        <Text size="sm">
          <BeingLink stance={`@${being}`} />{' '}
          <MomentLink being={being} n={n}>
            {t('moment {{n}}', { n })}
          </MomentLink>{' '}
          <Time iso={openedAt} />
        </Text>
        <Badge size="sm" color={same ? 'gray' : 'orange'}>
          {same ? t('the same') : t('otherwise')}
        </Badge>
        <Quiet size="xs">{costText(line)}</Quiet>
      </Group>
      {question === null ? null : (
        <Quiet size="xs">
          <Trans text="It was asked: <text/>" parts={{ text: <Inert text={wordsOf(question)} /> }} />
        </Quiet>
      )}
      <div className="sides">
        <TrialSide
          title={t('then')}
          roles={was.roles}
          words={decisionText(was.decision)}
          verdict={trialEnd(was)}
        />
        <TrialSide
          title={t('with the draft')}
          roles={would.roles}
          words={decisionText(would.decision)}
          verdict={verdictText(would)}
        />
      </div>
    </li>
  )
}

interface TrialSideProps {
  readonly title: string
  readonly roles: readonly string[]
  readonly words: string
  readonly verdict: string | null
}

const TrialSide = ({ title, roles, words, verdict }: TrialSideProps) => (
  <div>
    <Quiet size="xs">
      <Trans
        text="{{title}}, as <roles/>"
        values={{ title }}
        parts={{ roles: <Inert text={roles.join(' + ') || t('no role')} /> }}
      />
    </Quiet>
    <Text size="sm">
      <Inert text={words} />
    </Text>
    {verdict === null ? null : (
      <Text size="sm" fw={600}>
        <Inert text={verdict} />
      </Text>
    )}
  </div>
)
