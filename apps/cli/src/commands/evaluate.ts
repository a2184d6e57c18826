import type { Cli } from '../cli.ts'
import type { ExitStatus } from '../text/output.ts'

/** `treeos flow eval | role compose`: JSON lines in, JSON lines out, in order, without any service. */
export function addEvaluate(cli: Cli): void {
  cli.command('eval', 'evaluate flows: JSON lines on standard input', 'flow').action(
    cli.run(async (out): Promise<ExitStatus> => {
      const { evalLine } = await import('@treeos/roles')
      const { answerLines } = await import('../text/json-lines.ts')
      return answerLines(process.stdin, evalLine, out)
    }),
  )
  cli.command('compose', 'compose roles: JSON lines on standard input', 'role').action(
    cli.run(async (out): Promise<ExitStatus> => {
      const { composeLine } = await import('@treeos/roles')
      const { answerLines } = await import('../text/json-lines.ts')
      return answerLines(process.stdin, composeLine, out)
    }),
  )
}
