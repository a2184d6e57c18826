import type { BeingName } from '@treeos/core'
import type { ReplayReport } from '@treeos/replay'
import { callPortal } from '../login/call-portal.ts'
import type { Login } from '../login/stored-login.ts'
import { unavailable } from '../text/failure.ts'
import type { Output } from '../text/output.ts'

/** A replay that the portal made. */
export interface ServedReplay extends ReplayReport {
  /** differences that it found beside those that it names */
  readonly more: number
}

/** Lives the moments of a being again, or of all, where the instance runs. */
export async function replayByApi(
  login: Login,
  out: Output,
  being: BeingName | undefined,
): Promise<ServedReplay> {
  const leaving = new AbortController()
  const stop = () => leaving.abort()
  process.once('SIGINT', stop)
  try {
    return await callPortal(login, async (treeos) => {
      const asked = { ...(being === undefined ? {} : { being }), signal: leaving.signal }
      for await (const { event, told } of treeos.replay(asked)) {
        if (event === 'compared') return told as ServedReplay
        out.progress(String(told))
      }
      throw unavailable(`the portal at ${login.url} ended the replay before it said what it found`)
    })
  } finally {
    process.off('SIGINT', stop)
  }
}
