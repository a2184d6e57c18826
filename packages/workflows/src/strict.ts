import { proxySinks, type Sinks, type WorkflowInterceptors } from '@temporalio/workflow'

/**
 * A recorder for replay bundles only. Temporal's own replay check ignores what a command carries: activity arguments,
 * timer lengths, what continue-as-new hands on. This tells each one to the host, which compares it with history.
 */
export interface StrictSinks extends Sinks {
  strict: {
    /** @param args JSON text of what the command carries, as it would be written into history */
    command(kind: 'activity' | 'local' | 'timer' | 'continue', name: string, args: string): void
  }
}

export const interceptors = (): WorkflowInterceptors => {
  const { strict } = proxySinks<StrictSinks>()
  return {
    outbound: [
      {
        scheduleActivity: (input, next) => {
          strict.command('activity', input.activityType, JSON.stringify(input.args))
          return next(input)
        },
        scheduleLocalActivity: (input, next) => {
          strict.command('local', input.activityType, JSON.stringify(input.args))
          return next(input)
        },
        startTimer: (input, next) => {
          strict.command('timer', '', JSON.stringify([input.durationMs]))
          return next(input)
        },
        continueAsNew: (input, next) => {
          strict.command('continue', '', JSON.stringify(input.args))
          return next(input)
        },
      },
    ],
  }
}
