import type { ActivityInterceptorsFactory } from '@temporalio/worker'

/** Reports each moment of some beings when its act is stored, and any other outcome as a failure. A rerun reports again. */
export function reportingEnds(
  isOurs: (being: string) => boolean,
  done: (being: string, n: number) => void,
  fail: (error: Error) => void,
): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const output = (await next(input)) as { value: { kind?: string; reason?: string | null } }
        const { being, n } = input.args[0] as { being: string; n: number }
        const isEnd = info.activityType === 'stampMoment' || info.activityType === 'finishMoment'
        if (isEnd && output.value.kind !== undefined && isOurs(being)) {
          const { kind, reason } = output.value
          if (kind === 'act') done(being, n)
          else fail(new Error(`moment ${n} of ${being} ended as ${kind}: ${reason}`))
        }
        return output
      },
    },
  })
}
