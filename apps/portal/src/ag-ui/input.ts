import type { ResumeEntry } from '@ag-ui/core'
import { quote, TreeosError } from '@treeos/core'
import { z } from 'zod'

const part = z.looseObject({ type: z.string().nullish(), text: z.string().optional() })

/** The input of a run by AG-UI 1.0, as far as a being takes it: tools, state and context stay the client's. */
export const runInput = z.looseObject({
  threadId: z.string().min(1).max(200),
  runId: z.string().min(1).max(200),
  messages: z
    .array(
      z.looseObject({
        id: z.string().min(1).max(200),
        role: z.string(),
        content: z.union([z.string(), z.array(part)]).nullish(),
      }),
    )
    .max(10_000),
  resume: z
    .array(
      z.looseObject({
        interruptId: z.string().min(1).max(300),
        status: z.enum(['resolved', 'cancelled']),
        payload: z.unknown().optional(),
      }),
    )
    .max(32)
    .nullish(),
})

export interface AgentRun {
  readonly threadId: string
  readonly runId: string
  readonly messageId: string
  readonly said: string
  readonly resume: readonly ResumeEntry[]
}

/** What a run says. @throws {TreeosError} INVALID_INPUT without words of the user, and for what is not text */
export function agentRun({ threadId, runId, messages, resume }: z.output<typeof runInput>): AgentRun {
  const last = messages.findLast(({ role }) => role === 'user')
  if (last === undefined) throw new TreeosError('INVALID_INPUT', 'messages: the user says nothing')
  const { content } = last
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  const other = parts.find(({ text }) => text === undefined)
  if (other !== undefined)
    throw new TreeosError(
      'INVALID_INPUT',
      `messages: a being is told text, and this is ${quote(other.type ?? null)}`,
    )
  const said = parts.map(({ text = '' }) => text).join('\n')
  if (said === '') throw new TreeosError('INVALID_INPUT', 'messages: the user says nothing')
  return { threadId, runId, messageId: last.id, said, resume: (resume ?? []) as readonly ResumeEntry[] }
}
