/** Answers in the forms that servers have for them. */
import { promptOf } from './asked-model.ts'
import { call, fails, having, one, type Row, SEES, said, seen, USAGE } from './servers.ts'

const object = { address: '/a' }
const SPENT =
  'model used up its tokens before it said anything, and thinking counts: raise TREEOS_ANSWER_TOKENS, the llm.max-tokens of the being or the limit of its server, or let it think less'
const uses = (promptTokens: number, completionTokens: number, cachedTokens?: number) => ({
  ...seen(),
  usage: { promptTokens, completionTokens, ...(cachedTokens === undefined ? {} : { cachedTokens }) },
})
const LONG = 'The quick brown fox jumps over the lazy dog near the river bank. '.repeat(200)

export const ANSWERS: readonly Row[] = [
  one(
    'arguments as an object',
    'Ollama, gateways',
    'taken as they are',
    { content: null, tool_calls: [call(object)] },
    seen(),
  ),
  one(
    'arguments as JSON within JSON',
    'gateways, small models',
    'decoded again',
    { content: null, tool_calls: [call(JSON.stringify(JSON.stringify(object)))] },
    seen(),
  ),
  one(
    'arguments within a code fence',
    'small models',
    'read',
    { content: null, tool_calls: [call('```json\n{"address":"/a"}\n```')] },
    seen(),
  ),
  one(
    'an empty object before the arguments',
    'gateways to Anthropic',
    'left out',
    { content: null, tool_calls: [call('{}{"address":"/a"}')] },
    seen(),
  ),
  one(
    'a call without `function` around its name',
    'gateways',
    'read',
    { content: null, tool_calls: [{ name: 'see', arguments: object }] },
    seen(),
  ),
  one(
    'the call in `function_call`',
    'older servers',
    'read',
    { content: null, function_call: { name: 'see', arguments: '{"address":"/a"}' } },
    seen(),
  ),
  one(
    'a call named `functions.see`',
    "OpenAI's models",
    'is `see`, if that was offered',
    { content: null, tool_calls: [call(undefined, 'functions.see')] },
    seen(),
  ),
  one(
    'a call named `default_api.see`',
    'Gemini',
    'is `see`',
    { content: null, tool_calls: [call(undefined, 'default_api.see')] },
    seen(),
  ),
  one(
    'a call named `default_api:see`',
    'Gemini',
    'is `see`',
    { content: null, tool_calls: [call(undefined, 'default_api:see')] },
    seen(),
  ),
  one(
    'a call named `functions.see:0`',
    'Kimi',
    'is `see`',
    { content: null, tool_calls: [call(undefined, 'functions.see:0')] },
    seen(),
  ),
  one(
    'a call named `mcp__treeos__see`',
    'gateways to MCP',
    'is `see`',
    { content: null, tool_calls: [call(undefined, 'mcp__treeos__see')] },
    seen(),
  ),
  one(
    'a call named `see<|channel|>commentary`',
    'gpt-oss behind vLLM',
    'is `see`',
    { content: null, tool_calls: [call(undefined, 'see<|channel|>commentary')] },
    seen(),
  ),
  one(
    'words as a list of parts',
    'Mistral, gateways',
    'joined, without the parts of thinking',
    {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'It ' },
        { type: 'text', text: 'rains.' },
      ],
    },
    said('It rains.'),
  ),
  one(
    'a call as a part',
    'gateways to Anthropic',
    'read',
    {
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 't1', name: 'see', input: object },
      ],
    },
    seen('I look.'),
    { finish: 'tool_calls' },
  ),
  one('`content: ""` beside a call', 'many', 'is no word', { content: '', tool_calls: [call()] }, seen()),
  one(
    'thinking in `reasoning_content`',
    'DeepSeek, vLLM',
    'not read',
    { reasoning_content: 'I should call see /b', content: 'It rains.' },
    said('It rains.'),
  ),
  one(
    'thinking in its words',
    'DeepSeek R1, Qwen3 without a parser',
    'left out',
    { content: '<think>\nHe asks for rain.\n</think>\n\nIt rains.' },
    said('It rains.'),
  ),
  one(
    'thinking without its first tag',
    'templates that begin it',
    'left out',
    { content: 'He asks for rain.\n</think>\n\nIt rains.' },
    said('It rains.'),
  ),
  one(
    'thinking in `[THINK]`',
    'Magistral',
    'left out',
    { content: '[THINK]Hm.[/THINK]It rains.' },
    said('It rains.'),
  ),
  one(
    'thinking that never ends',
    'small models',
    'nothing was said',
    { content: '<think>\nHm, he asks' },
    said(null),
  ),
  one(
    'the limit of tokens was spent on thinking',
    'thinking models',
    'a failure that names the setting',
    { content: null, reasoning_content: 'Hm' },
    fails(SPENT),
    { finish: 'length' },
  ),
  one(
    'the limit was spent on thinking in its words',
    'thinking models',
    'a failure that names the setting',
    { content: '<think>Hm, he' },
    fails(SPENT),
    { finish: 'length' },
  ),
  one(
    '`max_tokens` as the reason',
    'gateways to Anthropic and Gemini',
    'the same',
    { content: '' },
    fails(SPENT),
    { finish: 'max_tokens' },
  ),
  one(
    '`stop` where the limit ended it',
    'gateways',
    'the same, by its usage',
    { content: '' },
    fails(SPENT),
    { request: { maxTokens: 7 } },
  ),
  one(
    'a reason of its filter',
    'Gemini, Azure, Zhipu',
    'a failure',
    { content: 'hm' },
    fails("model's answer was withheld by its provider's filter"),
    { finish: 'SAFETY' },
  ),
  one(
    'a call that the server could not read',
    'Gemini',
    'a failure',
    { content: null },
    fails('model wrote a call that its server could not read'),
    { finish: 'MALFORMED_FUNCTION_CALL' },
  ),
  one('`stop` beside a call', 'Ollama, vLLM', 'it is a call', SEES, seen(), { finish: 'stop' }),
  one(
    'no usage',
    'small servers',
    'the cost is bounded by what was sent and received',
    SEES,
    { ...seen(), usage: null },
    { usage: null },
  ),
  one(
    'a prompt of 0 tokens in the usage',
    'older Ollama with its cache',
    'counts as no usage',
    SEES,
    { ...seen(), usage: null },
    { usage: { prompt_tokens: 0, completion_tokens: 7 } },
  ),
  one('thinking counted beside the answer', 'xAI, Gemini', 'counts', SEES, uses(40, 107), {
    usage: {
      prompt_tokens: 40,
      completion_tokens: 7,
      total_tokens: 147,
      completion_tokens_details: { reasoning_tokens: 100 },
    },
  }),
  one('thinking counted beside the answer, in the details only', 'gateways', 'counts', SEES, uses(40, 107), {
    usage: { prompt_tokens: 40, completion_tokens: 7, completion_tokens_details: { reasoning_tokens: 100 } },
  }),
  one('thinking counted within the answer', 'OpenAI', 'counts once', SEES, uses(40, 107), {
    usage: {
      prompt_tokens: 40,
      completion_tokens: 107,
      total_tokens: 147,
      completion_tokens_details: { reasoning_tokens: 100 },
    },
  }),
  one(
    'cached tokens in the details',
    'OpenAI, xAI, Groq, Gemini',
    'counted at their own price',
    SEES,
    uses(40, 7, 32),
    { usage: { ...USAGE, prompt_tokens_details: { cached_tokens: 32 } } },
  ),
  one(
    'cached tokens in `prompt_cache_hit_tokens`',
    'DeepSeek',
    'counted at their own price',
    SEES,
    uses(40, 7, 32),
    { usage: { ...USAGE, prompt_cache_hit_tokens: 32, prompt_cache_miss_tokens: 8 } },
  ),
  one('usage in `input_tokens` and `output_tokens`', 'gateways', 'read', SEES, uses(40, 7), {
    usage: { input_tokens: 40, output_tokens: 7 },
  }),
  one(
    'it read the end of a long prompt only',
    'Ollama with its default context',
    'a failure that names the setting',
    SEES,
    fails(
      having(
        "model's server cut the prompt: it read 2048 model tokens of it; raise its context length (Ollama: OLLAMA_CONTEXT_LENGTH",
      ),
    ),
    {
      usage: { prompt_tokens: 2048, completion_tokens: 7 },
      request: { prompt: promptOf(LONG, 'hello') },
    },
  ),
  one('a long prompt from its cache', 'DeepSeek', 'is whole', SEES, seen(), {
    usage: { prompt_tokens: 2600, completion_tokens: 7, prompt_cache_hit_tokens: 2560 },
    request: { prompt: promptOf(LONG, 'hello') },
  }),
]
