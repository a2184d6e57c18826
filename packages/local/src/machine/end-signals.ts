import { onLauncherGone } from './launcher.ts'

/** Why a run ends: a signal, or the end of the program that launched us. */
export type EndReason = NodeJS.Signals | 'orphaned'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Waits for what ends a run.
 * @param watch the end of the program that launched us counts too
 */
export function onEnding({ watch }: { watch: boolean }): { promise: Promise<EndReason>; release(): void } {
  const { promise, resolve } = Promise.withResolvers<EndReason>()
  // One Ctrl-C may reach us twice, from the terminal and from pnpm. The first ends the run, the second does
  // nothing.
  for (const signal of SIGNALS) process.on(signal, resolve)
  const unwatch = watch ? onLauncherGone(() => resolve('orphaned')) : () => undefined
  const release = () => {
    unwatch()
    for (const signal of SIGNALS) process.off(signal, resolve)
  }
  return { promise, release }
}

/** Resolves when a run is to end. A second signal then ends it at once. */
export async function untilEnding(): Promise<void> {
  const ending = onEnding({ watch: true })
  await ending.promise
  ending.release()
}
