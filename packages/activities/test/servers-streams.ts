/** Streams in the forms that servers have for them. */
import { answers, call, chunk, type Row, SEES, said, seen, stream, USAGE, USED } from './servers.ts'

const piece = (args: unknown, more: object = {}, name?: string) => ({
  tool_calls: [{ ...more, function: { ...(name === undefined ? {} : { name }), arguments: args } }],
})
/** A row of a stream. Unwatched, the same server answers as the protocol has it. */
const row = (
  what: string,
  of: string,
  so: string,
  chunks: readonly unknown[],
  comes: object,
  more: Parameters<typeof stream>[1] & { whole?: Parameters<typeof answers>[0]; usage?: object | null } = {},
): Row => ({
  what,
  of,
  so,
  says: (asked) =>
    asked.stream === true
      ? stream(chunks, more)
      : answers(more.whole ?? SEES, null, more.usage === undefined ? USAGE : more.usage)(asked),
  comes,
})
const DONE = chunk({}, 'tool_calls', { usage: USAGE })
const SEEN = { ...seen(), usage: USED }
const TWO = { content: null, tool_calls: [call(), call('{"address":"/b"}', 'see', 'call-2')] }
const FIRST_OF_TWO = { ...SEEN, ignoredCalls: 1 }
const whole = (id: string, address: string, index?: number) => ({
  tool_calls: [
    {
      ...(index === undefined ? {} : { index }),
      id,
      type: 'function',
      function: { name: 'see', arguments: `{"address":"${address}"}` },
    },
  ],
})

