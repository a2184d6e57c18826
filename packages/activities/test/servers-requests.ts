/** Servers that refuse a part of a request. */
import { carry } from '@treeos/signature'
import {
  answers,
  fails,
  having,
  json,
  type Row,
  refuses,
  SEES,
  seen,
  stream,
  USED,
  unless,
} from './servers.ts'

const has = (field: string) => (asked: object) => field in asked
const hasNot = (field: string) => (asked: object) => !(field in asked)
const unsupported = (field: string) =>
  refuses(`Unsupported parameter: '${field}' is not supported with this model.`, {
    param: field,
    code: 'unsupported_parameter',
  })
const extra = (field: string) =>
  json(
    {
      object: 'error',
      message: {
        detail: [{ type: 'extra_forbidden', loc: ['body', field], msg: 'Extra inputs are not permitted' }],
      },
      type: 'invalid_request_error',
    },
    422,
  )
const FORCED = { forceToolCall: true } as const
const BOUNDED = { maxTokens: 99 } as const

export const REQUESTS: readonly Row[] = [
  {
    what: 'refuses a forced call',
    of: 'DeepSeek and Qwen while they think',
    so: 'asked again with `tool_choice: "auto"`',
    request: FORCED,
    says: unless(
      (asked) => asked.tool_choice !== 'required',
      refuses('Thinking mode does not support this tool_choice'),
    ),
    comes: { ...seen(), usage: USED },
    requests: 2,
    sent: { tool_choice: 'auto' },
  },
  {
    what: 'refuses a forced call by 404',
    of: 'OpenRouter',
    so: 'asked again with `tool_choice: "auto"`',
    request: FORCED,
    says: unless(
      (asked) => asked.tool_choice !== 'required',
      json(
        {
          error: { message: "No endpoints found that support the provided 'tool_choice' value.", code: 404 },
        },
        404,
      ),
    ),
    comes: seen(),
    requests: 2,
    sent: { tool_choice: 'auto' },
  },
  {
    what: 'takes no `tool_choice`',
    of: 'small servers and older gateways',
    so: 'asked again without',
    says: unless(hasNot('tool_choice'), extra('tool_choice')),
    comes: seen(),
    requests: 2,
  },
  {
    what: 'takes tools with `tool_choice: "none"` alone',
    of: 'vLLM without `--enable-auto-tool-choice`',
    so: 'asked again with `none`, and read from the words',
    says: unless(
      (asked) => asked.tool_choice === 'none',
      json(
        {
          object: 'error',
          message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
          type: 'BadRequestError',
          code: 400,
        },
        400,
      ),
      answers({ content: '<tool_call>\n{"name": "see", "arguments": {"address": "/a"}}\n</tool_call>' }),
    ),
    comes: seen(),
    requests: 3,
  },
  {
    what: 'takes no `parallel_tool_calls`',
    of: "OpenAI's o-series, Gemini",
    so: 'asked again without',
    says: unless(hasNot('parallel_tool_calls'), unsupported('parallel_tool_calls')),
    comes: seen(),
    requests: 2,
  },
  {
    what: 'names an unknown field in the form of Google',
    of: 'Gemini',
    so: 'asked again without',
    says: unless(
      hasNot('parallel_tool_calls'),
      json(
        [
          {
            error: {
              code: 400,
              message:
                'Invalid JSON payload received. Unknown name "parallel_tool_calls": Cannot find field.',
              status: 'INVALID_ARGUMENT',
            },
          },
        ],
        400,
      ),
    ),
    comes: seen(),
    requests: 2,
  },
  {
    what: 'takes neither `tool_choice` nor `parallel_tool_calls` nor `stream_options`',
    of: 'strict small servers',
    so: 'asked again without each',
    says: (asked) => {
      const field = ['tool_choice', 'parallel_tool_calls', 'stream_options'].find((one) => one in asked)
      return field === undefined ? answers(SEES)(asked) : extra(field)
    },
    comes: seen(),
  },
  {
    what: 'takes no `strict` tools',
    of: 'Gemini, Cerebras',
    so: 'asked again without',
    request: {
      tools: [
        {
          type: 'function',
          function: {
            name: 'see',
            description: carry('declaration', 'look'),
            parameters: {
              type: 'object',
              properties: { address: { type: 'string' } },
              required: ['address'],
              additionalProperties: false,
            },
          },
        },
      ],
    },
    says: unless(
      ({ tools }) => tools?.[0]?.function.strict === undefined,
      refuses(
        `Invalid JSON payload received. Unknown name "strict" at 'tools[0].function': Cannot find field.`,
      ),
    ),
    comes: seen(),
    requests: 2,
  },
  {
    what: 'knows the limit of an answer as `max_completion_tokens`',
    of: "OpenAI's newer models behind a gateway",
    so: 'asked again under that name',
    request: BOUNDED,
    says: unless(
      has('max_completion_tokens'),
      refuses(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        { param: 'max_tokens' },
      ),
    ),
    comes: seen(),
    requests: 2,
    sent: { max_completion_tokens: 99 },
  },
  {
    what: 'takes no `stream_options`',
    of: 'Mistral, older vLLM',
    so: 'asked again without; its usage may be unknown then',
    says: unless(hasNot('stream_options'), extra('stream_options')),
    comes: seen(),
  },
  {
    what: 'does not stream',
    of: 'small servers',
    so: 'asked again without a stream',
    says: unless((asked) => asked.stream !== true, json({ error: 'bad request' }, 400)),
    comes: seen(),
  },
  {
    what: 'answers with a stream only',
    of: "Qwen's thinking models at DashScope",
    so: 'asked again with a stream',
    says: unless(
      (asked) => asked.stream === true,
      refuses('This model only support stream mode, please enable the stream parameter to access the model.'),
    ),
    comes: { ...seen(), usage: USED },
  },
  {
    what: 'takes no `temperature`',
    of: "OpenAI's thinking models",
    so: 'asked again without',
    parameters: { temperature: 0.2 },
    says: unless(
      hasNot('temperature'),
      refuses(
        "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
        { param: 'temperature', code: 'unsupported_value' },
      ),
    ),
    comes: seen(),
    requests: 2,
  },
  {
    what: 'takes no `seed`',
    of: 'Mistral, which has `random_seed`',
    so: 'asked again without; other fields stay',
    parameters: { seed: 7, temperature: 0.2 },
    says: unless(hasNot('seed'), extra('seed')),
    comes: seen(),
    requests: 2,
    sent: { temperature: 0.2 },
  },
  {
    what: 'takes no system message',
    of: 'templates of Gemma, o1-mini',
    so: 'asked again with all in the user message',
    says: unless(
      ({ messages }) => (messages as object[]).length === 1,
      refuses("Unsupported value: 'messages[0].role' does not support 'system' with this model.", {
        param: 'messages[0].role',
      }),
    ),
    comes: seen(),
    requests: 2,
  },
  {
    what: 'takes no tools',
    of: 'Ollama for models without them',
    so: 'a failure that says so',
    says: () =>
      json(
        {
          error: { message: 'registry.ollama.ai/library/gemma:2b does not support tools', type: 'api_error' },
        },
        400,
      ),
    comes: { ...fails(having('takes no tools')), refused: true },
  },
  {
    what: 'takes no tools, and says so by 500',
    of: 'llama.cpp without `--jinja`',
    so: 'a failure that says so, at once',
    says: () =>
      json({ error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } }, 500),
    comes: fails(having('takes no tools (llama.cpp needs --jinja')),
  },
  {
    what: 'takes no prompt of this length',
    of: 'all',
    so: 'a failure that says so',
    says: () =>
      refuses(
        "This model's maximum context length is 4096 tokens. However, your messages resulted in 8000 tokens.",
        { code: 'context_length_exceeded' },
      ),
    comes: { ...fails('model answered 400: the prompt is longer than TREEOS_MODEL takes'), refused: true },
  },
  {
    what: 'could not read the call that its model wrote, and returns it in the error',
    of: 'Groq',
    so: 'the call is read from there',
    says: () =>
      json(
        {
          error: {
            message: "Failed to call a function. See 'failed_generation'.",
            type: 'invalid_request_error',
            code: 'tool_use_failed',
            failed_generation: '<function=see>{"address": "/a"}</function>',
          },
        },
        400,
      ),
    comes: seen(),
  },
  {
    what: 'could not read the call that its model wrote',
    of: 'Groq',
    so: 'a failure that says so',
    says: () => json({ error: { message: 'Failed to call a function.', code: 'tool_use_failed' } }, 400),
    comes: fails('model answered 400: model wrote a call that its server could not read'),
  },
  {
    what: 'streams although nobody asked for it',
    of: 'gateways',
    so: 'the stream is read',
    says: () => stream([{ choices: [{ delta: SEES, finish_reason: 'tool_calls' }] }]),
    comes: seen(),
  },
  {
    what: 'streams under another content type',
    of: 'gateways',
    so: 'the stream is read',
    says: () =>
      stream([': wait', { choices: [{ delta: SEES, finish_reason: 'tool_calls' }] }], {
        headers: { 'content-type': 'text/plain' },
      }),
    comes: seen(),
  },
]
