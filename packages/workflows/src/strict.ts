import { proxySinks, type Sinks, type WorkflowInterceptors } from '@temporalio/workflow'

/** The kinds of commands that history keeps. */
export type CommandKind = 'activity' | 'local' | 'child' | 'timer' | 'continue' | 'search'
/** A timer that is cancelled within the task that started it is not in history. */
export type ReportedKind = CommandKind | 'cancelled-timer'

/**
 * A recorder for replay bundles only. Temporal's own replay check ignores the payload of a command: activity
 * arguments, timer lengths, search attributes, the input of continue-as-new. This sink passes the bytes of
 * each payload to the host, and the host compares them with history.
 */
export interface StrictSinks extends Sinks {
  strict: {
    /**
     * @param name type of an activity; for a timer its number within the run
     * @param carries bytes of the values, in order; for a timer its length in ms as JSON
     */
    command(kind: ReportedKind, name: string, carries: Uint8Array[]): void
  }
}

export const interceptors = (): WorkflowInterceptors => {
  const { strict } = proxySinks<StrictSinks>()
  return {
    internals: [
      {
        concludeActivation(input, next) {
          for (const command of input.commands) {
            const described = describeCommand(command)
            if (described !== null) strict.command(...described)
          }
          return next(input)
        },
      },
    ],
  }
}

type Command = Parameters<
  NonNullable<NonNullable<ReturnType<typeof interceptors>['internals']>[0]['concludeActivation']>
>[0]['commands'][number]
type PayloadValues = { data?: Uint8Array | null }[] | null | undefined

function describeCommand(command: Command): [ReportedKind, string, Uint8Array[]] | null {
  const { scheduleActivity, scheduleLocalActivity, startTimer, cancelTimer, continueAsNewWorkflowExecution } =
    command
  if (scheduleActivity)
    return ['activity', scheduleActivity.activityType ?? '', bytes(scheduleActivity.arguments)]
  if (scheduleLocalActivity) {
    // The second argument says how many signals were heard, which may differ from what the run had heard.
    const [input] = scheduleLocalActivity.arguments ?? []
    return ['local', scheduleLocalActivity.activityType ?? '', bytes(input && [input])]
  }
  const child = command.startChildWorkflowExecution
  if (child) return ['child', child.workflowType ?? '', bytes(child.input)]
  if (startTimer) {
    const { seconds, nanos } = startTimer.startToFireTimeout ?? {}
    return [
      'timer',
      String(startTimer.seq),
      [new TextEncoder().encode(JSON.stringify(Number(seconds ?? 0) * 1000 + (nanos ?? 0) / 1e6))],
    ]
  }
  if (cancelTimer) return ['cancelled-timer', String(cancelTimer.seq), []]
  if (continueAsNewWorkflowExecution) return ['continue', '', bytes(continueAsNewWorkflowExecution.arguments)]
  const fields = command.upsertWorkflowSearchAttributes?.searchAttributes?.indexedFields
  if (!fields) return null
  const names = Object.keys(fields).sort()
  return ['search', names.join(' '), bytes(names.map((name) => fields[name] ?? {}))]
}

const bytes = (values: PayloadValues): Uint8Array[] =>
  (values ?? []).map(({ data }) => data ?? new Uint8Array())
