import { Autocomplete, Button, Group, NativeSelect, NumberInput, Progress, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Trans, t } from '../language/index.ts'
import { Card, CopyText, Inert, Quiet, SmallButton, Trouble } from '../parts/index.ts'
import { byName } from '../text/by-name.ts'
import { TrialRows } from './TrialRows.tsx'
import { estimateText, type OfCandidate, summaryText } from './trial-text.ts'
import { type TrialFile, useTrial } from './useTrial.ts'

/** What the candidate is called in the file. */
const DRAFT = 'draft'
const LAST = 20
const LAST_MAX = 200
const DAY_MS = 86_400_000

const OUTCOMES = [
  { value: '', label: t('however they ended') },
  { value: 'act', label: t('in which it acted') },
  { value: 'see', label: t('in which it did nothing') },
  { value: 'failure', label: t('that failed') },
  { value: 'waiting', label: t('that waited for a yes') },
]
const TIMES = [
  { value: '', label: t('at any time') },
  { value: '1', label: t('in the last day') },
  { value: '7', label: t('in the last week') },
  { value: '30', label: t('in the last month') },
]

interface ChosenMoment {
  readonly being: string
  readonly outcome: string
  readonly days: string
  readonly last: number
}

interface TrialCardProps {
  /** by which a button further up leads to it */
  readonly id?: string | undefined
  readonly title?: string
  /** only moments of this being; left out, one may be chosen of those that are offered */
  readonly being?: string
  readonly beings?: readonly string[]
  /** only moments that wore this role */
  readonly role?: string
  /** ISO 8601: asks only the moment of the being that opened then, and offers no choice of others */
  readonly only?: string
  /** what is otherwise, as a file of a trial takes it */
  readonly candidate: object
  /** why it cannot be tried now */
  readonly isOff?: boolean
  /** hears what came of a trial of this candidate, which is to be published with it */
  readonly onTrial?: (summary: OfCandidate) => void
}

/** Past moments asked again, with a draft: first what that costs, then each as it was and as it would be. */
export function TrialCard({
  id,
  title = t('Try it'),
  being,
  beings = [],
  role,
  only,
  candidate,
  isOff = false,
  onTrial,
}: TrialCardProps) {
  const [chosen, setChosen] = useState<ChosenMoment>({ being: '', outcome: '', days: '', last: LAST })
  const { trial, estimate, run, stop } = useTrial()
  const choose = (next: Partial<ChosenMoment>) => setChosen({ ...chosen, ...next })
  const isOld = trial !== null && JSON.stringify(trial.file.candidates[DRAFT]) !== JSON.stringify(candidate)
  const ask = () => void estimate(fileOf({ being, role, only, candidate, chosen }))
  const begin = () => {
    if (trial?.estimate != null) void run(trial.file, trial.estimate)
  }
  return (
    <Card
      id={id}
      title={title}
      note={t(
        'A model is asked again about past moments, as they would be with the draft. Nothing is done, and nothing is written.',
      )}
      gap="sm"
    >
      <Group gap="xs" align="flex-end">
        {only === undefined ? (
          <WhichMoments isOfAny={being === undefined} {...{ beings, chosen, choose }} />
        ) : null}
        {trial?.isRunning ? (
          <SmallButton onClick={stop}>{t('Stop')}</SmallButton>
        ) : (
          <SmallButton disabled={isOff} onClick={ask}>
            {t('What would it cost?')}
          </SmallButton>
        )}
      </Group>
      {trial === null ? null : (
        <>
          {trial.estimate === null ? null : (
            <Group gap="xs">
              <Text size="sm">{estimateText(trial.estimate)}</Text>
              {trial.isRunning || isOld ? null : (
                <Button size="xs" onClick={begin}>
                  {trial.summary === null ? t('Ask again now') : t('Ask once more')}
                </Button>
              )}
            </Group>
          )}
          {trial.isRunning ? (
            <Progress
              value={(100 * trial.lines.length) / Math.max(1, trial.estimate?.moments ?? 1)}
              aria-label={t('moments asked again')}
              size="sm"
            />
          ) : null}
          <Trouble error={trial.error} />
          {isOld ? <Quiet size="xs">{t('The draft has changed since: try it again.')}</Quiet> : null}
          <TrialResult of={trial} isOld={isOld} onTrial={onTrial} />
        </>
      )}
    </Card>
  )
}

interface WhichMomentsProps {
  /** a being may be chosen */
  readonly isOfAny: boolean
  readonly beings: readonly string[]
  readonly chosen: ChosenMoment
  readonly choose: (next: Partial<ChosenMoment>) => void
}

