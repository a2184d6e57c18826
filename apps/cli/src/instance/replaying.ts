/** Brings Temporal's worker along. The SDK replays each run with one, which would log that it starts and stops. */
export async function loadReplay(): Promise<typeof import('@treeos/replay')> {
  const { DefaultLogger, Runtime } = await import('@temporalio/worker')
  if (!isHushed) Runtime.install({ logger: new DefaultLogger('ERROR') })
  isHushed = true
  return import('@treeos/replay')
}
/** A process has one runtime. */
let isHushed = false
