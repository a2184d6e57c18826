import { isJsonObject, type Json, type JsonObject } from '@treeos/core'
import { parseJson } from './reading/arguments.ts'

/** What a refusal is about, as far as its body says so in words that are known. */
export type RefusalTopic = 'quota' | 'context' | 'tools' | 'call'

/** An answer without a status of success, or one that holds an error. No text of it is kept. */
export interface EndpointRefusal {
  readonly status: number
  /** it came under a status of success */
  readonly inside: boolean
  /** how long the server asks to wait, in ms, from 0 to an hour */
  readonly retryAfterMs: number | undefined
  /** which of the fields that were asked about its body names */
  readonly named: readonly string[]
  readonly topic: RefusalTopic | null
  /** the call that the model wrote and its server could not read */
  readonly generation?: string
}

const WAIT_MS_MAX = 3_600_000

/** Reads a refusal by its body. @param fields names that may stand in it */
export function readRefusal(
  {
    status,
    headers,
    body,
    inside = false,
  }: { status: number; headers: Pick<Headers, 'get'>; body: string; inside?: boolean },
  fields: readonly string[],
): EndpointRefusal {
  const parsed = parseJson(body)
  const error = errorOf(parsed)
  const wait = readRetryAfter(headers) ?? waitIn(body)
  const topic = topicOf(status, error, body, wait)
  const generation =
    topic === 'call' && typeof error.failed_generation === 'string' ? error.failed_generation : ''
  return {
    status,
    inside,
    retryAfterMs: wait,
    named: fields.filter((field) => isNamed(field, body)),
    topic,
    ...(generation === '' ? {} : { generation }),
  }
}

/** Words by which refusals name a field, where they do not use its own name. */
const ALSO: Readonly<Record<string, RegExp>> = {
  tool_choice: /\btool[ _-]choice\b|--enable-auto-tool-choice|function_?calling_?(config|mode)/i,
  parallel_tool_calls: /\bparallel[ _](tool|function)[ _](calls?|calling|use)\b/i,
  strict: /\bstrict\b|\binvalid_function_parameters\b|\binvalid schema\b/i,
  system:
    /\bsystem (role|prompt|message|instruction)s?\b|\bdeveloper instruction|\brole\b[^.]{0,40}\bsystem\b/i,
  image_url: /\bimages?\b|image_url|vision|multi-?modal|mmproj|content\b[^.]{0,60}\b(string|str)\b/i,
  stream: /\bstream(ing)?( mode)?\b/i,
}

function isNamed(field: string, body: string): boolean {
  const also = Object.hasOwn(ALSO, field) ? ALSO[field] : undefined
  return also?.test(body) ?? new RegExp(`(?<![\\w-])${field.replace(/[^\w-]/g, '\\$&')}(?![\\w-])`).test(body)
}

/**
 * The error in an answer of status 200, as gateways send it.
 * @returns the body of the error and its status; null for an answer without one
 */
export function errorInside(completion: unknown): { status: number; body: string } | null {
  const answer = Array.isArray(completion) ? completion[0] : completion
  if (!isJsonObject(answer) || hasMessage(answer)) return null
  const isError = Boolean(answer.error) || answer.object === 'error' || isBadBase(answer.base_resp)
  return isError ? { status: errorStatus(errorOf(answer)), body: JSON.stringify(answer) } : null
}

function hasMessage({ choices }: JsonObject): boolean {
  const choice = Array.isArray(choices) ? choices[0] : undefined
  return isJsonObject(choice) && isJsonObject(choice.message)
}

const isBadBase = (base: Json | undefined): boolean => isJsonObject(base) && base.status_code !== 0

function errorOf(body: unknown): JsonObject {
  const answer: unknown = Array.isArray(body) ? body[0] : body
  if (!isJsonObject(answer)) return {}
  if (isJsonObject(answer.error)) return answer.error
  return isJsonObject(answer.base_resp) ? answer.base_resp : answer
}

/** Kinds of errors by the words that APIs have for them, and the status that means the same. */
const STATUSES: readonly (readonly [RegExp, number])[] = [
  [/insufficient|billing|payment/i, 402],
  [/rate.?limit|too.?many|resource_exhausted|throttl/i, 429],
  [/overloaded|unavailable|capacity|loading/i, 503],
  [/timeout|deadline/i, 504],
  [/authentication|unauthorized|invalid_api_key/i, 401],
  [/permission|forbidden/i, 403],
  [/not_?found/i, 404],
  [/invalid|bad_?request|unsupported|context_length/i, 400],
]

