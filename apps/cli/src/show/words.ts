import { listenToJournal, streamWords, type WordNotice } from '@treeos/client/records'
import type { BeingName } from '@treeos/core'
import { instanceDir, locatePostgres } from '@treeos/local'
import type { InstanceOptions } from '../cli.ts'
import type { ReadConnection } from '../instance/connection.ts'
import type { Output } from '../text/output.ts'

interface SummonWords {
  readonly as: BeingName
  readonly target: BeingName
  /** undefined: the summon begins a thread of its own */
  readonly thread?: string | undefined
}

/**
 * Shows on stderr what the model of a being writes to a summon, while it does: as text, or with --json as
 * JSON lines.
 * @param send sends the summon and waits for its end; says its correlation once it is sent
 * @throws {TreeosError} FORBIDDEN when the being's past is not open to the sender; then nothing is sent
 */
export async function withWords<T>(
  out: Output,
  options: InstanceOptions,
  at: ReadConnection,
  { as, target, thread }: SummonWords,
  send: (onSent: (correlation: string) => void) => Promise<T>,
): Promise<T> {
  const { peopleUrl: url } = locatePostgres(instanceDir(options))
  const listener = listenToJournal(url, { onLost: (error) => out.progress(`Postgres: ${error.message}`) })
  let ours = thread
  const early: WordNotice[] = []
  const show = out.json ? (words: WordNotice) => out.jsonToStderr(words) : writer(out)
  try {
    const watching = await streamWords(at, {
      as,
      being: target,
      listener,
      heard: (words) => {
        if (ours === undefined) early.push(words)
        else if (words.thread === ours) show(words)
      },
    })
    await watching.ready
    return await send((correlation) => {
      ours ??= correlation
      for (const words of early.splice(0)) if (words.thread === ours) show(words)
    })
  } finally {
    await listener.close()
  }
}

/** Writes words as they come, each call of a model and each tool on a line of its own. */
function writer(out: Output): (words: WordNotice) => void {
  let call = ''
  let tool: string | null = null
  let isWithin = false
  const breakLine = () => {
    if (isWithin) out.aside('\n')
    isWithin = false
  }
  return ({ moment, attempt, says, end }) => {
    const own = `${moment} ${attempt}`
    if (own !== call) breakLine()
    for (const saying of says) {
      if (own !== call || saying.tool !== tool) {
        breakLine()
        if (saying.tool !== null) out.aside(`${saying.tool} `)
      }
      call = own
      tool = saying.tool
      out.aside(saying.text)
      isWithin = true
    }
    if (end === undefined) return
    breakLine()
    if (end === 'lost') out.progress('(the call failed)')
  }
}
