import { Option } from 'commander'
import type { Cli } from '../cli.ts'
import type { TracesOptions } from '../instance/traces.ts'

/** `treeos traces` */
export function addTraces(cli: Cli): void {
  cli
    .onInstance(
      'traces',
      'send a trace of each moment to a collector of OpenTelemetry\n`treeos up` starts a sender where OTEL_EXPORTER_OTLP_ENDPOINT names a collector.',
    )
    .addOption(
      new Option('--from <place>', 'where to begin when nothing was sent before')
        .choices(['start', 'now'])
        .default('start'),
    )
    .option('--once', 'end when all that has happened is sent')
    .option('--position <file>', 'keeps how far it has come (default: traces.json of the instance)')
    .addOption(new Option('--supervised', 'goes on when its launcher ends').hideHelp())
    .action(
      cli.run(async (out, options: TracesOptions) => {
        const { sendTraces } = await import('../instance/traces.ts')
        return sendTraces(options, out)
      }),
    )
}
