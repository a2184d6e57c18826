import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { TreeosError, timerMs } from '@treeos/core'
import type { OutsideRun, OutsideRunEnd } from '@treeos/world'

const TIMEOUT_SECONDS = 10
const OUTPUT_BYTES_MAX = 16 * 1024
/** Of a stream as JSON: control characters take six bytes each, and both streams are one content. */
const OUTPUT_JSON_BYTES_MAX = 24 * 1024
/** Of each process. All of them together have at most PROCESSES_MAX times as much. */
const MEMORY_KIB_MAX = 256 * 1024
const FILE_KIB_MAX = 16 * 1024
const PROCESSES_MAX = 16
const WORK_BYTES_MAX = 64 * 1024 * 1024

/**
 * The root user has no bound on its processes, and whoever breaks out of a sandbox has the rights of its
 * user.
 */
const NOBODY = { uid: 65_534, gid: 65_534 }

/**
 * Nothing of this machine but its programs: no network, no home, no environment, no other process. All that
 * can be written is bounded, since it is memory. A sandbox inside would have no such bounds, so there is none
 * (bubblewrap 0.8 or newer).
 */
const SANDBOX = [
  ...['--unshare-all', '--unshare-user', '--disable-userns'],
  '--die-with-parent',
  '--new-session',
  ...['--cap-drop', 'ALL'],
  '--clearenv',
  ...['--setenv', 'PATH', '/usr/bin:/bin'],
  ...['--setenv', 'HOME', '/work'],
  ...['--ro-bind', '/usr', '/usr'],
  ...['--symlink', 'usr/bin', '/bin'],
  ...['--symlink', 'usr/lib', '/lib'],
  ...['--symlink', 'usr/lib64', '/lib64'],
  ...['--symlink', 'work', '/tmp'],
  ...['--proc', '/proc'],
  ...['--dev', '/dev'],
  ...['--size', String(WORK_BYTES_MAX), '--tmpfs', '/work'],
  ...['--remount-ro', '/dev'],
  ...['--remount-ro', '/'],
  ...['--chdir', '/work'],
]

/** bubblewrap says here how the command ended. It says nothing when it could not start the command. */
const STATUS_FD = 3

/**
 * Makes the runner of commands for effects. It needs the program bwrap of the machine, which the operator
 * names.
 * @param bwrap its path; null refuses every command
 * @param attempt aborted when the attempt of the effect is over
 */
export function outsideRun(bwrap: string | null, attempt: AbortSignal): OutsideRun {
  return async (command, { input = '', timeoutSeconds = TIMEOUT_SECONDS } = {}) => {
    if (bwrap === null) throw new TreeosError('FORBIDDEN', OFF)
    if (command.length === 0 || command.some((part) => part.includes('\0')))
      throw new TreeosError('INVALID_INPUT', 'a command is a program and its arguments, without NUL')
    const timeout = AbortSignal.timeout(timerMs(timeoutSeconds))
    const signal = AbortSignal.any([attempt, timeout])
    return new Promise<OutsideRunEnd>((resolve, reject) => {
      const child = spawn(bwrap, argsOf(command, timeoutSeconds), {
        ...(process.getuid?.() === 0 ? NOBODY : {}),
        cwd: '/',
        env: {},
        stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
        signal,
        killSignal: 'SIGKILL',
      })
      const { stdin } = child
      const stdout = collect(child.stdout)
      const stderr = collect(child.stderr)
      const status = collect(child.stdio[STATUS_FD] as Readable)
      stdin.on('error', () => undefined) // it may end before it has read its input
      stdin.end(input)
      child.once('error', (error: NodeJS.ErrnoException) => {
        if (timeout.aborted)
          return reject(new TreeosError('TIMEOUT', `the command did not end within ${timeoutSeconds} s`))
        if (attempt.aborted) return reject(attempt.reason)
        reject(
          new TreeosError('INTERNAL', `${bwrap} cannot be run (${error.code}): is bubblewrap installed?`),
        )
      })
      child.once('close', () => {
        const exitCode = /"exit-code": (\d+)/.exec(status.text())?.[1]
        if (exitCode === undefined) {
          const why = stderr.text().trim()
          return reject(
            new TreeosError('INTERNAL', `${bwrap} could not run the command: ${why || 'it was killed'}`),
          )
        }
        const cut = stdout.isCut() || stderr.isCut()
        resolve({ exitCode: Number(exitCode), stdout: stdout.text(), stderr: stderr.text(), cut })
      })
    })
  }
}

const OFF =
  'commands are off on this worker: the operator turns them on with TREEOS_SANDBOX=/usr/bin/bwrap, which needs bubblewrap'

function argsOf(command: readonly string[], timeoutSeconds: number): string[] {
  const limits = `-v ${MEMORY_KIB_MAX} -t ${Math.ceil(timeoutSeconds)} -f ${FILE_KIB_MAX} -u ${PROCESSES_MAX}`
  // bash, since the limits of sh differ from system to system. Without its limits the command does not start.
  const bounded = ['/bin/bash', '-c', `ulimit ${limits} && exec "$@"`, 'bash', ...command]
  return [...SANDBOX, '--json-status-fd', String(STATUS_FD), '--', ...bounded]
}

interface OutputCollector {
  text(): string
  isCut(): boolean
}

/** Keeps the start of a stream. The rest is read and dropped, so that the command does not wait. */
function collect(stream: Readable): OutputCollector {
  const chunks: Buffer[] = []
  let kept = 0
  let cut = false
  stream.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, OUTPUT_BYTES_MAX - kept)
    cut ||= part.length < chunk.length
    kept += part.length
    if (part.length > 0) chunks.push(part)
  })
  const whole = () => Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\ufffd')
  return { text: () => fitting(whole()), isCut: () => cut || fitting(whole()) !== whole() }
}

/** The start of a text whose JSON is small enough. */
function fitting(text: string): string {
  let kept = text
  while (Buffer.byteLength(JSON.stringify(kept)) > OUTPUT_JSON_BYTES_MAX)
    kept = kept.slice(0, Math.floor(kept.length * 0.9)).toWellFormed()
  return kept
}