const WhichMoments = ({ isOfAny, beings, chosen, choose }: WhichMomentsProps) => (
  <>
    {isOfAny ? (
      <Autocomplete
        size="xs"
        label={t('Of whom')}
        placeholder={t('everybody who wore it')}
        data={[...beings].sort(byName)}
        value={chosen.being}
        renderOption={({ option }) => <Inert text={option.value} />}
        onChange={(next) => choose({ being: next })}
      />
    ) : null}
    <NumberInput
      size="xs"
      w="6rem"
      label={t('The last')}
      min={1}
      max={LAST_MAX}
      allowDecimal={false}
      value={chosen.last}
      onChange={(next) => choose({ last: Number(next) || LAST })}
    />
    <NativeSelect
      size="xs"
      label={t('Moments')}
      data={OUTCOMES}
      value={chosen.outcome}
      onChange={(event) => choose({ outcome: event.currentTarget.value })}
    />
    <NativeSelect
      size="xs"
      label={t('When')}
      data={TIMES}
      value={chosen.days}
      onChange={(event) => choose({ days: event.currentTarget.value })}
    />
  </>
)

interface TrialResultProps extends Pick<TrialCardProps, 'onTrial'> {
  readonly of: NonNullable<ReturnType<typeof useTrial>['trial']>
  readonly isOld: boolean
}

/** What came of it so far. */
function TrialResult({ of: { file, lines, summary }, isOld, onTrial }: TrialResultProps) {
  const draft = summary?.candidates[DRAFT]
  return (
    <Stack gap="xs">
      {summary === null || draft === undefined ? null : (
        <Text size="sm" role="status">
          {summaryText(draft)}
          {summary.erased === 0
            ? ''
            : ` ${t('What {{count}} moments read was erased.', { count: summary.erased })}`}
          {summary.stopped === null
            ? ''
            : ` ${t('It ended before all was asked ({{stopped}}).', { stopped: summary.stopped })}`}
        </Text>
      )}
      <TrialRows lines={lines} />
      {draft === undefined || draft.moments === 0 ? null : (
        <Group gap="xs">
          {onTrial === undefined || isOld ? null : (
            <SmallButton onClick={() => onTrial(draft)}>{t('Publish it with this trial')}</SmallButton>
          )}
          <Saved file={file} lines={lines} />
        </Group>
      )}
    </Stack>
  )
}

/**
 * The trial as the file that `treeos trial run` takes: it asks the same moments again, whatever came since.
 */
function Saved({
  file,
  lines,
}: {
  readonly file: TrialFile
  readonly lines: TrialResultProps['of']['lines']
}) {
  const beings = [...new Set(lines.map(({ being }) => `@${being}`))].sort(byName)
  const text = `${JSON.stringify({ ...file, moments: { ...file.moments, being: beings } }, null, 2)}\n`
  return (
    <>
      <Button
        size="xs"
        variant="default"
        component="a"
        href={`data:application/json;charset=utf-8,${encodeURIComponent(text)}`}
        download="trial.json"
      >
        {t('Save as a file')}
      </Button>
      <CopyText text={text} />
      <Quiet size="xs">
        <Trans
          text="<span>treeos trial run trial.json</span> runs it again."
          parts={{ span: <span className="code" /> }}
        />
      </Quiet>
    </>
  )
}

interface TrialRequest extends Pick<TrialCardProps, 'being' | 'role' | 'only' | 'candidate'> {
  readonly chosen: ChosenMoment
}

/** With its end in time, so that the same moments are asked whenever it is run. */
function fileOf({ being, role, only, candidate, chosen }: TrialRequest): TrialFile {
  const now = Date.now()
  const whose = being === undefined ? chosen.being.trim() : `@${being}`
  return {
    trial: 1,
    moments: {
      ...(whose === '' ? {} : { being: whose.startsWith('@') ? whose : `@${whose}` }),
      ...(role === undefined ? {} : { role }),
      ...(only === undefined ? chosenIn(chosen, now) : instantOf(only)),
    },
    candidates: { [DRAFT]: candidate },
  }
}

const chosenIn = ({ outcome, days, last }: ChosenMoment, now: number) => ({
  ...(outcome === '' ? {} : { outcome }),
  ...(days === '' ? {} : { since: new Date(now - Number(days) * DAY_MS).toISOString() }),
  until: new Date(now).toISOString(),
  last,
})

/** A being opens no two moments at one time. */
const instantOf = (openedAt: string) => ({
  since: openedAt,
  until: new Date(Date.parse(openedAt) + 1).toISOString(),
})
