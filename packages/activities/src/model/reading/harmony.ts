import { readArgs, type WrittenCall } from './arguments.ts'

/** What a text in the format of gpt-oss says, when its server did not take it apart. */
export interface HarmonyChannels {
  readonly words: string
  readonly calls: readonly WrittenCall[]
  /** the arguments of the first call as they were written */
  readonly written: string
}

const MESSAGE = '<|message|>'
const BODY_END = /<\|(?:end|call|return|start|channel)\|>/
const RECIPIENT = /\bto=([\w.:-]+)/
const BEGINS = /^\s*(?:<\|start\|>|<\|channel\|>)/

/**
 * Reads `<|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>commentary
 * to=functions.see<|message|>{…}<|call|>`. The channel `analysis` is thinking. A message with a recipient is
 * a call, which counts when no other words follow it.
 * @returns null for text in another format
 */
export function readChannels(text: string): HarmonyChannels | null {
  if (!BEGINS.test(text) || !text.includes(MESSAGE)) return null
  const words: string[] = []
  let calls: WrittenCall[] = []
  let written = ''
  const [first = '', ...rest] = text.split(MESSAGE)
  let header = first
  for (const part of rest) {
    const end = BODY_END.exec(part)
    const body = end === null ? part : part.slice(0, end.index)
    const recipient = RECIPIENT.exec(header)?.[1]
    if (recipient !== undefined) {
      if (calls.length === 0) written = body
      calls.push({ name: recipient, args: readArgs(body) })
    } else if (!/<\|channel\|>\s*analysis/.test(header)) {
      words.push(body)
      if (body.trim() !== '') calls = []
    }
    header = end === null ? '' : part.slice(end.index)
  }
  return { words: words.join('\n'), calls, written }
}
