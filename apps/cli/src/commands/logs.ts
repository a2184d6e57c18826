import type { Cli, InstanceOptions } from '../cli.ts'
import { shownLogLine, uncoloured } from '../show/logs.ts'
import { wholeNumber } from '../text/input.ts'

interface LogsOptions extends InstanceOptions {
  readonly follow?: boolean
  readonly last: number
}

const LAST = 50
const LAST_MAX = 100_000

/** `treeos logs`: what the processes of an instance wrote. */
export function addLogs(cli: Cli): void {
  cli
    .onInstance('logs [service...]', 'show the logs of an instance: of all its services, or of some')
    .option('-f, --follow', 'go on with new lines until Ctrl-C')
    .option('--last <n>', 'how many lines of each', wholeNumber('--last', 0, LAST_MAX), LAST)
    .action(
      cli.run(async (out, services: string[], { follow = false, last, ...options }: LogsOptions) => {
        const { followLogs, instanceDir, lastLines, requireLogs, untilEnding } = await import('@treeos/local')
        const dataDir = instanceDir(options)
        const logs = requireLogs(dataDir, services)
        for (const { service, file } of logs) out.progress(`${service}: ${file}`)
        const width = Math.max(...logs.map(({ service }) => service.length))
        const show = (service: string, written: string) => {
          const line = uncoloured(written)
          out.value({ service, line }, () => `${service.padEnd(width)} | ${shownLogLine(line)}`)
        }
        const ends = logs.map((log) => {
          const { lines, end } = lastLines(log.file, last)
          for (const line of lines) show(log.service, line)
          return [log.service, end] as const
        })
        if (!follow) return
        const wanted = services.length === 0 ? null : new Set(services)
        const stopFollowing = followLogs(dataDir, new Map(ends), (service, line) => {
          if (wanted === null || wanted.has(service)) show(service, line)
        })
        await Promise.race([untilEnding(), out.readerLeft])
        stopFollowing()
      }),
    )
}
