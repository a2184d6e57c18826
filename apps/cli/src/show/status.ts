import { dataFlag, keyFileOf } from '@treeos/local'
import type { WaitingShare } from '@treeos/store'
import { describeAway } from '../health/away-extensions.ts'
import { describeCheckpoint } from '../health/checkpoints.ts'
import { describeWaiting } from '../health/migrations.ts'
import {
  describePaced,
  describeParked,
  LIMITS,
  type Outlets,
  type PeoplesInbox,
  type Status,
} from '../health/status.ts'
import { describeServer } from '../health/tools.ts'
import { describeWitnesses } from '../health/witnesses.ts'
import type { Login } from '../login/stored-login.ts'
import { duration, table } from '../text/output.ts'
import { programName } from '../text/program-name.ts'

export function describeStatus(
  status: Status,
  dataDir: string,
  login: Omit<Login, 'token'> | null = null,
): string {
  const {
    temporal,
    postgres,
    portal,
    checkpoint,
    witnesses,
    supervisor,
    worker,
    tools,
    mind,
    connections,
    reality,
  } = status
  const { wakes, inbox, budgets, parked } = status
  return table(
    [
      ...(login === null ? [] : [['logged in', `as ${login.being} at ${login.url}`]]),
      ['reality', reality.name === null ? 'none reached' : `${reality.name}, time in ${reality.timeZone}`],
      ...(portal.url === null ? [] : [['portal', portal.url]]),
      ['Temporal', describeTemporal(temporal)],
      ...(temporal.ui === null ? [] : [['Temporal UI', describeUi(temporal, dataDir)]]),
      ...(temporal.actSignal === null ? [] : [['act signal', describeActSignal(temporal)]]),
      ['Postgres', postgres.url ?? 'not running'],
      ...(status.migrations !== null && status.migrations.length > 0
        ? [
            [
              'database',
              `${describeWaiting(status.migrations)}: ${programName()} up${dataFlag(dataDir)} runs them`,
            ],
          ]
        : []),
      ['worker', worker.running ? describeWorkers(worker) : notRunning(status, dataDir)],
      ...(checkpoint === null ? [] : [['checkpoint', describeCheckpoint(checkpoint)]]),
      ...(witnesses ? [['witnesses', describeWitnesses(witnesses)]] : []),
      ...(supervisor.pid === null ? [] : [['kept up by', `process ${supervisor.pid}`]]),
      ...worker.metrics.map((url) => [
        'metrics',
        worker.silent.includes(url) ? `${url} does not answer` : url,
      ]),
      ...Object.entries(tools).map(([name, state]) => [`tools ${name}`, describeServer(state)]),
      ['mind', mind === null ? 'none connected' : `${mind.model} at ${mind.baseUrl}`],
      ...Object.entries(connections).map(([name, { model, baseUrl }]) => [
        `mind ${name}`,
        `${model} at ${baseUrl}`,
      ]),
      ...(wakes === null ? [] : [['wakes', describeWakes(wakes, status.paced ?? 0)]]),
      ...(status.limit === null ? [] : [['what limits', LIMITS[status.limit]]]),
      ...(inbox === null ? [] : [['inbox', describeInbox(inbox)]]),
      ...(budgets === null ? [] : [['budget', describeBudgets(budgets)]]),
      ...(parked ? [['parked', describeParked(parked)]] : []),
      ...(status.restored === null
        ? []
        : [
            [
              'restored',
              `${status.restored.at} (${status.restored.why}): ${status.restored.lives} beings began new lives`,
            ],
          ]),
      ...(status.awaited ?? []).map((one) => ['extension', describeAway(one)]),
      ...(status.outlets !== null && status.outlets.late + status.outlets.dead > 0
        ? [['told outside', describeOutlets(status.outlets)]]
        : []),
      ...describeWork(status),
      ['state', dataDir],
    ],
    '  ',
  )
}

/** A worker starts only where Temporal and Postgres run. `treeos up` starts whatever does not run. */
function describeWorkers({ pids, living }: Status['worker']): string {
  const own = pids.length === 0 ? '' : `${pids.length === 1 ? 'process' : 'processes'} ${pids.join(', ')}`
  const elsewhere = (living ?? 0) - pids.length
  if (elsewhere <= 0) return own
  const others = `${elsewhere} ${elsewhere === 1 ? 'lives' : 'live'} elsewhere`
  return own === '' ? others : `${own}; ${others}`
}

