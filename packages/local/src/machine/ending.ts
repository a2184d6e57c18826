import { watchLaunchers } from './launcher.ts'

/** Why a run ends: a signal, or the end of the program that launched us. */
export type Ending = NodeJS.Signals | 'orphaned'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Waits for what ends a run.
 * @param watch the end of the program that launched us counts too
 */
export function onEnding({ watch }: { watch: boolean }): { promise: Promise<Ending>; release(): void } {
  let end: (why: Ending) => void = () => undefined
  const promise = new Promise<Ending>((resolve) => {
    end = resolve
  })
  // One Ctrl-C may reach us twice, from the terminal and from pnpm. The first ends the run, the second does nothing.
  const onSignal = (signal: NodeJS.Signals) => end(signal)
  for (const signal of SIGNALS) process.on(signal, onSignal)
  const unwatch = watch ? watchLaunchers(() => end('orphaned')) : () => undefined
  const release = () => {
    unwatch()
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
  return { promise, release }
}
