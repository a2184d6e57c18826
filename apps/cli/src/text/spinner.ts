/** The steps of long work on a terminal: those that are over as lines, the latest one with a spinner. */
export interface Spinner {
  step(line: string): void
  stop(): void
}

/** @returns a spinner on stderr, which has to be a terminal */
export async function startSpinner(): Promise<Spinner> {
  const { default: yoctoSpinner } = await import('yocto-spinner')
  // The commands handle signals themselves.
  const spinner = yoctoSpinner({ stream: process.stderr, handleSignals: false })
  let latest: string | null = null
  const keepLatest = () => {
    if (latest !== null) process.stderr.write(`${latest}\n`)
  }
  return {
    step(line) {
      keepLatest()
      latest = line
      spinner.text = line
      if (!spinner.isSpinning) spinner.start()
    },
    stop() {
      spinner.stop()
      keepLatest()
    },
  }
}
