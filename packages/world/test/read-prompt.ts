import type { Prompt } from '@treeos/signature'

/** What a program finds in the two messages of a moment, without knowing anything else of it. */
export interface ReadPrompt {
  readonly kind: string
  /** stance; null when nobody speaks */
  readonly from: string | null
  readonly role: string | null
  readonly thread: string
  readonly time: string
  /** what is data, by the name of its view, as text */
  readonly data: readonly (readonly [name: string, body: string])[]
  readonly words: string
  /** the sentence about the event that woke it; null where a being speaks */
  readonly told: string | null
  /** the line on how to act; null without any tool */
  readonly acting: string | null
  /** how many lists of capabilities there are */
  readonly capabilities: number
}

const BREAKS = String.raw`\n\v\f\r\u001c-\u001e\u0085\u2028\u2029`
const LINE_BREAK = new RegExp(String.raw`\r\n|[${BREAKS}]`, 'u')

const LAST_LINE = /\n\n([^\n]*)$/

/**
 * Lines of words have one `\` more where they begin like a heading. Each is read as a person sees it, without
 * what shows nothing.
 */
const withoutMarks = (user: string): string =>
  user
    .split(new RegExp(`(${LINE_BREAK.source})`, 'u'))
    .map((line) => {
      const seen = line.replace(
        /[\p{M}\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{1D159}]/gu,
        '',
      )
      if (/^\[\p{L}/u.test(seen) && !/^\[ (true|false|null)/.test(line))
        throw new Error(`the words have a heading: ${seen}`)
      return /^\\+\[\p{L}/u.test(seen) ? line.replace('\\', '') : line
    })
    .join('')

/**
 * Splits at every line break that any reader knows, and reads headings, their bodies and the fields of
 * `[Wake]`.
 */
export function readPrompt({ system, user }: Prompt): ReadPrompt {
  const lines = system.split(LINE_BREAK)
  const blocks = lines.flatMap((line, i): [string, string[]][] => {
    const heading = /^\[([A-Za-z][A-Za-z0-9-]*)\](.*)$/.exec(line)
    if (heading === null) return []
    const end = lines.indexOf('', i)
    return [[heading[1] ?? '', [heading[2] ?? '', ...lines.slice(i + 1, end < 0 ? undefined : end)]]]
  })
  const only = (name: string): string[] => {
    const found = blocks.filter(([heading]) => heading === name)
    if (found.length !== 1) throw new Error(`the prompt has ${found.length} blocks [${name}]`)
    return found[0]?.[1] ?? []
  }
  const wake = only('Wake')
  const field = (name: string): string | null => {
    const line = wake.find((text) => text.startsWith(`${name}: `))
    return line === undefined ? null : plain(line.slice(name.length + 2))
  }
  const [time = ''] = only('Time')
  const from = field('from')
  const acting = wake.some((text) => text.startsWith('The last line of the user message'))
    ? LAST_LINE.exec(user)
    : null
  const isEvent = wake.some((text) => /^(No being speaks|The user message is what you looked at)/.test(text))
  const told = isEvent ? (/^[^\n]*/.exec(user)?.[0] ?? '') : null
  return {
    kind: field('kind') ?? '',
    from: from === 'nobody' ? null : from,
    role: field('role'),
    thread: field('thread') ?? '',
    time: time.trim(),
    data: blocks
      .filter(([name]) => name !== 'Wake' && name !== 'Time')
      .map(([name, body]) => [name, body.slice(1).join('\n')]),
    words: withoutMarks(
      user.slice(told === null ? 0 : told.length + 1, acting === null ? undefined : acting.index),
    ),
    told,
    acting: acting?.[1] ?? null,
    capabilities: lines.filter((line) => line === 'and can:').length,
  }
}

const plain = (text: string): string => (text.startsWith('"') ? (JSON.parse(text) as string) : text)