function notRunning({ temporal, postgres }: Status, dataDir: string): string {
  const flag = dataFlag(dataDir)
  return temporal.address === null || postgres.url === null
    ? `not running; ${programName()} up${flag} starts all`
    : `not running; ${programName()} worker${flag} starts one`
}

const describeTemporal = ({ address, open }: Status['temporal']): string =>
  `${address ?? 'not running'}${open === true ? ', open: it asks its callers for no credential' : ''}`

const describeUi = ({ ui, open }: Status['temporal'], dataDir: string): string =>
  open === false ? `${ui}, where any name and the key in ${keyFileOf(dataDir)} log in` : `${ui}`

function describeActSignal({ open, actSignal }: Status['temporal']): string {
  if (actSignal) return open === true ? 'on, also for callers without a credential' : 'on'
  return 'off'
}

function describeWakes(wakes: NonNullable<Status['wakes']>, paced: number): string {
  const { waiting, oldestSeconds, medianSeconds, ofPeople, inBackground } = wakes
  if (waiting === 0) return 'none waits for a worker'
  const what = paced === 0 ? ' for a worker' : describePaced(waiting, paced)
  const half = waiting > 1 && medianSeconds !== undefined ? `, half for over ${duration(medianSeconds)}` : ''
  const share = (of: WaitingShare | undefined, name: string) =>
    of === undefined || of.waiting === 0
      ? ''
      : `; ${name} ${of.waiting}, the oldest for ${duration(of.oldestSeconds)}`
  return (
    `${waiting} ${waiting === 1 ? 'waits' : 'wait'}${what}, the oldest for ${duration(oldestSeconds)}${half}` +
    `${share(ofPeople, 'of people')}${share(inBackground, 'in the background')}`
  )
}

function describeInbox({ waiting, notices, oldestSeconds }: PeoplesInbox): string {
  if (waiting + notices === 0) return 'nothing waits for people'
  const counts = listedCounts({
    [waiting === 1 ? 'entry' : 'entries']: waiting,
    [notices === 1 ? 'notice' : 'notices']: notices,
  })
  return `${counts} for people, the oldest for ${duration(oldestSeconds)}`
}

function describeOutlets({ late, dead }: Outlets): string {
  const told = [
    ...(dead > 0 ? [`${dead} given up: ${programName()} outlet list says why`] : []),
    ...(late > 0 ? [`${late} tried again`] : []),
  ]
  return `of what waits for people ${told.join(', ')}`
}

/** What each being may use that has no budget of its own. */
function describeBudgets(budgets: NonNullable<Status['budgets']>): string {
  return Object.entries(budgets)
    .map(([whose, { momentsPerMinute, tokens, money, per = 'total' }]) => {
      const limits = [
        ...(momentsPerMinute === undefined ? [] : [`${momentsPerMinute} moments a minute`]),
        ...(tokens === undefined ? [] : [`${tokens} tokens ${per === 'day' ? 'a day' : 'in total'}`]),
        ...(money === undefined ? [] : [`${money} of money ${per === 'day' ? 'a day' : 'in total'}`]),
      ]
      return `each ${whose}: ${limits.length === 0 ? 'no limit' : limits.join(', ')}`
    })
    .join('; ')
}

/** What workers have done since they started. Zero counts are left out. */
function describeWork({ moments, models, slowestBeat }: Status): string[][] {
  const lines: string[][] = []
  if (moments !== null) {
    const { act, see, failure, skipped, reasons } = moments
    const total = act + see + failure + skipped
    const kinds = listedCounts({ act, see, failure, skipped })
    const why = listedCounts(reasons)
    const told = `${total} since the start: ${kinds}${why === '' ? '' : ` (${why})`}`
    lines.push(['moments', total === 0 ? 'none since the start' : told])
  }
  if (models !== null && models.calls > 0) {
    const { calls, failures, lost, promptTokens, completionTokens } = models
    const wrong = listedCounts({ failed: failures, lost })
    lines.push([
      'model',
      `${calls} calls${wrong === '' ? '' : ` (${wrong})`}, ${promptTokens} tokens in, ${completionTokens} out`,
    ])
  }
  if (slowestBeat !== null) {
    const { name, meanSeconds, p95Seconds } = slowestBeat
    lines.push([
      'slowest',
      `${name}, ${duration(meanSeconds)} on average, 95 % within ${duration(p95Seconds)}`,
    ])
  }
  return lines
}

/** `3 act, 1 see`: zero counts are left out. */
const listedCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
