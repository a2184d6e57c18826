import type { Cli } from '../cli.ts'
import { answerLines } from '../text/json-lines.ts'

/** `treeos flow eval | role compose`: JSON lines in, JSON lines out, in order, without any service. */
export function addEvaluate(cli: Cli): void {
  cli
    .command(
      'eval',
      'evaluate flows on contexts that you write\nIt reads JSON lines on standard input.',
      'flow',
    )
    .action(cli.run(async (out) => answerLines(process.stdin, (await import('@treeos/roles')).evalLine, out)))
  cli
    .command(
      'compose',
      'compose roles, as a moment that wears them would\nIt reads JSON lines on standard input.',
      'role',
    )
    .action(
      cli.run(async (out) => answerLines(process.stdin, (await import('@treeos/roles')).composeLine, out)),
    )
}
