import { createInterface } from 'node:readline'
import { type BeingName, stanceOf } from '@treeos/core'
import type { ActingOptions, Cli } from '../cli.ts'
import { type Say, speaking } from '../served/acts.ts'
import { shownSummoned } from '../show/acts.ts'
import { failureOf } from '../text/failure.ts'
import { parseNumber, requireStance } from '../text/input.ts'
import type { ExitStatus, Output } from '../text/output.ts'
import { programName } from '../text/program-name.ts'

interface ChatOptions extends ActingOptions {
  readonly thread?: string
  readonly wait: number
  readonly stream?: true
}

/** Who talks to whom, and in which thread. */
interface Talk {
  readonly as: BeingName
  readonly target: BeingName
  /** null before the first words, unless one is continued */
  thread: string | null
}

/** Ends the conversation, as the end of standard input does. */
const QUIT = '/quit'
const WAIT_SECONDS = 300
const WAIT_SECONDS_MAX = 86_400

/** `treeos chat`: each line is said to a being, in one thread. */
export function addChat(cli: Cli): void {
  cli
    .asBeing('chat <stance>', `talk to a being, line by line, in one thread\n${QUIT} or Ctrl-D ends.`)
    .option('--thread <id>', 'the thread that is continued, by its id')
    .option('--stream', 'show on standard error what the model writes, while it does')
    .option(
      '--wait <seconds>',
      'wait this long for each answer',
      parseNumber('--wait', { min: 0, max: WAIT_SECONDS_MAX, whole: false }),
      WAIT_SECONDS,
    )
    .action(
      cli.run(async (out, stance: string, options: ChatOptions): Promise<ExitStatus> => {
        const as = requireStance(options.as)
        const talk: Talk = { as, target: requireStance(stance, as), thread: options.thread ?? null }
        // An open input would keep the process from ending.
        const stream = options.stream === true ? out : null
        return speaking(options, stream, (say) => converse(out, options, say, talk)).finally(() =>
          process.stdin.destroy(),
        )
      }),
    )
}

/** @returns 1 when the last words got no answer */
async function converse(out: Output, options: ChatOptions, say: Say, talk: Talk): Promise<ExitStatus> {
  const { untilEnding } = await import('@treeos/local')
  const isTerminal = process.stdin.isTTY === true && !out.json
  const lines = createInterface({
    input: process.stdin,
    ...(isTerminal ? { output: process.stderr, prompt: '> ' } : {}),
  })
  const ending = untilEnding().then(() => lines.close())
  lines.on('SIGINT', () => lines.close())
  let status: ExitStatus = 0
  if (isTerminal) lines.prompt()
  for await (const line of lines) {
    const said = line.trim()
    if (said === QUIT) break
    if (said !== '') {
      const turn = await Promise.race([sayLine(out, options, say, talk, said), ending])
      if (turn === undefined) {
        out.progress('its answer will be in the inbox: `treeos inbox`')
        return 1
      }
      status = turn
    }
    if (isTerminal) lines.prompt()
  }
  lines.close()
  if (talk.thread !== null)
    out.progress(`to go on: ${programName()} chat ${stanceOf(talk.target)} --thread ${talk.thread}`)
  return status
}

/** Says one line and shows the answer, or why there is none. Then the next line may be said. */
async function sayLine(
  out: Output,
  { wait: waitSeconds }: ChatOptions,
  say: Say,
  talk: Talk,
  content: string,
): Promise<ExitStatus> {
  const { as, target } = talk
  const thread = talk.thread ?? undefined
  const said = { as, target, content, thread, waitSeconds, requireReply: true }
  try {
    const answered = await say(said, (correlation) => {
      talk.thread ??= correlation
    })
    out.lines([{ thread: talk.thread, ...answered }], ([turn]) =>
      turn === undefined ? '' : shownSummoned(turn),
    )
    return 0
  } catch (error) {
    out.failure(failureOf(error))
    return 1
  }
}
