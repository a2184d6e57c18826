import { spawn } from 'node:child_process'
import { TreeosError } from '@treeos/core'
import type { OutsideRun, OutsideRunEnd } from '@treeos/world'

const TIMEOUT_SECONDS = 10
const OUTPUT_BYTES_MAX = 16 * 1024
const MEMORY_KIB_MAX = 512 * 1024
const FILE_KIB_MAX = 16 * 1024
const PROCESSES_MAX = 64

/** Nothing of this machine but its programs: no network, no home, no environment, no other process. */
const SANDBOX = [
  '--unshare-all',
  '--die-with-parent',
  '--new-session',
  '--cap-drop',
  'ALL',
  '--clearenv',
  ...['--setenv', 'PATH', '/usr/bin:/bin'],
  ...['--setenv', 'HOME', '/work'],
  ...['--ro-bind', '/usr', '/usr'],
  ...['--symlink', 'usr/bin', '/bin'],
  ...['--symlink', 'usr/lib', '/lib'],
  ...['--symlink', 'usr/lib64', '/lib64'],
  ...['--proc', '/proc'],
  ...['--dev', '/dev'],
  ...['--size', String(64 * 1024 * 1024), '--tmpfs', '/work'],
  ...['--chdir', '/work'],
]

/**
 * Makes the runner of commands for effects. It needs the program bwrap of the machine, which the operator names.
 * @param bwrap its path; null refuses every command
 * @param attempt aborted when the attempt of the effect is over
 */
export function outsideRun(bwrap: string | null, attempt: AbortSignal): OutsideRun {
  return async (command, { input = '', timeoutSeconds = TIMEOUT_SECONDS } = {}) => {
    if (bwrap === null) throw new TreeosError('FORBIDDEN', OFF)
    if (command.length === 0 || command.some((part) => part.includes('\0')))
      throw new TreeosError('INVALID_INPUT', 'a command is a program and its arguments, without NUL')
    const cpuSeconds = Math.ceil(timeoutSeconds)
    const bounds = `ulimit -v ${MEMORY_KIB_MAX} -t ${cpuSeconds} -f ${2 * FILE_KIB_MAX}; ulimit -u ${PROCESSES_MAX} 2>/dev/null; exec "$@"`
    // bash, since the limits of sh differ from system to system.
    const args = [...SANDBOX, '--', '/bin/bash', '-c', bounds, 'bash', ...command]
    const timeout = AbortSignal.timeout(timeoutSeconds * 1000)
    const signal = AbortSignal.any([attempt, timeout])
    return new Promise<OutsideRunEnd>((resolve, reject) => {
      const child = spawn(bwrap, args, { env: {}, stdio: 'pipe', signal, killSignal: 'SIGKILL' })
      const output = { stdout: collect(child.stdout), stderr: collect(child.stderr) }
      child.stdin.on('error', () => undefined) // it may end before it has read its input
      child.stdin.end(input)
      child.once('error', (error: NodeJS.ErrnoException) => {
        if (timeout.aborted)
          return reject(new TreeosError('TIMEOUT', `the command did not end within ${timeoutSeconds} s`))
        if (attempt.aborted) return reject(attempt.reason)
        reject(
          new TreeosError('INTERNAL', `${bwrap} cannot be run (${error.code}): is bubblewrap installed?`),
        )
      })
      child.once('close', (exitCode) =>
        resolve({
          exitCode,
          stdout: output.stdout.text(),
          stderr: output.stderr.text(),
          cut: output.stdout.isCut() || output.stderr.isCut(),
        }),
      )
    })
  }
}

const OFF =
  'commands are off on this worker: the operator turns them on with TREEOS_SANDBOX=/usr/bin/bwrap, which needs bubblewrap'

function collect(stream: NodeJS.ReadableStream) {
  const chunks: Buffer[] = []
  let kept = 0
  let cut = false
  stream.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, OUTPUT_BYTES_MAX - kept)
    cut ||= part.length < chunk.length
    kept += part.length
    if (part.length > 0) chunks.push(part)
  })
  return { text: () => Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\ufffd'), isCut: () => cut }
}