export const STREAMS: readonly Row[] = [
  row(
    'pieces without `index`',
    'Gemini, gateways',
    'added to the call before',
    [chunk(piece('', { id: 'a' }, 'see')), chunk(piece('{"addr')), chunk(piece('ess":"/a"}')), DONE],
    SEEN,
  ),
  row(
    'pieces with their id but without `index`',
    'gateways',
    'joined by the id',
    [
      chunk(piece('', { id: 'a' }, 'see')),
      chunk(piece('{"addr', { id: 'a' })),
      chunk(piece('ess":"/a"}', { id: 'a' })),
      DONE,
    ],
    SEEN,
  ),
  row(
    'two whole calls without `index`',
    'Gemini, Ollama',
    'are two',
    [chunk(whole('a', '/a')), chunk(whole('b', '/b')), DONE],
    FIRST_OF_TWO,
    { whole: TWO },
  ),
  row(
    'two whole calls without `index` and id',
    'Gemini',
    'are two',
    [
      chunk({
        tool_calls: [
          piece('{"address":"/a"}', {}, 'see').tool_calls[0],
          piece('{"address":"/b"}', {}, 'see').tool_calls[0],
        ],
      }),
      DONE,
    ],
    FIRST_OF_TWO,
    { whole: TWO },
  ),
  row(
    '`index` 0 with each call',
    'Ollama, SGLang',
    'are two',
    [chunk(whole('a', '/a', 0)), chunk(whole('b', '/b', 0)), DONE],
    FIRST_OF_TWO,
    { whole: TWO },
  ),
  row(
    '`index` 0 with each call, without ids',
    'gateways',
    'are two',
    [
      chunk(piece('{"address":"/a"}', { index: 0 }, 'see')),
      chunk(piece('{"address":"/b"}', { index: 0 }, 'see')),
      DONE,
    ],
    FIRST_OF_TWO,
    { whole: TWO },
  ),
  row(
    'the id and the name in each piece',
    'gateways',
    'is one call',
    [
      chunk(piece('{"addr', { index: 0, id: 'a' }, 'see')),
      chunk(piece('ess":"/a"}', { index: 0, id: 'a' }, 'see')),
      DONE,
    ],
    SEEN,
  ),
  row(
    'another id in each piece',
    'older vLLM',
    'is one call',
    [
      chunk(piece('{"addr', { index: 0, id: 'a' }, 'see')),
      chunk(piece('ess":"/a"}', { index: 0, id: 'b' })),
      DONE,
    ],
    SEEN,
  ),
  row(
    'no ids',
    'small servers',
    'is one call',
    [chunk(piece('', { index: 0 }, 'see')), chunk(piece('{"address":"/a"}', { index: 0 })), DONE],
    SEEN,
  ),
  row(
    'an empty name in later pieces',
    'gateways',
    'is one call',
    [
      chunk(piece('{"addr', { index: 0, id: 'a' }, 'see')),
      chunk(piece('ess":"/a"}', { index: 0, id: '' }, '')),
      DONE,
    ],
    SEEN,
  ),
  row(
    'calls that begin at `index` 1',
    'gateways to Anthropic',
    'is the first call',
    [chunk({ content: 'I look.' }), chunk(piece('{"address":"/a"}', { index: 1, id: 'a' }, 'see')), DONE],
    { ...seen('I look.'), usage: USED },
    { whole: { ...SEES, content: 'I look.' } },
  ),
  row(
    'arguments whole in one piece',
    'Ollama, Gemini, Mistral',
    'are read',
    [chunk(whole('a', '/a', 0)), DONE],
    SEEN,
  ),
  row(
    'arguments as an object',
    'gateways',
    'are read',
    [chunk(piece({ address: '/a' }, { index: 0, id: 'a' }, 'see')), DONE],
    SEEN,
  ),
  row(
    '`arguments: null` in the first piece',
    'gateways',
    'is nothing yet',
    [chunk(piece(null, { index: 0, id: 'a' }, 'see')), chunk(piece('{"address":"/a"}', { index: 0 })), DONE],
    SEEN,
  ),
  row(
    'the call in `function_call`',
    'older servers',
    'is read',
    [
      chunk({ function_call: { name: 'see', arguments: '{"addr' } }),
      chunk({ function_call: { arguments: 'ess":"/a"}' } }),
      DONE,
    ],
    SEEN,
  ),
  row(
    'usage in a chunk of its own at the end',
    'OpenAI',
    'is read',
    [chunk(whole('a', '/a', 0)), chunk({}, 'tool_calls'), { choices: [], usage: USAGE }],
    SEEN,
  ),
  row(
    'usage in each chunk',
    'vLLM, xAI',
    'the last one counts',
    [chunk(whole('a', '/a', 0), null, { usage: { prompt_tokens: 40, completion_tokens: 1 } }), DONE],
    SEEN,
  ),
  row(
    '`usage: null` after the usage',
    'gateways',
    'changes nothing',
    [chunk(whole('a', '/a', 0)), DONE, { choices: [], usage: null }],
    SEEN,
  ),
  row(
    'usage in `x_groq`',
    'Groq',
    'is read',
    [chunk(whole('a', '/a', 0)), chunk({}, 'tool_calls', { x_groq: { id: 'r', usage: USAGE } })],
    SEEN,
  ),
  row(
    'no usage',
    'Mistral without `stream_options`, small servers',
    'the cost is bounded by what was sent and received',
    [chunk(whole('a', '/a', 0)), chunk({}, 'tool_calls')],
    { ...seen(), usage: null },
    { usage: null },
  ),
  row('lines that end with CRLF', 'some gateways', 'are read', [chunk(whole('a', '/a', 0)), DONE], SEEN, {
    eol: '\r\n',
  }),
  row(
    'comments to keep the line open',
    'OpenRouter, DeepSeek',
    'are left out',
    [': OPENROUTER PROCESSING', ': keep-alive', chunk(whole('a', '/a', 0)), ': ping', DONE],
    SEEN,
  ),
  row(
    'no `[DONE]`',
    'Gemini, small servers',
    'ends with its reason',
    [chunk(whole('a', '/a', 0)), DONE],
    SEEN,
    { done: false },
  ),
  row(
    '`[DONE]` without a reason',
    'small servers',
    'is an end',
    [chunk(whole('a', '/a', 0), null, { usage: USAGE })],
    SEEN,
  ),
  row(
    'no empty line after the last event',
    'small servers',
    'is read',
    [chunk(whole('a', '/a', 0)), `data: ${JSON.stringify(DONE)}`],
    SEEN,
    { done: false, eol: '\n' },
  ),
  row(
    '`delta: null`',
    'Azure, gateways',
    'is nothing',
    [chunk(null), chunk(whole('a', '/a', 0)), DONE, chunk(null)],
    SEEN,
  ),
  row(
    'the role alone, and empty words',
    'all',
    'are nothing',
    [
      chunk({ role: 'assistant', content: '' }),
      chunk({ role: 'assistant', content: null }),
      chunk(whole('a', '/a', 0)),
      DONE,
    ],
    SEEN,
  ),
  row(
    'chunks without a choice',
    'Azure, OpenRouter',
    'are left out',
    [{ choices: [], prompt_filter_results: [] }, {}, chunk(whole('a', '/a', 0)), DONE],
    SEEN,
  ),
  row(
    'the whole message once more at the end',
    'small servers',
    'changes nothing',
    [
      chunk({ content: 'It rains.' }),
      { choices: [{ message: { content: 'It rains.' }, finish_reason: 'stop' }], usage: USAGE },
    ],
    { ...said('It rains.'), usage: USED },
    { whole: { content: 'It rains.' } },
  ),
  row(
    'the whole message in one chunk',
    'small servers',
    'is read',
    [{ choices: [{ message: SEES, finish_reason: 'tool_calls' }], usage: USAGE }],
    SEEN,
  ),
  row(
    'thinking in `reasoning_content`',
    'DeepSeek, vLLM',
    'is not told',
    [
      chunk({ reasoning_content: 'Hm' }),
      chunk({ content: 'It rains.' }),
      chunk({}, 'stop', { usage: USAGE }),
    ],
    { ...said('It rains.'), usage: USED },
    { whole: { content: 'It rains.' } },
  ),
  row(
    'words as lists of parts',
    'Mistral',
    'are joined',
    [
      chunk({ content: [{ type: 'thinking', thinking: [] }] }),
      chunk({ content: [{ type: 'text', text: 'It ' }] }),
      chunk({ content: 'rains.' }),
      chunk({}, 'stop', { usage: USAGE }),
    ],
    { ...said('It rains.'), usage: USED },
    { whole: { content: 'It rains.' } },
  ),
]