/** @returns 500 for an error that does not say what it is */
function errorStatus(error: JsonObject): number {
  const numbers = [error.code, error.status, error.status_code, error.http_code].map(Number)
  const status = numbers.find((value) => Number.isInteger(value) && value >= 400 && value <= 599)
  if (status !== undefined) return status
  const words = [error.code, error.type, error.status].filter((word) => typeof word === 'string').join(' ')
  return STATUSES.find(([pattern]) => pattern.test(words))?.[1] ?? 500
}

const QUOTA_CODES =
  /\binsufficient_(quota|balance|credits|funds)\b|\bbilling_(hard_limit_reached|not_active)\b|\bcredit_(balance|limit)|\bquota_exceeded\b|\baccess_terminated\b/i
const QUOTA_WORDS =
  /exceeded your current quota|insufficient (balance|credits?|funds|quota)|(balance|credits?)( is| are)? (too low|exhausted|used up)|out of credits|used all available credits|spending limit|check your plan and billing|hard limit/i
/** A limit that ends with the day. A wait that the server names beside it is not one for it. */
const DAILY = /PerDay|per[ _-]day|\bTPD\b|\bRPD\b|daily/
const CONTEXT =
  /context[ _-]?(length|window|size)|maximum (context|prompt|input|sequence)|(prompt|input|request|message)s? (is|are|was) too (long|large)|too many (input )?tokens|exceed_context|reduce the length|request too large/i
const TOOLS =
  /support (the use of )?(tools?\b|function calling|tool (use|calling))|tools? (is|are) not supported|--jinja|tool-call-parser|does not support tools/i

function topicOf(
  status: number,
  error: JsonObject,
  body: string,
  wait: number | undefined,
): RefusalTopic | null {
  const codes = [error.code, error.type, error.reason, error.status]
    .filter((word) => typeof word === 'string')
    .join(' ')
  if (/tool_use_failed|tool_call_validation/.test(codes)) return 'call'
  if (status === 402 && wait === undefined) return 'quota'
  if (QUOTA_CODES.test(codes)) return 'quota'
  if (status === 429 && DAILY.test(body)) return 'quota'
  if ([400, 403, 429].includes(status) && wait === undefined && QUOTA_WORDS.test(body)) return 'quota'
  if (status === 429 || status === 401 || status === 403) return null
  if (TOOLS.test(body)) return 'tools'
  return CONTEXT.test(body) || status === 413 ? 'context' : null
}

/** How long the headers ask to wait: `retry-after` in seconds or as a date, or by a name of one provider. */
function readRetryAfter(headers: Pick<Headers, 'get'>): number | undefined {
  const after = headers.get('retry-after')
  const waits = [
    Number(headers.get('retry-after-ms') ?? Number.NaN),
    Number(headers.get('x-ms-retry-after-ms') ?? Number.NaN),
    Number(after ?? Number.NaN) * 1000,
    Date.parse(after ?? '') - Date.now(),
    durationOf(after),
  ]
  return bounded(waits.find((value) => Number.isFinite(value) && value >= 0))
}

/** A wait in the body, as in the `retryDelay` of Google, or in the words of OpenAI and Groq. */
function waitIn(body: string): number | undefined {
  const named = /"retryDelay"\s*:\s*"([\d.]+s)"|(?:try again|retry) in ((?:[\d.]+(?:ms|[hms]))+)/i.exec(body)
  return named === null ? undefined : bounded(durationOf(named[1] ?? named[2]))
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** `2m59.56s` in ms */
function durationOf(text: string | null | undefined): number {
  const parts = /^(?:[\d.]+(?:ms|[hms]))+$/.test(text ?? '')
    ? (text ?? '').matchAll(/([\d.]+)(ms|[hms])/g)
    : []
  const times = [...parts].map(([, amount, unit]) => Number(amount) * (UNITS[unit ?? ''] ?? Number.NaN))
  return times.length === 0 ? Number.NaN : times.reduce((sum, ms) => sum + ms, 0)
}

const bounded = (wait: number | undefined): number | undefined =>
  wait === undefined || !Number.isFinite(wait) ? undefined : Math.min(Math.ceil(wait), WAIT_MS_MAX)
