import { TreeosError } from '@treeos/core'
import type { Cli, InstanceOptions } from '../cli.ts'
import type { DebuggedMoment } from '../debug/page.ts'
import type { DebugRecord } from '../debug/session.ts'
import { requireLivingBeing, withRegistry } from '../instance/with-instance.ts'
import { momentNumber, requireStance } from '../text/input.ts'
import type { Output } from '../text/output.ts'

interface DebugOptions extends InstanceOptions {
  readonly at?: number
}

/** `treeos debug`: the moments of a being, one after another. It calls no model and writes nothing. */
export function addDebug(cli: Cli): void {
  cli
    .onInstance(
      'debug <stance>',
      'step through the moments of a being\nWithout a terminal it prints one moment.',
    )
    .option('--at <n>', 'number of the first moment to show (default: the newest)', momentNumber('--at'))
    .action(
      cli.run(async (out, stance: string, options: DebugOptions) => {
        const being = requireStance(stance)
        const { recordFor } = await import('../debug/record.ts')
        const { hasTerminal } = await import('../debug/terminal.ts')
        await withRegistry(options, async (at) => {
          await requireLivingBeing(at, being)
          const record = recordFor(at, being, options)
          const newest = await record.newest()
          if (newest === 0) throw new TreeosError('MOMENT_NOT_FOUND', `${stance} has no finished moment yet`)
          const view = await record.load(options.at ?? newest, newest)
          if (out.json || !hasTerminal()) return printed(out, record, view)
          return stepped(options, record, view)
        })
      }),
    )
}

async function printed(out: Output, record: DebugRecord, view: DebuggedMoment): Promise<void> {
  const { pageOf, titleOf } = await import('../debug/page.ts')
  const event = await record.event(view)
  const whole = { ...view, temporal: { ...view.temporal, event } }
  out.value(whole, () => [titleOf(whole), '', ...pageOf(whole).map(({ text }) => text)].join('\n').trimEnd())
}

async function stepped(options: InstanceOptions, record: DebugRecord, view: DebuggedMoment): Promise<void> {
  const { listenToJournal } = await import('@treeos/client/records')
  const { instanceDir, locatePostgres, untilEnding } = await import('@treeos/local')
  const { DebugSession } = await import('../debug/session.ts')
  const { Terminal } = await import('../debug/terminal.ts')
  const session: InstanceType<typeof DebugSession> = new DebugSession(record, () => terminal, view)
  const terminal = new Terminal({ key: (key) => session.key(key), resize: () => session.draw() })
  const listener = listenToJournal(locatePostgres(instanceDir(options)).peopleUrl)
  const unsubscribe = listener.subscribe(() => session.news())
  try {
    void untilEnding().then(() => session.end())
    session.draw()
    await session.over
  } finally {
    terminal.close()
    unsubscribe()
    await listener.close()
  }
}
