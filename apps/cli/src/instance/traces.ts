import { join } from 'node:path'
import { TreeosError } from '@treeos/core'
import { acquireLock, collectorOf, instanceDir, LockedError, onEnding } from '@treeos/local'
import { readJournal } from '@treeos/store'
import { collector, exportTraces, mayTellContent, positionIn, resourceOf } from '@treeos/telemetry'
import type { InstanceOptions } from '../cli.ts'
import { errorReporter } from '../text/error-reporter.ts'
import { messageOf } from '../text/failure.ts'
import type { ExitStatus, Output } from '../text/output.ts'
import { openReality } from './connection.ts'

export interface TracesOptions extends InstanceOptions {
  readonly from: 'start' | 'now'
  readonly once?: boolean
  readonly position?: string
  readonly supervised?: boolean
}

/** Sends traces until a signal, or until all is sent. */
export async function sendTraces(options: TracesOptions, out: Output): Promise<ExitStatus> {
  const named = collectorOf(process.env)
  if (named === null)
    throw new TreeosError(
      'INVALID_INPUT',
      'no collector is named: set OTEL_EXPORTER_OTLP_ENDPOINT, as in http://127.0.0.1:4318',
    )
  if ('off' in named) throw new TreeosError('INVALID_INPUT', `traces are not sent: ${named.off}`)
  const { address } = named
  const file = options.position ?? join(instanceDir(options), 'traces.json')
  const lock = await lockPosition(file)
  const ending = onEnding({ watch: options.supervised !== true })
  const stopping = new AbortController()
  void ending.promise.then(() => stopping.abort())
  const report = errorReporter(out, 'traces')
  try {
    return await openReality<ExitStatus>(options, async ({ db, reality }) => {
      const start = options.from === 'now' ? (await readJournal(db, 0, 1)).newest : 0
      const sent = { moments: 0, spans: 0, leftOut: 0 }
      out.progress(`sending traces to ${address}`)
      /** what was told last: a fault that lasts is told once */
      let told = ''
      await exportTraces(db, {
        exporter: collector(),
        position: openPosition(file, reality.id, start),
        reality,
        resource: resourceOf(reality),
        withContent: mayTellContent(process.env),
        signal: stopping.signal,
        once: options.once === true,
        onExported({ moments, spans }) {
          told = ''
          sent.moments += moments
          sent.spans += spans
        },
        onLeftOut(moment, error) {
          sent.leftOut += 1
          report(`the collector refuses the trace of ${moment} for good, so it is left out`, error)
        },
        onError(error) {
          const fault = String(error)
          if (fault !== told) report('what happened is kept, and sent later', error)
          told = fault
        },
      }).catch((error: unknown) => {
        throw new TreeosError('SERVICE_UNAVAILABLE', `${address} took no traces: ${messageOf(error)}`)
      })
      out.value(
        { ...sent, to: address },
        () =>
          `sent ${sent.spans} spans of ${sent.moments} moments${sent.leftOut === 0 ? '' : `, ${sent.leftOut} moments were refused`}`,
      )
      return 0
    })
  } finally {
    lock.release()
    ending.release()
  }
}

function openPosition(file: string, reality: string, start: number) {
  try {
    return positionIn(file, reality, start)
  } catch (error) {
    throw new TreeosError('INVALID_INPUT', messageOf(error))
  }
}

/** Two that send by one position would send each moment twice. */
async function lockPosition(file: string) {
  try {
    return await acquireLock(`${file}.lock`)
  } catch (error) {
    if (!(error instanceof LockedError)) throw error
    const who = `process ${error.holder.pid} sends the traces of ${file} already`
    throw new TreeosError('RESOURCE_CONFLICT', `${who}: end it first, or name another file with --position`)
  }
}
