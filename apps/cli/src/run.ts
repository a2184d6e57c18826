import { readFileSync } from 'node:fs'
import { TreeosError } from '@treeos/core'
import { runProgram } from './program.ts'
import { failureOf, UsageError } from './text/failure.ts'
import { type ExitStatus, Output, plain } from './text/output.ts'
import { namedData } from './text/program-name.ts'

/**
 * Runs one command line to its end and ends the process, with 0, 1, 2 or 3.
 * @param fault of the settings, which is told instead
 */
export async function main(args: readonly string[], fault: string | null = null): Promise<void> {
  const out = outputOf(args)
  const status = await attempt(args, out, fault)
  process.exitCode = status
  // A library may hold something open, which must not delay a script. Output is flushed first.
  if (out.isGone) process.exit(status)
  process.stdout.write('', () => process.stderr.write('', () => process.exit(status)))
}

/** Runs one command line in a process that goes on. */
export const runCommandLine = (args: readonly string[]): Promise<ExitStatus> => attempt(args, outputOf(args))

function outputOf(args: readonly string[]): Output {
  const end = args.indexOf('--')
  return new Output((end < 0 ? args : args.slice(0, end)).includes('--json'), namedData(args))
}

async function attempt(
  args: readonly string[],
  out: Output,
  fault: string | null = null,
): Promise<ExitStatus> {
  try {
    if (fault !== null) throw new TreeosError('INVALID_INPUT', fault)
    requireUtf8(args)
    return await runProgram(args, out)
  } catch (error) {
    out.failure(failureOf(error))
    if (process.env.TREEOS_DEBUG && error instanceof Error)
      process.stderr.write(`${plain(error.stack ?? '')}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

/**
 * Refuses arguments that are not UTF-8: Node replaces such bytes with U+FFFD, which would change the text.
 */
function requireUtf8(args: readonly string[]): void {
  if (process.platform !== 'linux' || !args.some((arg) => arg.includes('\ufffd'))) return
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(readFileSync('/proc/self/cmdline'))
  } catch {
    throw new UsageError('an argument is not UTF-8 text, or holds a lone surrogate')
  }
}
