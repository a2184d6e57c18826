import { callParameters } from '@treeos/core'
import { carry } from '@treeos/signature'
import { parseAnswer } from './answer.ts'
import type { ModelEndpoint } from './endpoint.ts'
import { EndpointClient } from './endpoint-client.ts'
import { ModelTransientError } from './failures.ts'
import type { ModelRequest } from './request.ts'

/** What came of one real call of a model. */
export interface ProbeResult {
  /** null when it called its tool */
  readonly fault: string | null
  /**
   * the server's own words, for the operator only: short, printable, and without the key; null where it said
   * nothing
   */
  readonly said: string | null
  /** what the endpoint does not take, and is not sent any more */
  readonly without: readonly string[]
  /** whether it told the colour of a picture; null where it was not asked */
  readonly sees: boolean | null
}

/** A model on the processor of this machine may have to be loaded first. */
const TIMEOUT_SECONDS = 60
/** Enough for a model that thinks first. */
const ANSWER_TOKENS = 1024
const SAID_CHARS_MAX = 300

const CHECKED = carry('sentence', 'You are being checked.')
const REQUEST: ModelRequest = {
  prompt: { system: CHECKED, user: carry('sentence', 'Call the tool summon with the content "ready".') },
  tools: [
    {
      type: 'function',
      function: {
        name: 'summon',
        description: carry('sentence', 'says something'),
        parameters: callParameters('summon', ['content']),
      },
    },
  ],
  forceToolCall: true,
  maxTokens: ANSWER_TOKENS,
}

/** A red square of 32 × 32. */
const RED =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJ0lEQVR42u3NsQkAAAjAsP7/tF7hIASyp6lTCQQCgUAgEAgEgi/BAjLD/C5w/SM9AAAAAElFTkSuQmCC'
const PICTURE_REQUEST: ModelRequest = {
  ...REQUEST,
  prompt: {
    system: CHECKED,
    user: carry(
      'sentence',
      'Call the tool summon with the colour of the picture as its content, in one English word.',
    ),
  },
  pictures: [{ name: carry('sentence', 'a picture'), mediaType: 'image/png', data: RED }],
}

/**
 * Asks a model for one small tool call, as beings ask it, and then for the colour of a picture. It costs some
 * hundred model tokens.
 */
export async function probeEndpoint(
  endpoint: ModelEndpoint,
  { timeoutSeconds = TIMEOUT_SECONDS }: { timeoutSeconds?: number } = {},
): Promise<ProbeResult> {
  let heard: string | null = null
  const client = new EndpointClient(endpoint, timeoutSeconds, (text) => {
    heard = text
  })
  const fault = await endpointFault(client)
  const said = fault === null || heard === null ? null : shownServerWords(heard, endpoint.apiKey)
  const sees = fault !== null || endpoint.pictures === false ? null : await seesRed(client)
  return { fault, said, without: [...client.quirks], sees }
}

async function seesRed(client: EndpointClient): Promise<boolean> {
  try {
    const sent = await client.send(PICTURE_REQUEST)
    return 'completion' in sent && /\bred\b/i.test(JSON.stringify(sent.completion))
  } catch (error) {
    if (error instanceof ModelTransientError) return false
    throw error
  }
}

async function endpointFault(client: EndpointClient): Promise<string | null> {
  try {
    const sent = await client.send(REQUEST)
    if ('failure' in sent) return sent.failure
    const { decision } = parseAnswer(sent.completion, ['summon'], promptOf(REQUEST))
    if (decision.kind === 'call') return null
    return decision.kind === 'failure'
      ? decision.message
      : 'model answered in words, without a call of its tool'
  } catch (error) {
    if (error instanceof ModelTransientError) return error.message
    throw error
  }
}

const promptOf = ({ prompt: { system, user } }: ModelRequest): string => `${system}\n${user}`

/** The words of an error, where it is JSON; in one line, without what looks like a key. */
function shownServerWords(text: string, key: string | null): string | null {
  const words = (messageIn(text) ?? text).replace(/[^\x20-\x7e]+/g, ' ').trim()
  const bare = (key === null ? words : words.replaceAll(key, '(key)')).replace(/\bsk-[\w*.-]+/g, '(key)')
  return bare === '' ? null : bare.slice(0, SAID_CHARS_MAX)
}

function messageIn(text: string): string | null {
  const found = /"(?:message|detail|error|msg|status_msg)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)
  try {
    return found === null ? null : String(JSON.parse(found[1]!))
  } catch {
    return null
  }
}
