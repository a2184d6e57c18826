/** Errors and limits, in the forms that servers have for them. */
import { answers, chunk, fails, json, lost, type Row, stream } from './servers.ts'

const error = (what: string, of: string, so: string, says: Row['says'], comes: object): Row => ({
  what,
  of,
  so,
  says,
  comes,
})
const limited =
  (body: unknown, headers = {}, status = 429) =>
  () =>
    json(body, status, headers)
const inside = (value: unknown) => () => json(value)
const midway =
  (value: unknown, event = '') =>
  (asked: { stream?: boolean }) =>
    asked.stream === true
      ? stream(
          [
            chunk({ content: 'It ' }),
            `${event === '' ? '' : `event: ${event}\n`}data: ${JSON.stringify(value)}`,
          ],
          { done: false },
        )
      : json(value)
const QUOTA = 'the account of OPENAI_API_KEY has no quota or credit left'

export const ERRORS: readonly Row[] = [
  error(
    '`insufficient_quota`',
    'OpenAI',
    'a failure at once',
    limited({
      error: {
        message: 'You exceeded your current quota, please check your plan and billing details.',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      },
    }),
    fails(`model answered 429: ${QUOTA}`),
  ),
  error(
    '402',
    'DeepSeek, OpenRouter',
    'a failure at once',
    limited(
      { error: { message: 'Insufficient Balance', type: 'unknown_error', code: 'invalid_request_error' } },
      {},
      402,
    ),
    fails(`model answered 402: ${QUOTA}`),
  ),
  error(
    'a low credit balance by 400',
    'Anthropic',
    'a failure at once',
    limited(
      {
        error: {
          message: 'Your credit balance is too low to access the API.',
          type: 'invalid_request_error',
        },
      },
      {},
      400,
    ),
    fails(`model answered 400: ${QUOTA}`),
  ),
  error(
    'a key at its limit by 403',
    'xAI, OpenRouter',
    'a failure at once',
    limited(
      { error: 'Your team has either used all available credits or reached its monthly spending limit.' },
      {},
      403,
    ),
    fails(`model answered 403: ${QUOTA}`),
  ),
  error(
    'a quota of the day',
    'Gemini',
    'a failure at once',
    limited([
      {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'You exceeded your current quota.',
          details: [
            { violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }] },
            { retryDelay: '36s' },
          ],
        },
      },
    ]),
    fails(`model answered 429: ${QUOTA}`),
  ),
  error(
    'a quota of the minute',
    'Gemini',
    'asked again after its `retryDelay`',
    limited([
      {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'You exceeded your current quota, please check your plan and billing details.',
          details: [
            { violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel' }] },
            { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '36.43s' },
          ],
        },
      },
    ]),
    lost('model answered 429', { status: 429, retryAfterMs: 36_430, isFree: true }),
  ),
  error(
    'a rate limit with seconds',
    'all',
    'asked again then',
    limited(
      { error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' } },
      { 'retry-after': '3' },
    ),
    lost('model answered 429', { retryAfterMs: 3000, isFree: true }),
  ),
  error(
    'a rate limit with ms',
    'Azure',
    'asked again then',
    limited({ error: { code: '429' } }, { 'retry-after-ms': '250', 'retry-after': '1' }),
    lost('model answered 429', { retryAfterMs: 250 }),
  ),
  error(
    'a rate limit with a date',
    'gateways',
    'asked again then, within an hour',
    limited({}, { 'retry-after': 'Fri, 01 Jan 2999 00:00:00 GMT' }),
    lost('model answered 429', { retryAfterMs: 3_600_000 }),
  ),
  error(
    'a rate limit with a wait in words',
    'OpenAI, Groq',
    'asked again then',
    limited({
      error: {
        message:
          'Rate limit reached for model x on tokens per minute (TPM): Limit 6000, Used 5900. Please try again in 7.66s.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    }),
    lost('model answered 429', { retryAfterMs: 7660 }),
  ),
  error(
    'a rate limit without a wait',
    'Mistral',
    'asked again after a while',
    limited({ message: 'Requests rate limit exceeded' }),
    lost('model answered 429', { retryAfterMs: undefined }),
  ),
  error(
    '413 for more tokens than a minute has',
    'Groq',
    'a failure',
    limited(
      {
        error: {
          message: 'Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000',
          type: 'tokens',
          code: 'rate_limit_exceeded',
        },
      },
      {},
      413,
    ),
    fails('model answered 413: the prompt is longer than TREEOS_MODEL takes'),
  ),
  error(
    '503 while it loads its model',
    'llama.cpp',
    'asked again',
    limited({ error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }, {}, 503),
    lost('model answered 503', { status: 503, isFree: true }),
  ),
  error(
    '200 with an error and its status',
    'OpenRouter',
    'as that status',
    inside({ error: { code: 503, message: 'No provider' } }),
    lost('model answered with an error inside (503)', { status: 503, isFree: true }),
  ),
  error(
    '200 with a rate limit',
    'gateways',
    'asked again',
    inside({ error: { message: 'slow down', type: 'rate_limit_error' } }),
    lost('model answered with an error inside (429)'),
  ),
  error(
    '200 with `insufficient_quota`',
    'gateways',
    'a failure',
    inside({ error: { message: 'x', code: 'insufficient_quota' } }),
    fails(`model answered with an error inside (402): ${QUOTA}`),
  ),
  error(
    '200 with an error in the form of vLLM',
    'vLLM',
    'as its status',
    inside({ object: 'error', message: 'bad', type: 'BadRequestError', code: 400 }),
    fails(
      'model answered with an error inside (400): check that TREEOS_MODEL can call tools and takes prompts of this length',
    ),
  ),
  error(
    '200 with an error that is a text',
    'Ollama',
    'asked again',
    inside({ error: 'llama runner process has terminated' }),
    lost('model answered with an error inside (500)'),
  ),
  error(
    '200 with an error beside `choices: null`',
    'MiniMax',
    'asked again',
    inside({ choices: null, base_resp: { status_code: 1002, status_msg: 'rate limit' } }),
    lost('model answered with an error inside (500)'),
  ),
  error(
    'an error in the middle of a stream',
    'OpenRouter, vLLM',
    'asked again',
    midway({
      error: { code: 502, message: 'Provider disconnected' },
      choices: [{ delta: { content: '' }, finish_reason: 'error' }],
    }),
    lost('model answered with an error inside (502)'),
  ),
  error(
    'an event named `error`',
    'Groq, gateways to Anthropic',
    'asked again',
    midway({ error: { type: 'overloaded_error', message: 'Overloaded' } }, 'error'),
    lost('model answered with an error inside (503)'),
  ),
  error(
    '`error` as the reason of the end',
    'OpenRouter',
    'asked again',
    answers({ content: 'It ' }, 'error'),
    lost("model's server broke off the answer"),
  ),
  error(
    '`insufficient_system_resource` as the reason',
    'DeepSeek',
    'asked again',
    answers({ content: 'It ' }, 'insufficient_system_resource'),
    lost("model's server broke off the answer"),
  ),
]
